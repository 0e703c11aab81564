import Encodings
import FoundationEssentials
import Testing

/// The vectors that implementations share.
enum Vectors {
    /// The cases of a shared vector file, or `nil` when there is none on this machine.
    static func shared(_ name: String) throws -> [JSONObject]? {
        guard let root = sharedRoot else { return nil }
        let document = try JSON.parse(try read(root + "/" + name), allowingNUL: true)
        return try #require(document.object?["cases"]?.array).map { try #require($0.object) }
    }

    static let sharedRoot: String? = {
        var candidates: [String] = []
        if let path = ProcessInfo.processInfo.environment["LATCHKEY_VECTORS"] { candidates.append(path) }
        var path = #filePath
        while path.contains("/") {
            path = directory(of: path)
            guard FileManager.default.fileExists(atPath: path + "/Packages") else { continue }
            candidates.append(directory(of: path) + "/shared/vectors")
        }
        return candidates.first { FileManager.default.fileExists(atPath: $0 + "/README.md") }
    }()

    private static func read(_ path: String) throws -> [UInt8] {
        Array(try #require(FileManager.default.contents(atPath: path), "\(path) cannot be read"))
    }

    private static func directory(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}
