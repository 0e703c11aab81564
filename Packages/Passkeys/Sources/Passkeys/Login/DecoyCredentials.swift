internal import Cryptography
internal import Identity
internal import WebAuthn

/// Made-up credential lists for names that nobody has (HTTP contract 12.3): stable, of the look of real ones, and known
/// again when they come back.
///
/// The first half of an id is a keyed hash of the name; the second half a keyed hash of the first.
public struct DecoyCredentials: Sendable {
    private let namingKey: [UInt8]
    private let markingKey: [UInt8]

    /// Ids as today's providers make them, in bytes.
    private static let lengths = [16, 20, 32]

    /// - Parameter key: 32 bytes, derived from the deployment's data key for this purpose alone.
    public init(key: [UInt8]) {
        namingKey = HMACSHA256.authenticate(Array("name".utf8), key: key)
        markingKey = HMACSHA256.authenticate(Array("mark".utf8), key: key)
    }

    /// The list for a name.
    ///
    /// - Parameters:
    ///   - name: the canonical form, or whatever was typed when there is none.
    ///   - connection: where it would be.
    ///   - relyingPartyID: for which passkeys.
    /// - Returns: one or two credentials.
    func list(for name: String, in connection: Connection, relyingPartyID: String) -> [CredentialDescriptor] {
        let words: [String] = ["\(connection.tenant.number)", connection.id.text, relyingPartyID, name]
        // A zero byte after each: no two places give the same bytes.
        let place: [UInt8] = words.flatMap { Array($0.utf8) + [0] }
        let shape = HMACSHA256.authenticate(place, key: namingKey)
        // One in four has two passkeys.
        let count = shape[0] < 64 ? 2 : 1
        return (0..<count).map { number in
            let seed = HMACSHA256.authenticate(shape + [UInt8(number)], key: namingKey)
            let length = Self.lengths[Int(seed[31]) % Self.lengths.count]
            let half = Array(seed.prefix(length / 2))
            let transports = seed[30] < 192 ? ["hybrid", "internal"] : ["internal"]
            return CredentialDescriptor(id: half + mark(half[...]), transports: transports)
        }
    }

    /// Whether this deployment made the id up.
    func recognizes(_ id: [UInt8]) -> Bool {
        guard Self.lengths.contains(id.count) else { return false }
        return constantTimeEqual(id.suffix(id.count / 2), mark(id.prefix(id.count / 2))[...])
    }

    private func mark(_ half: ArraySlice<UInt8>) -> [UInt8] {
        Array(HMACSHA256.authenticate(half, key: markingKey[...]).prefix(half.count))
    }
}
