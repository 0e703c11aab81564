@testable import Cryptography
import Testing

@Suite("ML-DSA: FIPS 204")
struct MLDSATests {
    @Test("Every key and signature of the vectors is what another implementation says")
    func vectors() throws {
        let file = try MLDSAFile.read()
        #expect(file.cases.count > 60)
        for vector in file.cases {
            let set = try #require(MLDSAParameterSet(rawValue: vector.set))
            let publicKey = try hex(vector.publicKey)
            #expect(try SigningKey(seed: try hex(vector.seed), set).publicKey.components == .mlDSA(set, publicKey))
            let isValid = try VerifyingKey.mlDSA(set, publicKey).isValid(
                try hex(vector.signature),
                over: try hex(vector.message),
                set.algorithm
            )
            #expect(isValid == vector.valid, "\(vector.set): \(vector.what)")
        }
    }

    @Test("A signature without randomness is the one that the standard leads to", arguments: MLDSAParameterSet.allCases)
    func deterministic(_ set: MLDSAParameterSet) throws {
        let vector = try #require(
            try MLDSAFile.read().cases.first { $0.set == set.rawValue && $0.what == "right, deterministic" }
        )
        let key = try MLDSAPrivateKey(seed: try hex(vector.seed), set)
        let signature = try key.sign(try hex(vector.message)[...], randomness: [UInt8](repeating: 0, count: 32))
        #expect(try signature == hex(vector.signature))
    }

    @Test("Keys and signatures have the sizes of table 2")
    func sizes() throws {
        let sizes = MLDSAParameterSet.allCases.map { [$0.publicKeyByteCount, $0.signatureByteCount] }
        #expect(sizes == [[1312, 2420], [1952, 3309], [2592, 4627]])
        for set in MLDSAParameterSet.allCases {
            for count in [0, set.publicKeyByteCount - 1, set.publicKeyByteCount + 1] {
                #expect(throws: CryptographyError.self) {
                    try VerifyingKey.mlDSA(set, [UInt8](repeating: 0, count: count))
                }
            }
        }
        for count in [0, 31, 33, 64] {
            #expect(throws: CryptographyError.invalidLength(what: "ML-DSA-44 seed", got: count)) {
                try SigningKey(seed: [UInt8](repeating: 0, count: count), .mlDSA44)
            }
        }
    }

    @Test("Keys are written as others write them")
    func encodings() throws {
        let file = try MLDSAFile.read()
        let key = try SigningKey(seed: [UInt8](repeating: 0, count: 32), .mlDSA44)
        #expect(try key.pkcs8 == hex(file.zeroSeedPKCS8))
        #expect(try key.publicKey.subjectPublicKeyInfo == hex(file.zeroSeedSubjectPublicKeyInfo))
    }

    @Test("Two signatures of one message differ")
    func hedged() throws {
        let key = try SigningKey.generate(.mlDSA(.mlDSA44))
        #expect(try key.sign([1], .mlDSA44) != key.sign([1], .mlDSA44))
    }

    @Test("A key with any bytes of the right length has an answer", arguments: MLDSAParameterSet.allCases)
    func anyBytes(_ set: MLDSAParameterSet) throws {
        for byte in [0, 0x55, 0xff] as [UInt8] {
            let key = try VerifyingKey.mlDSA(set, [UInt8](repeating: byte, count: set.publicKeyByteCount))
            var signature = [UInt8](repeating: byte, count: set.signatureByteCount)
            #expect(!key.isValid(signature, over: [], set.algorithm))
            // With hints that are none, so that the arithmetic is reached too.
            signature.replaceSubrange(
                (signature.count - set.omega - set.k)...,
                with: repeatElement(0, count: set.omega + set.k)
            )
            #expect(!key.isValid(signature, over: [], set.algorithm))
        }
    }

    @Test("A certificate may be signed with it")
    func certificate() throws {
        let key = try SigningKey.generate(.mlDSA(.mlDSA65))
        let root = try Authority.builder("Root", isCA: true).selfSigned(by: key)
        let leafKey = try SigningKey.generate(.mlDSA(.mlDSA44))
        let leaf = try Authority.builder("Leaf", isCA: false).signed(for: leafKey.publicKey, by: root, key: key)
        #expect(leaf.publicKey == leafKey.publicKey)
        try CertificatePath.verify(leaf: leaf, intermediates: [], anchors: [root], at: Authority.now)
        let otherRoot = try Authority.builder("Root", isCA: true).selfSigned(by: leafKey)
        #expect(throws: CryptographyError.self) {
            try CertificatePath.verify(leaf: leaf, intermediates: [], anchors: [otherRoot], at: Authority.now)
        }
    }
}

@Suite("ML-DSA: rounding and packing")
struct MLDSAArithmeticTests {
    private static let gammas = [(Field.q - 1) / 88, (Field.q - 1) / 32]

    /// Both sides of every border, and numbers between them.
    private static func samples(_ gamma2: Int32) -> [Int32] {
        var samples = Set(stride(from: Int32(0), to: Field.q, by: 997))
        for border in stride(from: Int32(0), through: Field.q, by: Int(gamma2)) {
            for near in border - 2...border + 2 where (0..<Field.q).contains(near) { samples.insert(near) }
        }
        return Array(samples)
    }

    @Test("A number falls into high and low bits as algorithm 36 says")
    func decomposition() {
        for gamma2 in Self.gammas {
            for a in Self.samples(gamma2) {
                var low = a % (2 * gamma2)
                if low > gamma2 { low -= 2 * gamma2 }
                let isLast = a - low == Field.q - 1
                let (high, got) = Field.decompose(a, gamma2)
                #expect(high == (isLast ? 0 : (a - low) / (2 * gamma2)))
                #expect(got == (isLast ? low - 1 : low))
            }
        }
    }

    @Test("A hint leads from a number to the high bits of the one beside it (algorithms 39 and 40)")
    func hints() {
        for gamma2 in Self.gammas {
            for a in Self.samples(gamma2) {
                for step in [-gamma2, -1, 0, 1, gamma2] {
                    let moved = (a + step + Field.q) % Field.q
                    let wanted = Field.decompose(moved, gamma2).high
                    let isHinted = wanted != Field.decompose(a, gamma2).high
                    #expect(Field.highBits(of: a, hint: isHinted, gamma2) == wanted)
                }
            }
        }
    }

    @Test("A number falls into two parts as algorithm 35 says")
    func power2Round() {
        for a in Self.samples(4096) {
            let (high, low) = Field.power2Round(a)
            #expect(high << 13 + low == a && low > -4096 && low <= 4096)
        }
    }

    @Test("The representatives of a class are the ones that are promised")
    func representatives() {
        for a in [0, 1, -1, Field.q - 1, 1 - Field.q, Field.q / 2, -Field.q / 2] {
            let standard = Field.standard(a)
            #expect((0..<Field.q).contains(standard) && (standard - a) % Field.q == 0)
        }
        for a in [Int32.min, -9 * Field.q, -1, 0, 1, 9 * Field.q, Int32.max - (1 << 22)] {
            let reduced = Field.reduced(a)
            #expect(abs(reduced) <= 6_283_008 && (Int64(reduced) - Int64(a)) % Int64(Field.q) == 0)
        }
    }

    @Test("A product of polynomials is the product of their transforms (section 2.5)")
    func product() {
        var a = Polynomial()
        var b = Polynomial()
        for index in 0..<256 {
            a[index] = Int32(index * index * 31 % 8_380_417)
            b[index] = Int32(index * 77_777 % 8_380_417) - 4_000_000
        }
        var wanted = [Int64](repeating: 0, count: 256)
        for i in 0..<256 {
            for j in 0..<256 {
                // x^256 is -1.
                let sign: Int64 = i + j < 256 ? 1 : -1
                let place = (i + j) % 256
                wanted[place] = (wanted[place] + sign * Int64(a[i]) * Int64(b[j])) % Int64(Field.q)
            }
        }
        a.transform()
        b.transform()
        var product = a * b
        product.map(Field.reduced)
        product.invertTransform()
        for index in 0..<256 {
            #expect((Int64(product[index]) - wanted[index]) % Int64(Field.q) == 0)
        }
    }

    @Test("What is packed comes back", arguments: [4, 6, 10, 18, 20])
    func packing(_ width: Int) {
        var polynomial = Polynomial()
        for index in 0..<256 { polynomial[index] = Int32(index * 7919) & (1 << Int32(width) - 1) }
        var bytes: [UInt8] = []
        Packing.pack(polynomial, width: width, to: &bytes)
        #expect(bytes.count == 32 * width)
        var count = 0
        Packing.unpack(bytes[...], width: width) { index, value in
            #expect(polynomial[index] == value)
            count += 1
        }
        #expect(count == 256)
    }

    @Test("Hints come back, and only one row of bytes stands for them")
    func hintPlaces() throws {
        let set = MLDSAParameterSet.mlDSA44
        let rows: [[UInt8]] = [[0, 3, 255], [], [7], [1, 2]]
        let bytes = try #require(Hints.encode(rows, set))
        let hints = try #require(Hints(decoding: bytes[...], set))
        for (row, places) in rows.enumerated() { #expect(Array(hints.places(row: row)) == places) }
        #expect(Hints.encode([[UInt8](0...80), [], [], []], set) == nil)
        for (place, value) in [(0, 3), (1, 0), (1, 255), (6, 1), (79, 1), (80, 4), (81, 2), (83, 5), (83, 81)] {
            var spoilt = bytes
            spoilt[place] = UInt8(value)
            #expect(Hints(decoding: spoilt[...], set) == nil, "byte \(place) as \(value)")
        }
        #expect(Hints(decoding: bytes.dropLast(), set) == nil)
    }
}

extension MLDSAParameterSet {
    var algorithm: SignatureAlgorithm {
        switch self {
        case .mlDSA44: .mlDSA44
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }
}
