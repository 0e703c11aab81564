import Cryptography
import Testing

@Suite("NIST SP 800-38D: AES-256-GCM")
struct AESGCMTests {
    struct Vector: Sendable {
        let key: String
        let nonce: String
        let plaintext: String
        let associatedData: String
        let sealed: String
    }

    private static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    private static let plaintext = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """
    private static let ciphertext = """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
        """

    /// Test cases 13 to 16 of the submission of GCM to NIST.
    static let vectors = [
        Vector(
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            plaintext: "",
            associatedData: "",
            sealed: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        Vector(
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            plaintext: String(repeating: "00", count: 16),
            associatedData: "",
            sealed: "cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919"
        ),
        Vector(
            key: key,
            nonce: "cafebabefacedbaddecaf888",
            plaintext: plaintext + "1aafd255",
            associatedData: "",
            sealed: ciphertext + "898015ad b094dac5d93471bdec1a502270e3cc6c"
        ),
        Vector(
            key: key,
            nonce: "cafebabefacedbaddecaf888",
            plaintext: plaintext,
            associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            sealed: ciphertext + "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ]

    @Test("Known answers, both ways", arguments: vectors)
    func knownAnswer(_ vector: Vector) throws {
        let key = try hex(vector.key)
        let nonce = try hex(vector.nonce)
        let data = try hex(vector.associatedData)
        let sealed = try AESGCM.seal(try hex(vector.plaintext), key: key, nonce: nonce, associatedData: data)
        #expect(sealed == (try hex(vector.sealed)))
        #expect(try AESGCM.open(sealed, key: key, nonce: nonce, associatedData: data) == (try hex(vector.plaintext)))
        let shifted = try AESGCM.open(
            sealed.shifted,
            key: key.shifted,
            nonce: nonce.shifted,
            associatedData: data.shifted
        )
        #expect(shifted == (try hex(vector.plaintext)))
    }

    @Test("What has changed in one bit, or was cut, is not opened")
    func tampering() throws {
        let key = Random.bytes(AESGCM.keyByteCount)
        let nonce = Random.bytes(AESGCM.nonceByteCount)
        let sealed = try AESGCM.seal(Array("secret".utf8), key: key, nonce: nonce, associatedData: [1, 2])
        for spoilt in sealed.flips.map({ $0[...] }) + sealed.truncations {
            #expect(throws: CryptographyError.notAuthentic) {
                try AESGCM.open(spoilt, key: key[...], nonce: nonce[...], associatedData: [1, 2])
            }
        }
    }

    @Test("Another key, nonce or associated data does not open")
    func otherInputs() throws {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 12)
        let sealed = try AESGCM.seal([42], key: key, nonce: nonce, associatedData: [3])
        for (key, nonce, data) in [
            ([UInt8](repeating: 9, count: 32), nonce, [UInt8(3)]), (key, [UInt8](repeating: 9, count: 12), [3]),
            (key, nonce, []), (key, nonce, [3, 3]),
        ] {
            #expect(throws: CryptographyError.notAuthentic) {
                try AESGCM.open(sealed, key: key, nonce: nonce, associatedData: data)
            }
        }
    }

    @Test("A key or nonce of another length is refused")
    func lengths() throws {
        #expect(throws: CryptographyError.invalidLength(what: "AES-256 key", got: 16)) {
            try AESGCM.seal([], key: Array(repeating: 0, count: 16), nonce: Array(repeating: 0, count: 12))
        }
        #expect(throws: CryptographyError.invalidLength(what: "GCM nonce", got: 0)) {
            try AESGCM.open([], key: Array(repeating: 0, count: 32), nonce: [])
        }
    }
}
