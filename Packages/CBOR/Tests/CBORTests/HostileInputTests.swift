import CBOR
import Testing

@Suite("Hostile input costs no more than its size")
struct HostileInputTests {
    static let bombs: [[UInt8]] = {
        let huge: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
        var bombs: [[UInt8]] = []
        let lengths: [[UInt8]] = [
            huge, [0x7f] + Array(huge.dropFirst()), [0, 0, 0, 0] + Array(huge.dropFirst(4)),
            [0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff],
        ]
        for type in [0x5b, 0x7b, 0x9b, 0xbb] as [UInt8] {
            for length in lengths {
                bombs.append([type] + length)
                bombs.append([0x81, type] + length + [0, 0, 0])
                bombs.append([type] + length + [UInt8](repeating: 0x80, count: 1000))
            }
        }
        for head in [
            [0x81], [0xa1], [0xa1, 0x00], [0xc1], [0x9f], [0xbf], [0xbf, 0x00], [0x82, 0x00], [0xd8, 0x18], [0x5f],
        ] as [[UInt8]] {
            bombs.append(Array(repeatElement(head, count: 30_000).joined()))
            bombs.append(Array(repeatElement(head, count: 30_000).joined()) + [0x00])
            bombs.append(Array(repeatElement(head, count: 30_000).joined()) + [UInt8](repeating: 0xff, count: 30_000))
        }
        // Arrays that each claim all that is left.
        var nested: [UInt8] = []
        for count in (1...20_000).reversed() { nested += [0x99, UInt8(count >> 8), UInt8(count & 0xff)] }
        bombs.append(nested)
        bombs.append([0x99, 0xff, 0xff] + [UInt8](repeating: 0x00, count: 65_535))
        bombs.append([0xb9, 0x7f, 0xff] + [UInt8](repeating: 0x00, count: 65_534))
        // Many keys in falling order, so that sorting has something to do.
        var keys: [UInt8] = [0xb9, 0x0f, 0x00]
        for key in (0..<0x0f00).reversed() { keys += [0x19, UInt8(key >> 8), UInt8(key & 0xff), 0x00] }
        bombs.append(keys)
        return bombs
    }()

    @Test("Every bomb is answered at once")
    func bombs() {
        let start = ContinuousClock.now
        for bomb in Self.bombs {
            let inspection = CBOR.inspect(bomb)
            for form in [CBORForm.ctap2, .interoperable] {
                let decoded = try? CBOR.decode(bomb, as: form)
                #expect(decoded == nil || inspection.valid)
            }
        }
        let time = ContinuousClock.now - start
        // About a second for all of them without optimisation; what is not bounded takes minutes or all memory.
        #expect(time < .seconds(30))
    }

    @Test("The number of items is bounded")
    func items() {
        for count in [4095, 4096] {
            let bytes = [0x99, UInt8(count >> 8), UInt8(count & 0xff)] + [UInt8](repeating: 0x00, count: count)
            let decoded = Result { () throws(CBORError) in try CBOR.decode(bytes) }
            if count < 4096 {
                #expect((try? decoded.get())?.array?.count == count)
            } else {
                #expect(decoded == .failure(.tooManyItems(offset: 3 + 4095)))
            }
        }
    }

    static let samples: [CBORValue] = [
        [
            "fmt": "packed", "attStmt": ["alg": -7, "sig": .bytes([1, 2, 3]), "x5c": [.bytes([4]), .bytes([5, 6])]],
            "authData": .bytes([7]),
        ],
        [
            1: 2, 3: -7, -1: 1, -2: .bytes([UInt8](repeating: 9, count: 32)),
            -3: .bytes([UInt8](repeating: 8, count: 32)),
        ],
        [[], [:], "", .bytes([]), nil, true, false, .undefined, .float(CBORFloat(1.5)), 100_000, -100_000, "käse"],
    ]

    @Test("A sample cut at every length, and with every bit flipped, is answered, and what is taken is canonical")
    func damage() {
        for sample in Self.samples {
            let bytes = CBOR.encode(sample)
            #expect((try? CBOR.decode(bytes)) == sample)
            for length in bytes.indices {
                #expect(throws: CBORError.self) { try CBOR.decode(bytes[..<length]) }
                #expect(throws: CBORError.self) { try CBOR.decode(bytes[..<length], as: .interoperable) }
                #expect(!CBOR.inspect(bytes[..<length]).wellFormed)
            }
            for place in bytes.indices {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[place] ^= 1 << bit
                    check(damaged)
                }
            }
        }
    }

    @Test("Random bytes and random damage are answered", arguments: 0..<8)
    func fuzz(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let heads: [UInt8] = [
            0x00, 0x18, 0x20, 0x40, 0x41, 0x58, 0x5f, 0x60, 0x61, 0x7f, 0x80, 0x81, 0x82, 0x9f, 0xa0, 0xa1, 0xa2, 0xbf,
            0xc0, 0xf6, 0xf9, 0xff,
        ]
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...24, using: &generator) {
                let head = heads.randomElement(using: &generator) ?? 0
                bytes.append(Bool.random(using: &generator) ? head : UInt8.random(in: 0...255, using: &generator))
            }
            check(bytes)
            let value = Self.randomValue(depth: 0, using: &generator)
            bytes = CBOR.encode(value)
            #expect((try? CBOR.decode(bytes)) == value)
            #expect(CBOR.inspect(bytes).valid)
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            check(bytes)
        }
    }

    /// Both decoders and the inspection have to agree about `bytes`.
    private func check(_ bytes: [UInt8]) {
        let inspection = CBOR.inspect(bytes)
        let strict = try? CBOR.decode(bytes, maximumDepth: 4)
        let loose = try? CBOR.decode(bytes, as: .interoperable, maximumDepth: 4)
        #expect((strict != nil) == (inspection.ctap2Canonical != false), "\(bytes)")
        #expect(loose == nil || inspection.valid, "\(bytes)")
        if let strict {
            #expect(CBOR.encode(strict) == bytes, "\(bytes)")
            #expect(loose == strict, "\(bytes)")
        }
        if let loose { #expect((try? CBOR.decode(CBOR.encode(loose), maximumDepth: 4)) == loose, "\(bytes)") }
    }

    private static func randomValue(depth: Int, using generator: inout SeededGenerator) -> CBORValue {
        switch Int.random(in: 0..<(depth < 4 ? 9 : 7), using: &generator) {
        case 0: return .unsigned(generator.next() >> UInt64.random(in: 0..<64, using: &generator))
        case 1: return .negative(generator.next() >> UInt64.random(in: 0..<64, using: &generator))
        case 2: return .bytes((0..<Int.random(in: 0..<30, using: &generator)).map { UInt8(truncatingIfNeeded: $0 * 7) })
        case 3: return .text(String(repeating: "aé😀", count: Int.random(in: 0..<4, using: &generator)))
        case 4: return .bool(Bool.random(using: &generator))
        case 5: return .null
        case 6: return .float(CBORFloat(Double(bitPattern: generator.next())))
        case 7:
            return .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                    randomValue(depth: depth + 1, using: &generator)
                }
            )
        default:
            var map = CBORMap()
            for _ in 0..<Int.random(in: 0..<5, using: &generator) {
                let key = randomValue(depth: depth + 1, using: &generator)
                map[key] = randomValue(depth: depth + 1, using: &generator)
            }
            return .map(map)
        }
    }
}
