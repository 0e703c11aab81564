import Cryptography
import Testing

@Suite("FIPS 180-4: the hash functions")
struct HashTests {
    private static let twoBlocks = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)

    @Test("SHA-256 of nothing, of one block and of two")
    func sha256() throws {
        #expect(
            SHA256.hash([]) == (try hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
        )
        #expect(
            SHA256.hash(Array("abc".utf8))
                == (try hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        )
        #expect(
            SHA256.hash(Self.twoBlocks)
                == (try hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"))
        )
    }

    @Test("SHA-1 of one block")
    func sha1() throws {
        #expect(SHA1.hash(Array("abc".utf8)) == (try hex("a9993e364706816aba3e25717850c26c9cd0d89d")))
    }

    @Test("SHA-384 of one block")
    func sha384() throws {
        let expected = try hex(
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        )
        #expect(SHA384.hash(Array("abc".utf8)) == expected)
    }

    @Test("SHA-512 of one block")
    func sha512() throws {
        let expected = try hex(
            """
            ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
            2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
            """
        )
        #expect(SHA512.hash(Array("abc".utf8)) == expected)
    }

    @Test("A slice is hashed as the bytes it shows")
    func slices() {
        let bytes = Array("abc".utf8)
        #expect(SHA256.hash(bytes.shifted) == SHA256.hash(bytes))
        #expect(SHA1.hash(bytes.shifted) == SHA1.hash(bytes))
        #expect(SHA384.hash(bytes.shifted) == SHA384.hash(bytes))
        #expect(SHA512.hash(bytes.shifted) == SHA512.hash(bytes))
    }
}

@Suite("RFC 4231: HMAC with SHA-256")
struct HMACTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    static let vectors = [
        Vector(
            key: Array(repeating: 0x0b, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Vector(
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Vector(
            key: Array(repeating: 0xaa, count: 20),
            message: Array(repeating: 0xdd, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Vector(
            key: Array(1...25),
            message: Array(repeating: 0xcd, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Vector(
            key: Array(repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test("Known answers", arguments: vectors)
    func knownAnswer(_ vector: Vector) throws {
        let code = HMACSHA256.authenticate(vector.message, key: vector.key)
        #expect(code == (try hex(vector.code)))
        #expect(HMACSHA256.authenticate(vector.message.shifted, key: vector.key.shifted) == code)
        #expect(HMACSHA256.isValid(code[...], for: vector.message[...], key: vector.key[...]))
        #expect(!HMACSHA256.isValid(code.dropLast(), for: vector.message[...], key: vector.key[...]))
    }

    @Test("An empty key and an empty message have a code")
    func empty() throws {
        let expected = try hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(HMACSHA256.authenticate([], key: []) == expected)
    }
}

@Suite("RFC 4231: HMAC with SHA-384 and SHA-512")
struct LongHMACTests {
    /// Test cases 1, 2 and 6: key, message and the two codes.
    static let vectors: [([UInt8], String, String, String)] = [
        (
            Array(repeating: 0x0b, count: 20), "Hi There",
            "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
            "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
        (
            Array(repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
        ),
    ]

    @Test("Known answers, and nothing that differs from them", arguments: vectors.indices)
    func knownAnswer(_ index: Int) throws {
        let (key, text, shortCode, longCode) = Self.vectors[index]
        let message = Array(text.utf8)
        let (short, long) = (try hex(shortCode), try hex(longCode))
        #expect(HMACSHA384.isValid(short[...], for: message[...], key: key[...]))
        #expect(HMACSHA512.isValid(long[...], for: message[...], key: key[...]))
        #expect(!HMACSHA384.isValid(short.dropLast(), for: message[...], key: key[...]))
        #expect(!HMACSHA384.isValid(long[...], for: message[...], key: key[...]))
        #expect(!HMACSHA512.isValid(long[...], for: message.dropLast(), key: key[...]))
        #expect(!HMACSHA512.isValid(long.dropLast() + [long[63] ^ 1], for: message[...], key: key[...]))
    }
}

@Suite("RFC 5869: HKDF with SHA-256")
struct HKDFTests {
    @Test("Test case 1: the basic one")
    func basic() throws {
        let okm = try HKDF.sha256(
            Array(repeating: 0x0b, count: 22),
            salt: Array(0x00...0x0c),
            info: Array(0xf0...0xf9),
            count: 42
        )
        let expected = try hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        #expect(okm == expected)
    }

    @Test("Test case 2: longer inputs")
    func longer() throws {
        let okm = try HKDF.sha256(
            Array(0x00...0x4f),
            salt: Array(0x60...0xaf),
            info: Array(0xb0...0xff),
            count: 82
        )
        let expected = try hex(
            """
            b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
            da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
            """
        )
        #expect(okm == expected)
    }

    @Test("Test case 3: no salt and no info")
    func neitherSaltNorInfo() throws {
        let okm = try HKDF.sha256(Array(repeating: 0x0b, count: 22), salt: [], info: [], count: 42)
        let expected = try hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        #expect(okm == expected)
    }

    @Test("A length that HKDF does not have is refused", arguments: [-1, 0, 8161, Int.max])
    func lengths(_ count: Int) {
        #expect(throws: CryptographyError.invalidLength(what: "HKDF output", got: count)) {
            try HKDF.sha256([1], salt: [], info: [], count: count)
        }
    }

    @Test("The longest output is as long as asked for, and its beginning the shorter one's")
    func longest() throws {
        let long = try HKDF.sha256([1], salt: [2], info: [3], count: 8160)
        #expect(long.count == 8160)
        #expect(try HKDF.sha256([1], salt: [2], info: [3], count: 33) == Array(long.prefix(33)))
    }
}
