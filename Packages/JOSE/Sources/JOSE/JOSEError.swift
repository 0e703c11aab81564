public import Encodings

/// Why a key, a token or its claims are refused.
public enum JOSEError: Error, Hashable, Sendable {
    /// One of the three parts of a compact JWS.
    public enum Segment: Hashable, Sendable {
        case header, payload, signature
    }

    /// A compact JWS has three segments.
    case wrongSegmentCount(Int)
    /// A segment is no base64url without padding.
    case malformedSegment(Segment, EncodingError)
    /// The header is no JSON.
    case malformedHeader(JSONError)
    /// A header member is missing, or has a type that it cannot have; `alg` when the header is no object.
    case malformedHeaderMember(String)
    /// The header has `crit`, and no extension is understood here (RFC 7515 §4.1.11).
    case criticalExtension
    /// The token wants an algorithm that the key is not for.
    case wrongAlgorithm(expected: JWSAlgorithm, got: String)
    /// No key has this `kid`, or there is none in the header although several keys are there.
    case unknownKey(kid: String?)
    /// The signature is not the key's over this header and payload.
    case badSignature
    /// The payload of a detached JWS was not given, or that of another one was.
    case wrongPayloadForm

    /// A JWK, or a member of it, that is missing or malformed.
    case malformedKey(member: String)
    /// A JWK of a kind, on a curve or for an algorithm that this package does not know.
    case unsupportedKey(member: String, value: String)
    /// The key is good but not for this: its `use`, `key_ops` or `alg` says otherwise, or RSA without an algorithm.
    case unusableKey(member: String)
    /// The numbers of the key are no key, or a weak one.
    case weakKey(String)
    /// Two keys of a set have the same `kid`, or none of two has one.
    case duplicateKeyID(String?)
    /// Secrets and public keys in one set: a public key must never be taken for a secret.
    case mixedKeys
    /// The key could not sign.
    case signing(String)

    /// The payload is no JSON object.
    case malformedClaims(JSONError?)
    /// A claim is missing, or has a type that it cannot have.
    case malformedClaim(String)
    /// `exp` is over, in seconds since 1970.
    case expired(at: Int64)
    /// `nbf` or `iat` lies ahead, in seconds since 1970.
    case notYetValid(from: Int64)
}
