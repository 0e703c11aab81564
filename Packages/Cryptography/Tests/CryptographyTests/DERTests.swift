import Cryptography
import Testing

@Suite("X.690: the distinguished encoding rules")
struct DERTests {
    @Test("Elements are read in a row, and their slices keep their indices")
    func row() throws {
        var reader = DERReader([0x30, 3, 2, 1, 5, 4, 0].shifted)
        let sequence = try reader.next()
        #expect(sequence.tag == .sequence)
        #expect(sequence.encoded.startIndex == 3)
        #expect(sequence.content.startIndex == 5)
        var inner = sequence.elements
        #expect(try inner.next(.integer).integer() == 5)
        try inner.finish()
        #expect(try reader.nextIfPresent(.integer) == nil)
        #expect(try reader.nextIfPresent(.octetString)?.content.isEmpty == true)
        #expect(reader.isAtEnd)
        #expect(try reader.nextIfPresent(.octetString) == nil)
        try reader.finish()
    }

    @Test(
        "Lengths and tags that are not in their shortest form, indefinite or past the end are refused",
        arguments: [
            [], [0x02], [0x02, 1], [0x02, 0x80], [0x02, 0x81, 1, 5], [0x02, 0x82, 0, 1, 5], [0x02, 0xff],
            [0x02, 0x84, 0xff, 0xff, 0xff, 0xff], [0x02, 0x85, 1, 0, 0, 0, 0], [0x1f], [0x1f, 0x80, 1, 0],
            [0x1f, 30, 0],
            [0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0], [0x30, 0x80, 0, 0],
        ] as [[UInt8]]
    )
    func refusedHeads(_ bytes: [UInt8]) {
        #expect(throws: CryptographyError.self) { try DERReader.single(bytes[...]) }
    }

    @Test(
        "A tag number from 31 up takes more bytes, both ways",
        arguments: [31, 127, 128, 704, 16_383, UInt32.max >> 4]
    )
    func highTags(_ number: UInt32) throws {
        var writer = DERWriter()
        writer.append(.context(number)) { $0.null() }
        let element = try DERReader.single(writer.bytes[...])
        #expect(element.tag == .context(number))
        #expect(element.content == [5, 0])
    }

    @Test("Lengths come back", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536])
    func lengths(_ count: Int) throws {
        var writer = DERWriter()
        writer.octetString(Array(repeating: 7, count: count))
        #expect(try DERReader.single(writer.bytes[...]).content.count == count)
    }

    @Test(
        "Integers come back in their shortest form",
        arguments: [0, 1, -1, 127, 128, -128, -129, 255, 256, 65_537, Int64.max, Int64.min]
    )
    func integers(_ value: Int64) throws {
        var writer = DERWriter()
        writer.integer(value)
        #expect(try DERReader.single(writer.bytes[...]).integer() == value)
    }

    @Test("Integers with superfluous or no bytes are refused")
    func badIntegers() throws {
        for bytes: [UInt8] in [
            [2, 0], [2, 2, 0, 0x7f], [2, 2, 0xff, 0x80], [2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0], [4, 1, 1],
        ] {
            let element = try DERReader.single(bytes[...])
            #expect(throws: CryptographyError.self) { try element.integer() }
        }
        let negative = try DERReader.single([2, 1, 0x80])
        #expect(throws: CryptographyError.self) { try negative.unsignedInteger() }
    }

    @Test("A magnitude loses its leading zeros and gains one where its top bit is set")
    func magnitudes() throws {
        for (magnitude, encoded): ([UInt8], [UInt8]) in [
            ([], [2, 1, 0]), ([0, 0], [2, 1, 0]), ([0, 1], [2, 1, 1]), ([0x80], [2, 2, 0, 0x80]),
        ] {
            var writer = DERWriter()
            writer.unsignedInteger(magnitude[...])
            #expect(writer.bytes == encoded)
        }
        #expect(try DERReader.single([2, 2, 0, 0x80]).unsignedInteger() == [0x80])
        #expect(try DERReader.single([2, 1, 0]).unsignedInteger() == [0])
    }

    @Test(
        "Object identifiers come back",
        arguments: [
            "0.0", "1.39", "2.5.4.3", "2.999.1", "2.9223372036854775727.10.100", "1.2.840.113549.1.1.1",
            "1.3.6.1.4.1.45724.1.1.4", "2.23.133.8.3",
        ]
    )
    func objectIdentifiers(_ text: String) throws {
        var writer = DERWriter()
        try writer.objectIdentifier(text)
        #expect(try DERReader.single(writer.bytes[...]).objectIdentifier() == text)
    }

    @Test("What is no object identifier is refused, both ways")
    func badObjectIdentifiers() throws {
        for text in ["", "1", "1.", ".1", "3.1", "1.40", "1.2.x", "1.-2", "2.99999999999999999999"] {
            #expect(throws: CryptographyError.self, "\(text)") { try DERWriter.objectIdentifierContent(text) }
        }
        for bytes: [UInt8] in [
            [6, 0], [6, 1, 0x80], [6, 2, 0x2a, 0x80], [6, 3, 0x2a, 0x80, 1], [5, 0],
            [6, 11, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ] {
            let element = try DERReader.single(bytes[...])
            #expect(throws: CryptographyError.self, "\(bytes)") { try element.objectIdentifier() }
        }
    }

    @Test("A boolean is 00 or ff")
    func booleans() throws {
        #expect(try DERReader.single([1, 1, 0xff]).boolean())
        #expect(try !DERReader.single([1, 1, 0]).boolean())
        for bytes: [UInt8] in [[1, 1, 1], [1, 0], [1, 2, 0, 0]] {
            let element = try DERReader.single(bytes[...])
            #expect(throws: CryptographyError.self) { try element.boolean() }
        }
    }

    @Test(
        "Named bits come back, without trailing zeros",
        arguments: [[], [0], [5], [0, 5, 6], [7], [8], [63]] as [Set<Int>]
    )
    func namedBits(_ bits: Set<Int>) throws {
        var writer = DERWriter()
        writer.namedBits(bits)
        #expect(try DERReader.single(writer.bytes[...]).namedBits() == bits)
    }

    @Test("Unused bits that are set, and too many bits, are refused")
    func badNamedBits() throws {
        for bytes: [UInt8] in [
            [3, 0], [3, 1, 1], [3, 2, 1, 1], [3, 2, 8, 0], [3, 10, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1], [4, 1, 0],
        ] {
            let element = try DERReader.single(bytes[...])
            #expect(throws: CryptographyError.self) { try element.namedBits() }
        }
    }

    @Test("Each string type is read as its own alphabet")
    func strings() throws {
        for (bytes, text): ([UInt8], String) in [
            ([12, 2, 0xc3, 0xa9], "é"), ([19, 2, 0x41, 0x42], "AB"), ([20, 1, 0xe9], "é"), ([30, 2, 0, 0xe9], "é"),
            ([28, 4, 0, 1, 0xf6, 0], "😀"), ([22, 1, 0x40], "@"),
        ] {
            #expect(try DERReader.single(bytes[...]).string() == text)
        }
        for bytes: [UInt8] in [
            [12, 1, 0xff], [19, 1, 0xe9], [22, 1, 0x80], [30, 1, 0], [30, 2, 0xd8, 0], [28, 4, 0, 0x11, 0, 0],
            [4, 1, 0],
        ] {
            let element = try DERReader.single(bytes[...])
            #expect(throws: CryptographyError.self, "\(bytes)") { try element.string() }
        }
    }
}
