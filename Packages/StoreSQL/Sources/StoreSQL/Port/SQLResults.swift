public import Identity

/// What a batch of statements gave, in their order.
public struct SQLResults: Sendable {
    private let results: [SQLResult]

    public init(_ results: [SQLResult]) {
        self.results = results
    }

    /// What the statement at `index` gave; nothing for one that was not run.
    public subscript(index: Int) -> SQLResult {
        results.indices.contains(index) ? results[index] : SQLResult.nothing
    }

    /// What the first statement gave.
    public var first: SQLResult { self[0] }
}

/// What one statement gave: rows of equal width, and how many rows it changed.
public struct SQLResult: Sendable {
    /// Rows inserted, updated or deleted; 0 for a statement that only reads.
    public let changes: Int
    private let width: Int
    /// Row after row.
    private let values: [SQLValue]

    public init(changes: Int, width: Int, values: [SQLValue]) {
        self.changes = changes
        self.width = width
        self.values = values
    }

    public static let nothing = SQLResult(changes: 0, width: 0, values: [])

    public var isEmpty: Bool { values.isEmpty }

    /// Maps each row.
    ///
    /// - Throws: what `read` throws, for a row that is not as it was written.
    public func map<Row>(_ read: (inout SQLRow) throws(StoreError) -> Row) throws(StoreError) -> [Row] {
        guard width > 0 else { return [] }
        var rows: [Row] = []
        rows.reserveCapacity(values.count / width)
        for start in stride(from: 0, to: values.count - width + 1, by: width) {
            var row = SQLRow(values[start..<start + width])
            rows.append(try read(&row))
        }
        return rows
    }

    /// Maps the first row, if there is one.
    ///
    /// - Throws: what `read` throws, for a row that is not as it was written.
    public func first<Row>(_ read: (inout SQLRow) throws(StoreError) -> Row) throws(StoreError) -> Row? {
        guard width > 0, values.count >= width else { return nil }
        var row = SQLRow(values[..<width])
        return try read(&row)
    }
}

/// One row, read column by column from the left.
public struct SQLRow {
    private let values: ArraySlice<SQLValue>
    private var position: Int

    fileprivate init(_ values: ArraySlice<SQLValue>) {
        self.values = values
        self.position = values.startIndex
    }

    /// Reads all columns that are left, as they are.
    public mutating func rest() -> [SQLValue] {
        defer { position = values.endIndex }
        return Array(values[position...])
    }

    private mutating func next() throws(StoreError) -> SQLValue {
        guard position < values.endIndex else { throw mismatch("another column") }
        defer { position += 1 }
        return values[position]
    }

    private func mismatch(_ expected: String) -> StoreError {
        .corrupt(reason: "column \(position - values.startIndex + 1) of \(values.count) is not \(expected)")
    }

    /// Reads a column that must hold a number.
    public mutating func integer() throws(StoreError) -> Int64 {
        guard let number = try integerIfAny() else { throw mismatch("a number") }
        return number
    }

    /// Reads a column that holds a number or nothing.
    public mutating func integerIfAny() throws(StoreError) -> Int64? {
        switch try next() {
        case .null: return nil
        case .integer(let number): return number
        default: throw mismatch("a number")
        }
    }

    /// Reads a column that must hold text.
    public mutating func text() throws(StoreError) -> String {
        guard let text = try textIfAny() else { throw mismatch("text") }
        return text
    }

    /// Reads a column that holds text or nothing.
    public mutating func textIfAny() throws(StoreError) -> String? {
        switch try next() {
        case .null: return nil
        case .text(let text): return text
        default: throw mismatch("text")
        }
    }

    /// Reads a column that must hold bytes.
    public mutating func bytes() throws(StoreError) -> [UInt8] {
        guard let bytes = try bytesIfAny() else { throw mismatch("bytes") }
        return bytes
    }

    /// Reads a column that holds bytes or nothing.
    public mutating func bytesIfAny() throws(StoreError) -> [UInt8]? {
        switch try next() {
        case .null: return nil
        case .bytes(let bytes): return bytes
        default: throw mismatch("bytes")
        }
    }
}
