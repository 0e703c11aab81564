internal import Encodings

/// Runs test vectors against the verifiers: JSON lines in, JSON lines out, one for one.
///
/// A line is `{"id","op","input","requires"}`, with `input` as the vector files have it. The answer is
/// `{"id","verdict","reason",…}`, with the values that were computed. Time, trust anchors, origins and challenges all
/// come from the input: there is no clock here and no root.
public struct VectorRunner: Sendable {
    /// Longer lines are answered by a reject.
    public static let maximumLineLength = 1_048_576

    public init() {}

    /// Answers one line, without its line end. Whatever comes, the answer is one JSON object on one line.
    public func answer(line: ArraySlice<UInt8>) -> [UInt8] {
        guard line.count <= Self.maximumLineLength else { return Self.write(nil, .reject("the line is too long")) }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(line, allowingNUL: true)
        } catch {
            return Self.write(nil, .reject("the line is not JSON", "\(error)"))
        }
        guard let object = value.object else { return Self.write(nil, .reject("the line is no object")) }
        return Self.write(object["id"], answer(VectorInput(object: object)))
    }

    private func answer(_ line: VectorInput) -> VectorAnswer {
        do throws(VectorError) {
            let name = try line.string("op")
            if name.hasSameBytes(as: "hello") { return VectorCapabilities.hello }
            let requirements = try line.optionalStrings("requires") ?? []
            let missing = requirements.filter { requirement in
                !VectorCapabilities.all.contains { $0.hasSameBytes(as: requirement) }
            }
            guard missing.isEmpty else { return .unsupported(missing) }
            guard let operation = VectorOperation(rawValue: name) else { throw VectorError("no such op") }
            return try operation.run(VectorInput(object: try line.object("input")), requirements)
        } catch {
            return .reject("malformed_input", error.reason)
        }
    }

    private static func write(_ id: JSONValue?, _ answer: VectorAnswer) -> [UInt8] {
        var object: JSONObject = ["id": id ?? .null]
        for member in answer.members.members { object.set(member.name, member.value) }
        return JSONValue.object(object).serialized()
    }
}

/// What can be asked for, by the `operation` words of the vector files.
enum VectorOperation: String, CaseIterable {
    case registration
    case authentication
    case ceremony
    case cbor
    case signature
    case coseKey = "cose-key"
    case coseVerify = "cose-verify"
    case jws
    case jwkThumbprint = "jwk-thumbprint"
    case base64URLDecode = "base64url-decode"
    case mds3
    case prf = "prf-hmac-secret"

    func run(_ input: VectorInput, _ requirements: [String]) throws(VectorError) -> VectorAnswer {
        switch self {
        case .registration: try CeremonyVectors.registration(input)
        case .authentication: try CeremonyVectors.authentication(input)
        case .ceremony: try PitfallVectors.ceremony(input)
        case .cbor: try PrimitiveVectors.cbor(input)
        case .signature: try PrimitiveVectors.signature(input)
        case .coseKey: try PrimitiveVectors.coseKey(input)
        case .coseVerify: try PrimitiveVectors.coseVerify(input)
        case .jws: try PrimitiveVectors.jws(input, requirements)
        case .jwkThumbprint: try PrimitiveVectors.jwkThumbprint(input)
        case .base64URLDecode: try PrimitiveVectors.base64URLDecode(input)
        case .mds3: try MetadataVectors.mds3(input)
        case .prf: try PrimitiveVectors.prf(input)
        }
    }
}
