import CBOR
import Testing

@Suite("RFC 8949 §5.3: inspecting any bytes")
struct InspectionTests {
    private func inspection(_ bytes: [UInt8]) -> [Bool?] {
        let inspection = CBOR.inspect(bytes)
        return [inspection.wellFormed, inspection.valid, inspection.ctap2Canonical]
    }

    @Test(
        "Keys are the same key in whatever encoding",
        arguments: [
            [0xa2, 0x01, 0, 0x18, 0x01, 0],  // 1 in two widths
            [0xa2, 0x61, 0x61, 0, 0x7f, 0x61, 0x61, 0xff, 0],  // "a" in one piece and in chunks
            [0xa2, 0x81, 0x01, 0, 0x9f, 0x01, 0xff, 0],  // [1], of definite and indefinite length
            [0xa2, 0xf9, 0x3c, 0x00, 0, 0xfa, 0x3f, 0x80, 0, 0, 0],  // 1.0 in two widths
            [0xa2, 0xa2, 1, 0, 2, 0, 0, 0xa2, 2, 0, 1, 0, 0],  // a map in two orders
            [0xbf, 0x01, 0, 0x02, 0, 0x01, 0, 0xff],  // indefinite length
            [0xa2, 0xc1, 0x01, 0, 0xd8, 0x01, 0x01, 0],  // a tag in two widths
        ] as [[UInt8]]
    )
    func sameKeys(bytes: [UInt8]) {
        #expect(inspection(bytes) == [true, false, false])
    }

    @Test(
        "Different values are different keys",
        arguments: [
            [0xa2, 0x01, 0, 0x20, 0],  // 1, -1
            [0xa2, 0x01, 0, 0xf9, 0x3c, 0x00, 0],  // 1, 1.0
            [0xa2, 0x41, 0x61, 0, 0x61, 0x61, 0],  // h'61', "a"
            [0xa2, 0x80, 0, 0xa0, 0],  // [], {}
            [0xa2, 0x01, 0, 0xc1, 0x01, 0],  // 1, 1(1)
            [0xa2, 0xf4, 0, 0xf5, 0],  // false, true
            [0xa2, 0x82, 1, 2, 0, 0x82, 2, 1, 0],  // [1, 2], [2, 1]
            [0xa2, 0xa1, 1, 2, 0, 0xa1, 2, 1, 0],  // {1: 2}, {2: 1}
        ] as [[UInt8]]
    )
    func differentKeys(bytes: [UInt8]) {
        #expect(inspection(bytes).prefix(2) == [true, true])
    }

    @Test(
        "Breaks belong to items of indefinite length, between their items",
        arguments: [
            [0xff], [0x81, 0xff], [0xa1, 0xff], [0xa1, 0x00, 0xff], [0xbf, 0x00, 0xff], [0xc0, 0xff],
            [0x9f, 0x81, 0xff],
            [0x5f, 0x5f, 0xff, 0xff], [0x5f, 0x7f, 0xff, 0xff], [0x7f, 0xf6, 0xff], [0x9f, 0xff, 0xff], [0x9f],
            [0x5f, 0x41],
            [0x5f, 0x42, 0x00, 0xff], [0x3f], [0x1f], [0xdf, 0x00],
        ] as [[UInt8]]
    )
    func breaks(bytes: [UInt8]) {
        #expect(inspection(bytes) == [false, false, false])
    }

    @Test("A date is text, and a bignum is bytes")
    func tags() {
        for bytes in [
            [0xc0, 0x60], [0xc2, 0x41, 0x01], [0xc3, 0x5f, 0xff], [0xc1, 0x00], [0xc4, 0x82, 0x00, 0x00],
        ] as [[UInt8]] {
            #expect(inspection(bytes) == [true, true, false])
        }
        for bytes in [[0xc0, 0x00], [0xc0, 0x40], [0xc2, 0x00], [0xc2, 0x60], [0xc3, 0x80], [0xc2, 0xc2, 0x40]]
            as [[UInt8]]
        {
            #expect(inspection(bytes) == [true, false, false])
        }
        #expect(inspection([0xc0, 0xff]) == [false, false, false])
    }

    @Test("Depth, floats and nothing else decide about canonical form where the bytes are well made")
    func canonical() {
        #expect(inspection([0x81, 0x81, 0x81, 0x81, 0x00]) == [true, true, true])
        #expect(inspection([0x81, 0x81, 0x81, 0x81, 0x80]) == [true, true, false])
        #expect(inspection([0x82, 0x81, 0x81, 0x80, 0x81, 0x81, 0x80]) == [true, true, true])
        #expect(inspection([0x82, 0x00, 0xf9, 0x3c, 0x00]) == [true, true, nil])
        #expect(inspection([0x82, 0x18, 0x00, 0xf9, 0x3c, 0x00]) == [true, true, false])
        #expect(inspection([0x61, 0xff]) == [true, false, false])
        #expect(inspection([0xf7]) == [true, true, true])
        #expect(inspection([]) == [false, false, false])
    }

    @Test("The strict decoder and the inspection agree about short inputs, all of them")
    func exhaustive() {
        // Plain comparisons, because a million expectations take longer than what they expect.
        var accepted = 0
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for bytes in [[first], [first, second], [first, second, 0x00], [first, second, 0x01, 0x61, 0x61]] {
                    let inspection = CBOR.inspect(bytes)
                    let decoded = try? CBOR.decode(bytes)
                    let loose = try? CBOR.decode(bytes, as: .interoperable)
                    if (decoded != nil) != (inspection.ctap2Canonical != false) || (decoded != nil && loose != decoded)
                        || (loose != nil && !inspection.valid)
                    {
                        Issue.record(
                            "\(bytes): \(inspection), \(String(describing: decoded)), \(String(describing: loose))"
                        )
                    }
                    if decoded != nil { accepted += 1 }
                }
            }
        }
        #expect(accepted > 1000)
    }
}
