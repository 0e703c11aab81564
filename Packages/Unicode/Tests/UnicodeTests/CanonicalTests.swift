import Testing

import Unicode

/// Bytes, because Swift compares strings by canonical equivalence, which is what is being tested.
private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite("Canonical text: trim, NFKC, full case folding")
struct CanonicalTests {
    @Test(
        "Spellings of one name have one canonical form",
        arguments: [
            ("Owner@Example.com", "owner@example.com"),
            ("  owner@example.com\n", "owner@example.com"),
            ("\u{a0}\u{3000}owner\u{2003}", "owner"),
            ("M\u{fc}ller", "m\u{fc}ller"),
            ("Mu\u{308}ller", "m\u{fc}ller"),
            ("\u{212a}elvin", "kelvin"),
            ("\u{ff21}\u{ff22}\u{ff43}\u{ff11}", "abc1"),
            ("Stra\u{df}e", "strasse"),
            ("STRA\u{1e9e}E", "strasse"),
            ("\u{fb01}le", "file"),
            ("\u{1d400}\u{1d7d9}", "a1"),
            ("\u{3a3}\u{3a2f}\u{3c2}", "\u{3c3}\u{3a2f}\u{3c3}"),
            ("\u{130}stanbul", "i\u{307}stanbul"),
            ("\u{13a0}", "\u{13a0}"),
            ("\u{ab70}", "\u{13a0}"),
            ("a b", "a b"),
            ("\u{3b1}\u{345}\u{301}", "\u{3ac}\u{3b9}"),
            ("\u{3b1}\u{301}\u{345}", "\u{3ac}\u{3b9}"),
            ("", ""),
            ("   ", ""),
        ]
    )
    func oneForm(entered: String, expected: String) throws {
        #expect(try bytes(UnicodeText.canonical(entered)) == bytes(expected))
    }

    /// Every code point of the scripts that fold or decompose, and a sample of ideographs, syllables, private and
    /// unassigned ones.
    private static let codePoints: [UInt32] =
        Array(0...0x33FF) + stride(from: 0x3400, to: 0xF900, by: 13) + Array(0xF900...0x11FFF)
        + stride(from: 0x12000, to: 0x1D000, by: 13) + Array(0x1D000...0x1FFFF)
        + stride(from: 0x20000, to: 0xE0000, by: 0x101) + Array(0xE0000...0xE0FFF)
        + stride(from: 0xE1000, through: 0x10FFFF, by: 0x101)

    @Test("A scalar alone, and between two letters, reaches a fixed point or is refused")
    func fixedPoint() throws {
        var refused = 0
        for value in Self.codePoints {
            guard let scalar = UnicodeScalar(value) else { continue }
            for text in [String(scalar), "x\(scalar)\u{345}\u{301}y"] {
                guard let once = try? UnicodeText.canonical(text) else {
                    refused += 1
                    continue
                }
                let twice = try UnicodeText.canonical(once)
                if bytes(once) != bytes(twice) { Issue.record("U+\(String(value, radix: 16)): \(once) then \(twice)") }
            }
        }
        #expect(refused > 5000, "private and unassigned code points are refused")
    }

    @Test("Texts made at random reach a fixed point, and every composition of them has the same canonical form")
    func randomTexts() throws {
        let pieces: [Unicode.Scalar] = [
            "a", "Z", "\u{df}", "\u{130}", "\u{131}", "\u{345}", "\u{301}", "\u{316}", "\u{308}", "\u{390}", "\u{1fd3}",
            "\u{3c2}",
            "\u{1e9e}", "\u{fb05}", "\u{149}", "\u{1f88}", "\u{fdfa}", "\u{ac00}", "\u{1100}", "\u{1161}", "\u{11a8}",
            "\u{212b}",
            "\u{2126}", "\u{ff21}", "\u{1d400}", "\u{3000}", "\u{a0}", "\u{b4}", "\u{2160}", "\u{13a0}", "\u{ab70}",
            "\u{10c80}",
            " ", "1", "@", "\u{5d0}", "\u{627}", "\u{1f511}",
        ]
        for _ in 0..<5000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...6) { text.append(pieces.randomElement() ?? "a") }
            let entered = String(text)
            let once = try UnicodeText.canonical(entered)
            #expect(
                try bytes(UnicodeText.canonical(once)) == bytes(once),
                "\(text.map { String($0.value, radix: 16) })"
            )
            #expect(try bytes(UnicodeText.canonical(UnicodeText.nfc(entered))) == bytes(once))
        }
    }

    @Test(
        "A character that cannot be seen or turns the text around is refused, with its kind and place",
        arguments: [
            ("a\u{0}b", RefusedCharacter.control, 1), ("a\u{7f}", .control, 1), ("a\tb", .control, 1),
            ("a\u{85}b", .control, 1), ("a\u{2028}b", .control, 1),
            ("a\u{202e}b", .bidirectional, 1), ("\u{2066}ab", .bidirectional, 0), ("ab\u{200f}", .bidirectional, 2),
            ("ab\u{61c}c", .bidirectional, 2),
            ("a\u{200b}b", .invisible, 1), ("\u{feff}ab", .invisible, 0), ("a\u{200d}b", .invisible, 1),
            ("a\u{ad}b", .invisible, 1), ("a\u{fe0f}", .invisible, 1), ("a\u{3164}", .invisible, 1),
            ("a\u{ffa0}", .invisible, 1), ("a\u{e0041}", .invisible, 1), ("a\u{2800}", .invisible, 1),
            ("a\u{34f}b", .invisible, 1), ("  a\u{2060}", .invisible, 3),
            ("a\u{e000}", .privateUse, 1), ("a\u{378}", .unassigned, 1), ("a\u{10ffff}", .unassigned, 1),
        ]
    )
    func refused(text: String, kind: RefusedCharacter, position: Int) {
        do throws(UnicodeError) {
            let result = try UnicodeText.canonical(text)
            Issue.record("accepted as \(result)")
        } catch {
            guard case .refused(let gotKind, _, let gotPosition) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(gotKind == kind)
            #expect(gotPosition == position)
        }
    }

    @Test("The error names the kind, the code point and the place, and not the text")
    func errorText() {
        let error = UnicodeError.refused(.invisible, scalar: "\u{200b}", position: 4)
        #expect(error.description == "an invisible character, U+200B, stands at position 5")
    }

    @Test("A text of combining marks cannot take long")
    func bounded() {
        let text = "a" + String(repeating: "\u{301}\u{316}", count: 4000)
        #expect(throws: UnicodeError.tooLong(bytes: 16001, limit: 4096)) { try UnicodeText.canonical(text) }
        #expect(throws: UnicodeError.tooLong(bytes: 16001, limit: 4096)) { try UnicodeText.nfc(text) }
    }
}

@Suite("NFC, for passwords")
struct NFCTests {
    @Test("Composes, and neither trims nor folds")
    func composes() throws {
        #expect(
            try bytes(UnicodeText.nfc(" U\u{308}b\u{65}\u{301} \u{fb01}\u{0}")) == bytes(" \u{dc}b\u{e9} \u{fb01}\u{0}")
        )
        #expect(try bytes(UnicodeText.nfc("plain ")) == bytes("plain "))
    }
}

@Suite("Truncation to a number of UTF-8 bytes")
struct TruncationTests {
    @Test("At every limit the result fits, is a prefix and does not split a character")
    func everyLimit() {
        let text = "a\u{e9}e\u{301}\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f1e9}\u{1f1ea}z"
        for limit in 0...text.utf8.count {
            let cut = UnicodeText.truncated(text, toUTF8Bytes: limit)
            #expect(cut.utf8.count <= limit)
            #expect(Array(text.utf8).starts(with: cut.utf8))
            #expect(Array(text).starts(with: Array(cut)))
        }
        #expect(bytes(UnicodeText.truncated(text, toUTF8Bytes: 5)) == bytes("a\u{e9}"))
        #expect(UnicodeText.truncated(text, toUTF8Bytes: 1000) == text)
    }

    @Test("When the first character does not fit, whole scalars are kept")
    func longFirstCharacter() {
        let text = "e" + String(repeating: "\u{301}", count: 50)
        #expect(bytes(UnicodeText.truncated(text, toUTF8Bytes: 6)) == bytes("e\u{301}\u{301}"))
        #expect(UnicodeText.truncated(text, toUTF8Bytes: 0) == "")
        #expect(UnicodeText.truncated(text, toUTF8Bytes: -1) == "")
    }
}
