import Encodings
import Identity
import Testing

@testable import Mail

@Suite("RFC 5322 and MIME: a message is ASCII in short lines, and no value leaves its place")
struct MessageTests {
    private static func message(
        subject: String = "Hello",
        name: String = "Acme",
        text: String = "One.\n",
        html: String? = nil
    ) throws -> [String] {
        let message = MailMessage(
            from: try CorrespondentAddress("no-reply@acme.example", name: name),
            to: try CorrespondentAddress("ana@example.com"),
            subject: subject,
            date: UnixTime(seconds: 1_796_065_500),
            messageID: "abc@acme.example",
            language: "sv",
            text: text,
            html: html
        )
        let text = String(decoding: message.bytes, as: UTF8.self)
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(text.hasSuffix("\r\n"))
        // Every line feed has its carriage return: the two are one character to Swift.
        #expect(!text.contains("\n") && !text.contains("\r"))
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        lines.removeLast()
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        return lines
    }

    @Test("A text alone is one part")
    func plain() throws {
        #expect(
            try Self.message() == [
                "Date: Mon, 30 Nov 2026 19:05:00 +0000", "From: Acme <no-reply@acme.example>",
                "To: <ana@example.com>", "Subject: Hello", "Message-ID: <abc@acme.example>",
                "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Language: sv",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "", "One.",
            ]
        )
    }

    @Test("With HTML it has two parts, the text first")
    func alternative() throws {
        let lines = try Self.message(html: "<p>Ett = 1</p>")
        let start = try #require(lines.firstIndex(of: ""))
        #expect(lines[start - 1] == "Content-Type: multipart/alternative; boundary=\"=_latchkey\"")
        #expect(
            Array(lines[(start + 1)...]) == [
                "--=_latchkey", "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable", "", "One.", "", "--=_latchkey",
                "Content-Type: text/html; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
                "<p>Ett =3D 1</p>", "", "--=_latchkey--",
            ]
        )
    }

    @Test(
        "A day of the week is the right one",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 +0000"),
        ] as [(Int64, String)]
    )
    func dates(second: Int64, text: String) {
        #expect(UnixTime(seconds: second).rfc5322 == text)
    }

    @Test(
        "RFC 2047: other letters go in encoded words, each of whole characters",
        arguments: [
            "Återställ ditt lösenord", "パスワードの再設定のお知らせです。このリンクは一度だけ使えます。次のリンクを開いてください。",
            String(repeating: "a", count: 300), "=?utf-8?q?no?=", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 family", String(repeating: "å", count: 1000),
        ]
    )
    func encodedWords(text: String) throws {
        for lines in [try Self.message(subject: text), try Self.message(name: text)] {
            let header = lines.prefix { $0 != "" }.filter { $0.contains("=?UTF-8?B?") }
            var decoded: [UInt8] = []
            for line in header {
                let word = try #require(line.split(separator: " ").first { $0.hasPrefix("=?UTF-8?B?") })
                #expect(word.utf8.count <= 75)
                let bytes = try Base64.decode(String(word.dropFirst(10).dropLast(2)))
                #expect(String(validating: bytes, as: UTF8.self) != nil)
                decoded += bytes
            }
            #expect(String(decoding: decoded, as: UTF8.self) == text)
        }
    }

    @Test(
        "No subject and no name begins a header of its own",
        arguments: ["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{0}"]
    )
    func injection(separator: String) throws {
        let evil = "Hello\(separator)Bcc: eve@evil.example\(separator)\(separator)body"
        for lines in [try Self.message(subject: evil), try Self.message(name: evil)] {
            #expect(!lines.contains { $0.hasPrefix("Bcc") })
            #expect(lines.filter { $0.isEmpty }.count == 1)
        }
    }

    @Test(
        "A name is atoms, a quoted string or encoded words",
        arguments: [
            ("Acme", "From: Acme <no-reply@acme.example>"),
            ("Acme, Inc.", "From: \"Acme, Inc.\" <no-reply@acme.example>"),
            ("A \"b\" \\", "From: \"A \\\"b\\\" \\\\\" <no-reply@acme.example>"), ("", "From: <no-reply@acme.example>"),
            ("Å", "From: =?UTF-8?B?w4U=?= <no-reply@acme.example>"),
            ("a  b", "From: \"a  b\" <no-reply@acme.example>"),
        ]
    )
    func names(name: String, header: String) throws {
        #expect(try Self.message(name: name)[1] == header)
    }

    @Test("Addresses: domains in A-labels, quotes where they are needed")
    func addresses() throws {
        func wire(_ text: String) throws -> String { try CorrespondentAddress(text).address }
        #expect(try wire("ana@räksmörgås.example") == "ana@xn--rksmrgs-5wao1o.example")
        #expect(try wire("ana@例え.テスト") == "ana@xn--r8jz45g.xn--zckzah")
        #expect(try wire("a..b@docomo.example") == "\"a..b\"@docomo.example")
        #expect(try wire("\"a b\"@x.example") == "\"a b\"@x.example")
        #expect(try wire("a\"b@x.example") == "\"a\\\"b\"@x.example")
        #expect(try wire("a+b/c=d@x.example") == "a+b/c=d@x.example")
        #expect(throws: CorrespondentAddress.Fault.needsSMTPUTF8) { try wire("åna@example.com") }
        for text in ["", "ana", "@x.example", "ana@", "a\r\n@x.example", "a<b@x.example", "a\u{0}@x.example"] {
            #expect(throws: CorrespondentAddress.Fault.self) { try wire(text) }
        }
        #expect(throws: CorrespondentAddress.Fault.tooLong) {
            try wire(String(repeating: "a", count: 65) + "@x.example")
        }
        #expect(throws: CorrespondentAddress.Fault.self) { try wire("ana@x.example\r\nBcc: y@z.example") }
    }

    @Test(
        "Quoted-printable: what is decoded is what was encoded",
        arguments: [
            "", "a", "a\n", "a \nb\t\n", "\n\na", "=", "==_latchkey", String(repeating: "x", count: 76),
            String(repeating: "x", count: 77), String(repeating: "å", count: 100), String(repeating: " ", count: 200),
            "パスワード\nの再設定", "a\r\nb\rc\nd", ".\n..\nFrom x", String(repeating: "x", count: 75) + "=",
            "\u{0}\u{1B}[31m",
        ]
    )
    func quotedPrintable(text: String) throws {
        let encoded = String(decoding: QuotedPrintable.encode(text), as: UTF8.self)
        var decoded: [UInt8] = []
        for line in encoded.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast() {
            #expect(line.utf8.count <= 76)
            #expect(line.last != " " && line.last != "\t")
            #expect(!line.contains("=_"))
            var bytes = Array(line.utf8)[...]
            var isSoft = false
            while let byte = bytes.popFirst() {
                guard byte == UInt8(ascii: "=") else {
                    decoded.append(byte)
                    continue
                }
                guard !bytes.isEmpty else {
                    isSoft = true
                    break
                }
                decoded += try Hex.decode(String(decoding: Array(bytes.prefix(2)), as: UTF8.self).lowercased())
                bytes = bytes.dropFirst(2)
            }
            if !isSoft { decoded.append(10) }
        }
        let lines = text.unicodeScalars.reduce(into: "") { $0.unicodeScalars.append($1) }
        var expected = Array(lines.replacingReturns.utf8)
        if let last = expected.last, last != 10 { expected.append(10) }
        #expect(decoded == expected)
    }
}

extension String {
    /// Every end of a line as a line feed.
    fileprivate var replacingReturns: String {
        var bytes: [UInt8] = []
        var previous: UInt8 = 0
        for byte in utf8 {
            if byte == 13 || byte == 10 && previous != 13 { bytes.append(10) }
            if byte != 13, byte != 10 { bytes.append(byte) }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
