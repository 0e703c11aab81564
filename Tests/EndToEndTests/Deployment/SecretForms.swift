import Encodings
import Foundation
import Programs
import Testing

/// A secret in every form in which it could lie somewhere: raw, hex, base64 and base64url at every alignment, as its text.
struct SecretForms {
    /// Each in at least ten bytes, and no more than needed to be told from chance.
    let patterns: Set<[UInt8]>

    /// - Parameters:
    ///   - bytes: the secret itself, at least 16 bytes.
    ///   - text: how it is written where it is used.
    init(_ bytes: [UInt8], text: String? = nil) {
        var patterns: Set<[UInt8]> = []
        if let text { patterns.insert(Array(text.utf8)) }
        patterns.insert(Array(Hex.encode(bytes).utf8))
        patterns.insert(Array(Hex.encode(bytes).uppercased().utf8))
        for shift in 0..<3 {
            // In the middle of something longer: the characters at its ends share bits with what stands beside it.
            let encoded = Base64URL.encode([UInt8](repeating: 0, count: shift) + bytes)
            let inner = Array(encoded.utf8).dropFirst((shift * 8 + 5) / 6).dropLast(1)
            patterns.insert(Array(inner))
            patterns.insert(
                inner.map {
                    $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
                }
            )
        }
        // grep takes its patterns by lines.
        let parts = bytes.split { $0 == 0 || $0 == UInt8(ascii: "\n") }
        if let longest = parts.max(by: { $0.count < $1.count }), longest.count >= 8 { patterns.insert(Array(longest)) }
        self.patterns = patterns
    }

    /// The files in `places` that have any of `patterns`, none of which has a line's end in it. The list of patterns lies
    /// in `folder`, which is no place.
    static func files(
        with patterns: Set<[UInt8]>,
        in places: [String],
        folder: TemporaryFolder
    ) async throws -> [String] {
        let list = folder.file("patterns")
        let bytes = patterns.flatMap { $0 + [UInt8(ascii: "\n")] }
        try Data(bytes).write(to: URL(fileURLWithPath: list))
        let found = try await run(
            "/usr/bin/grep",
            ["--recursive", "--devices=skip", "--text", "--fixed-strings", "--files-with-matches", "--file", list]
                + places,
            environment: ["LC_ALL": "C"],
            seconds: 120
        )
        // 0: found, 1: not. Of what it cannot read only what went away meanwhile is nothing to worry about.
        let isGone = found.errorLines.allSatisfy { $0.hasSuffix("No such file or directory") }
        try #require(found.exit == 0 || found.exit == 1 || (found.exit == 2 && isGone), "\(found)")
        return found.output.split(separator: "\n").map(String.init)
    }
}
