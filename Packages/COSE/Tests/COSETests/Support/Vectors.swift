// For JSON and files only, which this package does not read.
import FoundationEssentials
import Testing

/// The test vectors that lie beside the repository.
enum Vectors {
    /// `LATCHKEY_VECTORS`, or `../shared/vectors` from the root of the repository.
    static let folder: String? = {
        if let override = ProcessInfo.processInfo.environment["LATCHKEY_VECTORS"] { return override }
        var path = #filePath[...]
        while let slash = path.lastIndex(of: "/") {
            path = path[..<slash]
            guard FileManager.default.fileExists(atPath: "\(path)/Packages") else { continue }
            let folder = "\(path)/../shared/vectors"
            return FileManager.default.fileExists(atPath: folder) ? folder : nil
        }
        return nil
    }()

    static let skipped: Comment = "the test vectors are not there (LATCHKEY_VECTORS, or ../shared/vectors)"

    static func files(startingWith prefix: String) -> [String] {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }.sorted()
    }

    static func decode<File: Decodable>(_ name: String, as type: File.Type) throws -> File {
        let folder = try #require(folder)
        return try JSONDecoder().decode(type, from: Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }
}

/// A name of a member, whatever it is.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

extension Decoder {
    /// The members of an object that has no others than `known`.
    func members(known: Set<String>) throws -> KeyedDecodingContainer<MemberName> {
        let container = try container(keyedBy: MemberName.self)
        for key in container.allKeys where !known.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "unknown member \(key.stringValue)")
            )
        }
        return container
    }
}

extension KeyedDecodingContainer<MemberName> {
    func value<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try decode(type, forKey: MemberName(stringValue: name))
    }
}
