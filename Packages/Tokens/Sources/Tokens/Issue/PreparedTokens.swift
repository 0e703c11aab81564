internal import Cryptography
internal import Encodings
public import Identity

/// Tokens that are decided and not signed. ``session`` and ``refresh`` go into the store's one durable step first.
public struct PreparedTokens: Sendable {
    public let session: Session
    /// The family and its first token, when a refresh token is given.
    public let refresh: NewRefresh?
    /// Scopes of the answer.
    public let scope: [String]
    let refreshToken: String?
    let expiresIn: Int64
    let accessToken: UnsignedToken
    let idToken: UnsignedToken?
}

/// Claims, and the key that will sign them.
struct UnsignedToken: Sendable {
    let claims: [UInt8]
    let type: String
    let signer: Signer
    /// Of an ID token that names the access token beside it: which hash does.
    var accessTokenHash: AccessTokenHash?

    func signed() throws(TokenError) -> String {
        try signer.sign(claims, type: type)
    }

    /// The same beside `accessToken`, which is signed already.
    func signed(beside accessToken: String) throws(TokenError) -> String {
        guard let accessTokenHash else { return try signed() }
        // A JSON object, which ends with its brace.
        let member = ",\"at_hash\":\"\(accessTokenHash.text(of: accessToken))\"}"
        return try signer.sign(claims.dropLast() + Array(member.utf8), type: type)
    }
}

/// The claim `at_hash`: the left half of a hash of the access token, by the algorithm that signs the ID token (OpenID
/// Connect Core §3.1.3.6; SHA-512 for Ed25519, which uses it itself).
enum AccessTokenHash: Hashable, Sendable {
    case sha256
    case sha512

    init(for algorithm: TokenAlgorithm) {
        switch algorithm {
        case .rs256, .ps256, .es256: self = .sha256
        case .edDSA: self = .sha512
        }
    }

    func text(of accessToken: String) -> String {
        let bytes = Array(accessToken.utf8)
        switch self {
        case .sha256: return Base64URL.encode(Array(SHA256.hash(bytes).prefix(16)))
        case .sha512: return Base64URL.encode(Array(SHA512.hash(bytes).prefix(32)))
        }
    }
}
