/// How much one file may hold.
public struct YAMLLimits: Hashable, Sendable {
    public var bytes = 1 << 20
    /// Levels of lists and maps inside each other.
    public var depth = 32
    /// Values and keys in all, an alias counted as what it stands for.
    public var values = 50_000
    public var aliases = 100

    public init() {}
}

public enum YAML {
    /// Reads one document. A file with nothing but comments is a null.
    ///
    /// `file` is the name that errors carry.
    /// - Throws: the first fault, with its line and column.
    public static func parse(
        _ bytes: ArraySlice<UInt8>,
        file: String,
        limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLError) -> YAMLNode {
        let start = YAMLPosition(line: 1, column: 1)
        guard bytes.count <= limits.bytes else {
            throw YAMLError(file: file, position: start, problem: .tooLarge(limit: limits.bytes))
        }
        if let position = firstBadUTF8(bytes) { throw YAMLError(file: file, position: position, problem: .notUTF8) }
        var composer = Composer(file: file, limits: limits)
        var reader = try EventReader(bytes, file: file)
        return try composer.document(&reader) ?? YAMLNode(.scalar(YAMLScalar(plain: "")), at: start)
    }

    public static func parse(
        _ bytes: [UInt8],
        file: String,
        limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLError) -> YAMLNode {
        try parse(bytes[...], file: file, limits: limits)
    }

    private static func firstBadUTF8(_ bytes: ArraySlice<UInt8>) -> YAMLPosition? {
        var line = 1
        var column = 1
        var decoder = UTF8()
        var input = bytes.makeIterator()
        while true {
            switch decoder.decode(&input) {
            case .emptyInput: return nil
            case .error: return YAMLPosition(line: line, column: column)
            case .scalarValue("\n"):
                line += 1
                column = 1
            case .scalarValue: column += 1
            }
        }
    }
}
