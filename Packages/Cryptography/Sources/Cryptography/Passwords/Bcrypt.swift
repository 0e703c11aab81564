internal import CCrypt

/// bcrypt, for hashes that came from elsewhere.
public enum Bcrypt {
    /// What a hash says of itself: `$2b$`, two digits of cost, `$`, and 53 characters of salt and checksum.
    public struct Form: Hashable, Sendable {
        /// The logarithm of the number of rounds.
        public let cost: Int
        /// The whole text, 60 characters.
        public let text: String

        /// - Throws: `malformed`; `unsupported` for other prefixes; `invalidLength` for a cost outside 4 to 14, which is
        ///   more than a sign-in may cost.
        public init(_ text: String) throws(CryptographyError) {
            let bytes = Array(text.utf8)
            let alphabet = Array("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
            guard bytes.count == 60, bytes[0] == UInt8(ascii: "$"), bytes[1] == UInt8(ascii: "2"),
                bytes[3] == UInt8(ascii: "$"), bytes[6] == UInt8(ascii: "$"),
                bytes[7...].allSatisfy(alphabet.contains),
                let cost = Int(String(decoding: bytes[4..<6], as: UTF8.self)),
                bytes[4..<6].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
            else { throw .malformed(what: "bcrypt hash", offset: 0) }
            guard [UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "y")].contains(bytes[2]) else {
                throw .unsupported(what: "bcrypt $2\(String(decoding: [bytes[2]], as: UTF8.self))$")
            }
            guard (4...14).contains(cost) else { throw .invalidLength(what: "bcrypt cost", got: cost) }
            self.cost = cost
            self.text = text
        }
    }

    /// Whether `password` has this hash. bcrypt reads its first 72 bytes alone, as where the hash was made. It computes
    /// for milliseconds to seconds: never on an event loop.
    ///
    /// - Throws: `library` when libcrypt could not compute.
    public static func verify(_ password: [UInt8], _ form: Form) throws(CryptographyError) -> Bool {
        // What has a zero inside was never hashed whole by anything that calls crypt.
        guard !password.contains(0) else { return false }
        var phrase = [UInt8](password.prefix(72)) + [0]
        defer { erase(&phrase) }
        var output = [UInt8](repeating: 0, count: 128)
        let count = unsafe phrase.withUnsafeBytes { phrase in
            unsafe output.withUnsafeMutableBytes { output in
                unsafe latchkey_crypt(
                    phrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                    form.text,
                    output.baseAddress?.assumingMemoryBound(to: CChar.self),
                    output.count
                )
            }
        }
        guard count > 0, count <= output.count else {
            throw .library(operation: "bcrypt", reason: "libcrypt gave no hash")
        }
        return constantTimeEqual(output[..<Int(count)], Array(form.text.utf8)[...])
    }
}
