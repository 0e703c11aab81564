internal import Cryptography
internal import Encodings
internal import Identity

/// A refresh token as clients hold it: `v1.` and base64url of its id (16 bytes) and its secret (32 bytes).
struct RefreshTokenText {
    let id: RefreshTokenID
    let secret: ArraySlice<UInt8>

    static let secretCount = 32

    /// A new one, from 10 and 32 random bytes.
    init(now: UnixTime, random: ArraySlice<UInt8>) {
        id = RefreshTokenID(TimeOrderedID(now: now, random: random.prefix(10)))
        secret = random.dropFirst(10).prefix(Self.secretCount)
    }

    /// Takes apart what a request presents; `nil` when it cannot be one of ours.
    init?(_ text: String) {
        guard text.utf8.count == 67, text.utf8.starts(with: "v1.".utf8),
            let bytes = try? Base64URL.decode(Array(text.utf8)[3...]), bytes.count == 48,
            let id = TimeOrderedID(bytes: bytes.prefix(16))
        else { return nil }
        self.id = RefreshTokenID(id)
        secret = bytes.dropFirst(16)
    }

    /// What is stored of the secret.
    var secretHash: [UInt8] { SHA256.hash(secret) }

    var text: String {
        var text = Array("v1.".utf8)
        text.reserveCapacity(67)
        Base64URL.append((id.id.bytes + secret)[...], to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
