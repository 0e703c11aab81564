import Encodings
import Testing

@Suite("JSON writing")
struct JSONWritingTests {
    @Test("A document written forward, with its commas")
    func forward() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("a")
        writer.integer(1)
        writer.name("b")
        writer.beginArray()
        writer.string("x\"y")
        writer.null()
        writer.bool(true)
        writer.bool(false)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.base64URL([0xfb, 0xff])
        writer.number(0.5)
        writer.raw(Array(#"{"r":1}"#.utf8))
        writer.value(["k": [nil, -3]])
        writer.endArray()
        writer.name("c\n")
        writer.integer(Int64.min)
        writer.endObject()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"a":1,"b":["x\"y",null,true,false,{},[],"-_8",0.5,{"r":1},{"k":[null,-3]}],"c\n":-9223372036854775808}"#
        )
        #expect(throws: Never.self) { try JSON.parse(writer.bytes) }
    }

    @Test("Every scalar below U+0800 and some above, alone and among others, reads back")
    func escapes() throws {
        for code in (UInt32(1)..<0x800) + [0x2028, 0xd7ff, 0xe000, 0xfffe, 0xffff, 0x10000, 0x10ffff] {
            let scalar = try #require(Unicode.Scalar(code))
            for text in [String(scalar), "a\(scalar)b", "\\\(scalar)\""] {
                #expect(try JSON.parse(JSONValue.string(text).serialized()) == .string(text))
            }
        }
        #expect(JSONValue.string("\0\u{1f}").serialized() == Array(#""\u0000\u001f""#.utf8))
        #expect(JSONValue.string("\u{8}\t\n\u{c}\r/").serialized() == Array(#""\b\t\n\f\r/""#.utf8))
    }

    @Test("Integers of every length")
    func integers() {
        var value: Int64 = 1
        for _ in 0..<19 {
            for number in [value, -value, value - 1, value &+ 1, value &* 9] {
                #expect(String(decoding: JSONValue.integer(number).serialized(), as: UTF8.self) == String(number))
            }
            value = value &* 10
        }
    }

    @Test("Doubles read back bit by bit, and what JSON does not have becomes null")
    func doubles() throws {
        var generator = SeededGenerator(seed: 2)
        var values: [Double] = [
            0, 1, -1, 0.1, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 123_456_789.125,
        ]
        for _ in 0..<5000 { values.append(Double(bitPattern: generator.next())) }
        for value in values where value.isFinite {
            #expect(try JSON.parse(JSONValue.number(value).serialized()).number?.bitPattern == value.bitPattern)
        }
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(JSONValue.number(value).serialized() == Array("null".utf8))
        }
    }

    @Test("Pretty text")
    func pretty() {
        let value: JSONValue = ["a": [1, ["b": []], []], "c": [:], "d\"": nil]
        let text = """
            {
              "a": [
                1,
                {
                  "b": []
                },
                []
              ],
              "c": {},
              "d\\"": null
            }

            """
        #expect(String(decoding: value.serialized(pretty: true), as: UTF8.self) == text)
    }
}

@Suite("JSON fuzzing, with a seed")
struct JSONFuzzTests {
    @Test("Random values survive writing and reading", arguments: 0..<8)
    func values(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let value = Self.randomValue(depth: 0, using: &generator)
            #expect(try JSON.parse(value.serialized()) == value)
            #expect(try JSON.parse(value.serialized(pretty: true)) == value)
        }
    }

    @Test("Random damage is answered, and what is still taken survives writing and reading", arguments: 0..<8)
    func damage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: 100 + seed)
        let spice = Array(#"{}[]",:\u0dDe+-.019 tfn"#.utf8) + [0, 0x0a, 0x80, 0xc0, 0xed, 0xf0, 0xff]
        for _ in 0..<2000 {
            var bytes = Self.randomValue(depth: 0, using: &generator).serialized()
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let byte = spice.randomElement(using: &generator) ?? 0
                let place = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.insert(byte, at: place)
                case 1: if place < bytes.count { bytes[place] = byte }
                default: if place < bytes.count { bytes.remove(at: place) }
                }
            }
            guard let value = try? JSON.parse(bytes) else { continue }
            #expect(try JSON.parse(value.serialized()) == value)
        }
    }

    private static func randomValue(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .integer(Int64(bitPattern: generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
        case 3: .number(Double.random(in: -1e9...1e9, using: &generator))
        case 4, 5: .string(randomString(using: &generator))
        case 6:
            .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                    randomValue(depth: depth + 1, using: &generator)
                }
            )
        default:
            .object(randomObject(depth: depth, using: &generator))
        }
    }

    private static func randomObject(depth: Int, using generator: inout SeededGenerator) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<Int.random(in: 0..<24, using: &generator) {
            object.set(
                randomString(using: &generator),
                depth < 4 ? randomValue(depth: depth + 1, using: &generator) : 1
            )
        }
        return object
    }

    private static func randomString(using generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let limit: UInt32 = Bool.random(using: &generator) ? 0x80 : 0x11_0000
            if let scalar = Unicode.Scalar(UInt32.random(in: 1..<limit, using: &generator)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
