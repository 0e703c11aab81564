public import Encodings

/// The claims of a JSON Web Token (RFC 7519 §4) whose signature was verified.
public struct JWTClaims: Sendable {
    /// All of them.
    public let object: JSONObject
    /// `iss`.
    public let issuer: String?
    /// `sub`.
    public let subject: String?
    /// `aud`, one or several.
    public let audience: [String]
    /// `exp`, in seconds since 1970. A fraction is cut off.
    public let expiry: Int64?
    /// `nbf`, in seconds since 1970. A fraction is cut off.
    public let notBefore: Int64?
    /// `iat`, in seconds since 1970. A fraction is cut off.
    public let issuedAt: Int64?

    /// Reads the payload of `jws`.
    ///
    /// - Throws: `JOSEError.malformedClaims` unless it is a JSON object, `JOSEError.malformedClaim` when one of the
    ///   registered claims has a type that it cannot have.
    public init(_ jws: JWS) throws(JOSEError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(jws.payload)
        } catch {
            throw .malformedClaims(error)
        }
        guard let object = value.object else { throw .malformedClaims(nil) }
        self.object = object
        issuer = try Self.string("iss", in: object)
        subject = try Self.string("sub", in: object)
        audience = try Self.audience(in: object)
        expiry = try Self.time("exp", in: object)
        notBefore = try Self.time("nbf", in: object)
        issuedAt = try Self.time("iat", in: object)
    }

    /// Checks the three times against `now`, in seconds since 1970: `exp` has to be there and ahead; `nbf` and `iat` have
    /// to be past if they are there.
    ///
    /// - Throws: `JOSEError.malformedClaim`, `JOSEError.expired`, `JOSEError.notYetValid`.
    public func check(at now: Int64, leeway: Int64 = 5) throws(JOSEError) {
        guard let expiry else { throw .malformedClaim("exp") }
        guard expiry > now.saturatingAdd(-leeway) else { throw .expired(at: expiry) }
        for start in [notBefore, issuedAt] {
            guard let start, start > now.saturatingAdd(leeway) else { continue }
            throw .notYetValid(from: start)
        }
    }

    private static func string(_ name: String, in object: JSONObject) throws(JOSEError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw .malformedClaim(name) }
        return text
    }

    private static func audience(in object: JSONObject) throws(JOSEError) -> [String] {
        switch object["aud"] {
        case nil: return []
        case .string(let audience)?: return [audience]
        case .array(let elements)?:
            var audience: [String] = []
            for element in elements {
                guard let text = element.string else { throw .malformedClaim("aud") }
                audience.append(text)
            }
            return audience
        default: throw .malformedClaim("aud")
        }
    }

    private static func time(_ name: String, in object: JSONObject) throws(JOSEError) -> Int64? {
        switch object[name] {
        case nil: return nil
        case .integer(let seconds)?: return seconds
        case .number(let seconds)?:
            guard let whole = Int64(exactly: seconds.rounded(.towardZero)) else { throw .malformedClaim(name) }
            return whole
        default: throw .malformedClaim(name)
        }
    }
}

extension Int64 {
    fileprivate func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }
}
