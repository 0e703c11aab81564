/// Why a response is not one: the member at fault and what is wrong with it.
///
/// In the HTTP contract all of these are `invalid_authn_response`.
public struct ResponseError: Error, Hashable, Sendable {
    /// Where, as `response.clientDataJSON` or `response.attestationObject authData`.
    public let member: String
    public let fault: Fault

    init(_ member: String, _ fault: Fault) {
        self.member = member
        self.fault = fault
    }

    /// What is wrong with the member. What it held is never part of it.
    public enum Fault: Hashable, Sendable {
        /// Absent or `null`.
        case missing
        /// Of another JSON or CBOR type than this.
        case notA(String)
        case empty
        /// More bytes than this.
        case tooLong(limit: Int)
        /// No base64url: the fault is at this byte of the text.
        case notBase64URL(String)
        /// Not what another member says.
        case differs(from: String)
        /// `type` is not `public-key`.
        case notPublicKey
        /// No JSON, no CBOR, no authenticator data, no key: `reason` says where.
        case malformed(reason: String)
    }
}

extension ResponseError: CustomStringConvertible {
    /// One line: `response.signature is missing`.
    public var description: String {
        switch fault {
        case .missing: "\(member) is missing"
        case .notA(let type): "\(member) is not \(type)"
        case .empty: "\(member) is empty"
        case .tooLong(let limit): "\(member) is longer than \(limit) bytes"
        case .notBase64URL(let reason): "\(member) is not base64url: \(reason)"
        case .differs(let other): "\(member) differs from \(other)"
        case .notPublicKey: "\(member) is not public-key"
        case .malformed(let reason): "\(member) is malformed: \(reason)"
        }
    }
}

extension CeremonyError {
    /// The refusal that a malformed response leads to, at the step that reads the member.
    public init(_ error: ResponseError, in ceremony: Ceremony) {
        let step =
            switch ceremony {
            case .registration where error.member.hasPrefix("response.clientDataJSON"): "7.1 step 6"
            case .registration where error.member.hasPrefix("response."): "7.1 step 13"
            case .registration: "7.1 step 3"
            case .authentication where error.member.hasPrefix("response.clientDataJSON"): "7.2 step 9"
            case .authentication where error.member.hasPrefix("response."): "7.2 step 7"
            case .authentication: "7.2 step 3"
            }
        self.init(.invalidResponse, step: step, got: error.description)
    }
}

/// The two ceremonies.
public enum Ceremony: String, Hashable, Sendable, CaseIterable {
    case registration, authentication

    /// The `type` of its client data.
    var clientDataType: String {
        switch self {
        case .registration: "webauthn.create"
        case .authentication: "webauthn.get"
        }
    }
}
