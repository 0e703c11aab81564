import Foundation
import QRCode
import Testing

@Suite("QR codes")
struct QRCodeTests {
    @Test("The smallest version that holds the text is taken, up to the largest")
    func versions() throws {
        // ISO/IEC 18004, table 7, level M, bytes: version 1 holds 14, version 2 holds 26, version 40 holds 2,331.
        for (length, size) in [(1, 21), (14, 21), (15, 25), (26, 25), (27, 29), (2331, 177)] {
            #expect(try QRCode(String(repeating: "a", count: length)).size == size, "\(length)")
        }
    }

    @Test(
        "What no code holds is refused with its length",
        arguments: ["", "a\0b", "Grüße", String(repeating: "a", count: 2332)]
    )
    func refusals(_ text: String) {
        let error = #expect(throws: QRCodeError.self) { try QRCode(text) }
        #expect(error?.length == text.utf8.count)
    }

    @Test("The three corners that a camera looks for are there, and light lies around them")
    func corners() throws {
        let code = try QRCode("https://login.example.com/u/enroll-passkey?ticket=abc")
        let ring = [true, true, true, true, true, true, true]
        for (row, column) in [(0, 0), (0, code.size - 7), (code.size - 7, 0)] {
            #expect((0..<7).map { code.isDark(row: row, column: column + $0) } == ring)
            #expect((0..<7).map { code.isDark(row: row + $0, column: column) } == ring)
            #expect(!code.isDark(row: row + 1, column: column + 1))
        }
        for outside in [-1, code.size] {
            #expect((-1...code.size).allSatisfy { !code.isDark(row: outside, column: $0) })
        }
    }

    @Test("The terminal's lines are the modules, two in a character, with the quiet zone")
    func terminal() throws {
        let code = try QRCode("HELLO")
        let lines = code.terminalLines
        let side = code.size + 2 * QRCode.quietZone
        #expect(lines.count == (side + 1) / 2)
        #expect(lines.allSatisfy { $0.count == side })
        for (index, line) in lines.enumerated() {
            for (column, character) in line.enumerated() {
                let row = 2 * index - QRCode.quietZone
                let place = column - QRCode.quietZone
                #expect("█▀".contains(character) == !code.isDark(row: row, column: place))
                guard row + 1 < code.size + QRCode.quietZone else { continue }
                #expect("█▄".contains(character) == !code.isDark(row: row + 1, column: place))
            }
        }
    }

    @Test(
        "A reader that others wrote reads what the image says",
        arguments: [
            "https://login.example.com/u/enroll-passkey?ticket=9f8e7d6c5b4a39281706f5e4d3c2b1a0",
            "otpauth://totp/Shop:ana%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Shop", " ~",
        ]
    )
    func read(_ text: String) throws {
        let image = try grayscale(of: QRCode(text))
        let file = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID()).pgm")
        defer { try? FileManager.default.removeItem(at: file) }
        try image.write(to: file)
        #expect(try output(of: "/usr/bin/zbarimg", ["--nodbus", "--quiet", "--raw", file.path]) == text + "\n")
    }

    /// The code as a PGM image whose pixels are taken from the SVG: a reader of images needs no SVG then.
    private func grayscale(of code: QRCode) throws -> Data {
        let side = code.size + 2 * QRCode.quietZone
        var dark = Set<Int>()
        let path = try #require(code.svg.firstMatch(of: /fill="#000" d="([^"]*)"/)).1
        for part in path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row) = (try #require(Int(part.1)), try #require(Int(part.2)))
            let (length, back) = (try #require(Int(part.3)), try #require(Int(part.4)))
            try #require(length == back && column + length <= side)
            for offset in 0..<length { dark.insert(row * side + column + offset) }
        }
        let scale = 6
        var image = Data("P5 \(side * scale) \(side * scale) 255\n".utf8)
        for row in 0..<(side * scale) {
            for column in 0..<(side * scale) {
                image.append(dark.contains(row / scale * side + column / scale) ? 0 : 255)
            }
        }
        return image
    }

    private func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
