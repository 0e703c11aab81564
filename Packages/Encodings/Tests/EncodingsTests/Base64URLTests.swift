import Encodings
import Testing

@Suite("RFC 4648 §5 and RFC 7515 §2: base64url")
struct Base64URLTests {
    @Test("The shared vectors have their verdicts", .enabled(if: Vectors.sharedRoot != nil, "no shared vectors here"))
    func sharedVectors() throws {
        let cases = try #require(try Vectors.shared("base64url.json"))
        #expect(!cases.isEmpty)
        for test in cases {
            let id = try #require(test["id"]?.string)
            #expect(test["operation"] == "base64url-decode", "\(id) is about something else")
            let text = try #require(test["input"]?.object?["text"]?.string)
            let expected = try #require(test["expected"]?.object)
            let decoded = Result { () throws(EncodingError) in try Base64URL.decode(text) }
            let decodedBytes = Result { () throws(EncodingError) in try Base64URL.decode(Array(text.utf8)[...]) }
            #expect(decoded == decodedBytes, "\(id)")
            switch expected["verdict"] {
            case "accept":
                let bytes = try Hex.decode(try #require(expected["hex"]?.string))
                #expect(decoded == .success(bytes), "\(id)")
                #expect(Base64URL.encode(bytes) == text, "\(id)")
            case "reject", "either":
                // This decoder takes the strict side wherever there are two.
                #expect(throws: EncodingError.self, "\(id)") { try decoded.get() }
            default:
                Issue.record("\(id) has an unknown verdict")
            }
        }
    }

    @Test("Padding is refused, or taken when it is right", arguments: [("", 0), ("Zg", 2), ("Zm8", 1), ("Zm9v", 0)])
    func padding(text: String, wanted: Int) throws {
        let bytes = try Base64URL.decode(text)
        for count in 0...5 {
            let padded = text + String(repeating: "=", count: count)
            if count > 0 {
                #expect(throws: EncodingError.invalidPadding(offset: text.utf8.count)) {
                    try Base64URL.decode(padded)
                }
            }
            if count == 0 || count == wanted {
                #expect(try Base64URL.decode(padded, padding: .optional) == bytes)
            } else {
                #expect(throws: EncodingError.invalidPadding(offset: text.utf8.count)) {
                    try Base64URL.decode(padded, padding: .optional)
                }
            }
        }
    }

    @Test(
        "Padding does not make up for an impossible length",
        arguments: ["A", "A=", "A==", "A===", "AAAAA", "AAAAA==="]
    )
    func impossibleLength(text: String) {
        #expect(throws: EncodingError.self) { try Base64URL.decode(text) }
        #expect(throws: EncodingError.self) { try Base64URL.decode(text, padding: .optional) }
    }

    @Test("Every byte outside the alphabet is refused at its place")
    func alphabet() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "=") {
            for place in 0..<7 {
                var text = Array("AAAAAAA".utf8)
                text[place] = byte
                let decoded = Result { () throws(EncodingError) in try Base64URL.decode(text[...]) }
                if alphabet.contains(byte) {
                    // The last character of three has two bits that belong to no byte.
                    if place < 6 { #expect(throws: Never.self) { try decoded.get() } }
                } else {
                    #expect(decoded == .failure(.invalidCharacter(byte, offset: place)))
                }
            }
        }
    }

    @Test("Of the texts that a lenient decoder reads as one byte, one is taken")
    func unusedBits() throws {
        #expect(try Base64URL.decode("Zg") == [0x66])
        for text in ["Zh", "Zi", "Zj", "Zv"] {
            #expect(throws: EncodingError.unusedBitsSet(offset: 1)) { try Base64URL.decode(text) }
        }
        #expect(throws: EncodingError.unusedBitsSet(offset: 2)) { try Base64URL.decode("Zm9") }
    }

    @Test("What is written reads back, and slices do not need to start at zero")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for count in 0..<300 {
            let bytes = (0..<count + 7).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let slice = bytes[7...]
            let text = Base64URL.encode(slice)
            #expect(try Base64URL.decode(text) == Array(slice))
            let framed = Array("xx\(text)y".utf8)
            #expect(try Base64URL.decode(framed[2..<(framed.count - 1)]) == Array(slice))
            var output: [UInt8] = [1]
            Base64URL.append(slice, to: &output)
            #expect(output == [1] + Array(text.utf8))
        }
    }
}

@Suite("RFC 4648 §4: base64")
struct Base64Tests {
    @Test(
        "The examples of §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func examples(plain: String, encoded: String) throws {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(try Base64.decode(encoded) == Array(plain.utf8))
        #expect(try Base64.decode(Array(encoded.utf8)[...]) == Array(plain.utf8))
    }

    @Test(
        "Missing padding, wrong padding, white space and the other alphabet are refused",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "Zm9v=", "Zm9v====", "=", "==", "Zg==Zg==", "Z=g=", "Zm9v\n", " Zm9v",
            "Zm\n9v", "-_-_", "Zh==", "Zm9=", "A", "A===", "Zm9v\0",
        ]
    )
    func refused(text: String) {
        #expect(throws: EncodingError.self) { try Base64.decode(text) }
    }

    @Test("The two characters that base64url does not have")
    func alphabet() throws {
        #expect(Base64.encode([0xfb, 0xef, 0xff]) == "++//")
        #expect(try Base64.decode("++//") == [0xfb, 0xef, 0xff])
    }
}

@Suite("RFC 4648 §8: hexadecimal")
struct HexTests {
    @Test("Both cases are read, and lower case is written")
    func cases() throws {
        #expect(try Hex.decode("00ffAbcD") == [0x00, 0xff, 0xab, 0xcd])
        #expect(Hex.encode([0x00, 0xff, 0xab, 0xcd]) == "00ffabcd")
        #expect(try Hex.decode("") == [])
    }

    @Test("An odd number of digits and foreign characters are refused")
    func refused() {
        #expect(throws: EncodingError.invalidLength(3)) { try Hex.decode("abc") }
        #expect(throws: EncodingError.invalidCharacter(UInt8(ascii: "g"), offset: 1)) { try Hex.decode("ag") }
        #expect(throws: EncodingError.invalidCharacter(UInt8(ascii: " "), offset: 0)) { try Hex.decode(" a") }
        for byte in UInt8.min...UInt8.max where !(Set("0123456789abcdefABCDEF".utf8).contains(byte)) {
            #expect(throws: EncodingError.invalidCharacter(byte, offset: 2)) {
                try Hex.decode([0x30, 0x30, byte, 0x30])
            }
        }
    }

    @Test("Every byte reads back")
    func roundTrip() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(try Hex.decode(Hex.encode(bytes)) == bytes)
    }
}
