import CBOR
import Testing

@Suite("RFC 8949 and CTAP 2.1 §8: decoding")
struct DecodingTests {
    @Test("A credential public key comes out as its values")
    func values() throws {
        let key: CBORValue = [1: 2, 3: -7, -1: 1, -2: .bytes([UInt8](repeating: 1, count: 32)), -3: .bytes([0xff])]
        let bytes = CBOR.encode(key)
        #expect(bytes.prefix(8) == [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21])
        let map = try #require(try CBOR.decode(bytes).map)
        #expect(map[1]?.integer == 2)
        #expect(map[3]?.integer == -7)
        #expect(map[-2]?.bytes?.count == 32)
        #expect(map[-3] == .bytes([0xff]))
        #expect(map[4] == nil)
        #expect(map["1"] == nil)
    }

    @Test("Integers up to the ends of 64 bits")
    func integers() throws {
        #expect(try CBOR.decode([0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) == .unsigned(.max))
        #expect(try CBOR.decode([0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) == .negative(.max))
        #expect(CBORValue.unsigned(.max).integer == nil)
        #expect(CBORValue.negative(.max).integer == nil)
        #expect(CBORValue.negative(UInt64(Int64.max)).integer == .min)
        for value in [0, -1, 23, 24, -24, -25, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, .max, .min]
            as [Int64]
        {
            #expect(try CBOR.decode(CBOR.encode(CBORValue(value))).integer == value)
        }
    }

    @Test(
        "A fault is named, with its place",
        arguments: [
            ([], .unexpectedEnd(offset: 0)),
            ([0x00, 0x00], .trailingBytes(offset: 1)),
            ([0x82, 0x00], .unexpectedEnd(offset: 2)),
            ([0x82, 0x00, 0x1c], .notWellFormed(0x1c, offset: 2)),
            ([0x82, 0x00, 0xff], .notWellFormed(0xff, offset: 2)),
            ([0x82, 0x00, 0x5f, 0xff], .indefiniteLength(offset: 2)),
            ([0x81, 0xc0, 0x00], .tag(0, offset: 1)),
            ([0x81, 0xf0], .unassignedSimpleValue(16, offset: 1)),
            ([0x81, 0xf8, 0xff], .unassignedSimpleValue(255, offset: 1)),
            ([0x81, 0xf8, 0x14], .notWellFormed(0xf8, offset: 1)),
            ([0x81, 0x18, 0x17], .notMinimal(offset: 1)),
            ([0xa2, 0x02, 0x00, 0x01, 0x00], .keysNotSorted(offset: 3)),
            ([0xa2, 0x01, 0x00, 0x01, 0x00], .duplicateKey(offset: 3)),
            ([0x82, 0x00, 0x62, 0xc3, 0x28], .invalidUTF8(offset: 3)),
            ([0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x00], .tooDeep(offset: 5)),
            ([0x81, 0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .unexpectedEnd(offset: 10)),
        ] as [([UInt8], CBORError)]
    )
    func faults(bytes: [UInt8], fault: CBORError) {
        #expect(throws: fault) { try CBOR.decode(bytes) }
        // Offsets count from the start of a slice.
        let framed = [0, 0, 0] + bytes
        #expect(throws: fault) { try CBOR.decode(framed[3...]) }
    }

    @Test("The looser form takes any order of keys and any width, and nothing else")
    func interoperable() throws {
        #expect(try CBOR.decode([0xa2, 0x02, 0x00, 0x01, 0x00], as: .interoperable) == [1: 0, 2: 0])
        #expect(try CBOR.decode([0x1b, 0, 0, 0, 0, 0, 0, 0, 1], as: .interoperable) == 1)
        #expect(try CBOR.decode([0x58, 0x01, 0x07], as: .interoperable) == .bytes([7]))
        #expect(try CBOR.decode([0xa2, 0x61, 0x61, 0x00, 0x01, 0x00], as: .interoperable) == ["a": 0, 1: 0])
        for bytes in [
            [0xa2, 0x01, 0x00, 0x01, 0x00], [0xa2, 0x01, 0x00, 0x18, 0x01, 0x00], [0xa3, 0x01, 0, 0x02, 0, 0x01, 0],
            [0xc0, 0x00], [0x5f, 0xff], [0x9f, 0xff], [0xbf, 0xff], [0xf0], [0x61, 0xff], [0x00, 0x00],
        ] as [[UInt8]] {
            #expect(throws: CBORError.self) { try CBOR.decode(bytes, as: .interoperable) }
        }
    }

    @Test("The first item comes with what follows it, at the indices of the whole")
    func first() throws {
        let bytes: [UInt8] = [0xee, 0xa1, 0x01, 0x02, 0xa0, 0xff]
        let (value, rest) = try CBOR.decodeFirst(bytes[1...])
        #expect(value == [1: 2])
        #expect(rest == [0xa0, 0xff])
        #expect(rest.startIndex == 4)
        #expect(Array(bytes[1..<rest.startIndex]) == CBOR.encode(value))
        let (second, end) = try CBOR.decodeFirst(rest)
        #expect(second == [:])
        #expect(throws: CBORError.notWellFormed(0xff, offset: 0)) { try CBOR.decodeFirst(end) }
        #expect(throws: CBORError.unexpectedEnd(offset: 0)) { try CBOR.decodeFirst([]) }
    }

    @Test("Nesting is refused beyond the limit, in arrays, maps and keys", arguments: [0, 1, 4, 5, 20])
    func depth(limit: Int) throws {
        for depth in 0...(limit + 2) {
            for head in [[0x81], [0xa1, 0x00]] as [[UInt8]] {
                let bytes = Array(repeatElement(head, count: depth).joined()) + [0x00]
                for form in [CBORForm.ctap2, .interoperable] {
                    let decoded = Result { () throws(CBORError) in
                        try CBOR.decode(bytes, as: form, maximumDepth: limit)
                    }
                    if depth <= limit {
                        #expect(throws: Never.self) { try decoded.get() }
                    } else {
                        #expect(decoded == .failure(.tooDeep(offset: limit * head.count)))
                    }
                }
            }
        }
    }

    @Test("Floating-point numbers keep their width and their bits")
    func floats() throws {
        for bytes in [
            [0xf9, 0x3c, 0x00], [0xf9, 0x7e, 0x01], [0xf9, 0x00, 0x01], [0xfa, 0x3f, 0x80, 0, 0],
            [0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], [0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1],
        ] as [[UInt8]] {
            let value = try CBOR.decode(bytes)
            #expect(CBOR.encode(value) == bytes)
            #expect(value == value)
        }
        let halves: [(UInt16, Double)] = [
            (0x0000, 0), (0x0001, 0x1p-24), (0x03ff, 1023 * 0x1p-24), (0x0400, 0x1p-14), (0x3555, 0.333251953125),
            (0x7bff, 65504), (0x7c00, .infinity), (0xfc00, -.infinity), (0xc400, -4),
        ]
        for (bits, number) in halves {
            let value = try CBOR.decode([0xf9, UInt8(bits >> 8), UInt8(bits & 0xff)])
            guard case .float(let float) = value else {
                Issue.record("\(value)")
                continue
            }
            #expect(float.value == number)
        }
    }
}
