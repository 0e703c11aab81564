import Encodings
import Testing

/// One line of `json-rfc8259.tsv`.
struct JSONCase: Sendable, CustomTestStringConvertible {
    let accepts: Bool
    let clause: String
    let document: [UInt8]
    let note: String

    var testDescription: String { "\(clause): \(note)" }

    static func load() throws -> [JSONCase] {
        let text = String(decoding: try Vectors.bundled("json-rfc8259.tsv"), as: UTF8.self)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(columns.count == 4, "\(line)")
            try #require(["accept", "reject"].contains(columns[0]), "\(line)")
            return JSONCase(
                accepts: columns[0] == "accept",
                clause: String(columns[1]),
                document: try unescaped(columns[2]),
                note: String(columns[3])
            )
        }
    }

    /// Turns `<NN>` into a byte.
    private static func unescaped(_ text: Substring) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "<") else {
                bytes.append(byte)
                continue
            }
            let digits = try #require(String(rest.prefix(2)))
            bytes += try Hex.decode(digits)
            try #require(rest.dropFirst(2).first == UInt8(ascii: ">"), "\(text)")
            rest = rest.dropFirst(3)
        }
        return bytes
    }
}

@Suite("RFC 8259: which documents are JSON")
struct JSONConformanceTests {
    let cases: [JSONCase]

    init() throws {
        cases = try JSONCase.load()
    }

    @Test("Each document of the corpus has its verdict")
    func corpus() {
        #expect(cases.count > 350)
        for test in cases {
            let parsed = Result { () throws(JSONError) in try JSON.parse(test.document) }
            switch (parsed, test.accepts) {
            case (.success, true): break
            case (.failure(let error), false):
                #expect((0...test.document.count).contains(error.offset), "\(test.testDescription): \(error)")
            case (.success(let value), false):
                Issue.record("\(test.testDescription) was taken as \(value)")
            case (.failure(let error), true):
                Issue.record("\(test.testDescription) was refused: \(error)")
            }
        }
    }

    @Test("White space around a document changes no verdict, and a slice does not need to start at zero")
    func surroundings() {
        for test in cases {
            var framed = Array("{ \n".utf8) + test.document
            framed += Array("\t\r }".utf8)
            let slice = framed[1..<(framed.count - 1)]
            let parsed = Result { () throws(JSONError) in try JSON.parse(slice) }
            // What is wrong only because it is over, or starts, where it does may be wrong in another way now.
            #expect(
                (try? parsed.get()) == (test.accepts ? try? JSON.parse(test.document) : nil),
                "\(test.testDescription)"
            )
        }
    }

    @Test("What was taken is written and read back as the same value, on one line and on many")
    func roundTrip() throws {
        for test in cases where test.accepts {
            let value = try JSON.parse(test.document)
            #expect(try JSON.parse(value.serialized()) == value, "\(test.testDescription)")
            // Pretty text nests no deeper, so that the limit does not matter here.
            #expect(try JSON.parse(value.serialized(pretty: true)) == value, "\(test.testDescription)")
        }
    }

    @Test("Every document cut at every length, and with every bit flipped, is answered")
    func damage() {
        var taken = 0
        for test in cases where test.document.count < 80 {
            for length in 0..<test.document.count {
                if (try? JSON.parse(test.document[..<length])) != nil { taken += 1 }
            }
            for place in test.document.indices {
                for bit in 0..<8 {
                    var damaged = test.document
                    damaged[place] ^= 1 << bit
                    guard let value = try? JSON.parse(damaged) else { continue }
                    taken += 1
                    #expect((try? JSON.parse(value.serialized())) == value)
                }
            }
        }
        #expect(taken > 0)
    }

    @Test("An object or array is never whole before its last byte")
    func truncation() throws {
        for test in cases where test.accepts {
            guard let first = test.document.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
                continue
            }
            let end = try #require(test.document.lastIndex { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") })
            for length in 0..<end {
                #expect(throws: JSONError.self) { try JSON.parse(test.document[..<length]) }
            }
        }
    }
}
