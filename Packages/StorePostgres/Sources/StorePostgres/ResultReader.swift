import CPostgres
import StoreSQL

/// Reads a result whose values are binary.
enum ResultReader {
    static func read(_ result: OpaquePointer) -> SQLResult {
        let (rows, width) = unsafe (PQntuples(result), PQnfields(result))
        let types = (0..<width).map { unsafe PQftype(result, $0) }
        var values: [SQLValue] = []
        values.reserveCapacity(Int(rows) * Int(width))
        for row in 0..<rows {
            for column in 0..<width {
                values.append(unsafe value(result, row, column, types[Int(column)]))
            }
        }
        return SQLResult(changes: unsafe changes(result), width: Int(width), values: values)
    }

    /// Rows inserted, updated or deleted.
    private static func changes(_ result: OpaquePointer) -> Int {
        // Also SELECT tells a number: of the rows that it found.
        guard let status = unsafe PQcmdStatus(result), unsafe status.pointee != CChar(bitPattern: UInt8(ascii: "S"))
        else { return 0 }
        return unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32, _ type: UInt32) -> SQLValue {
        guard unsafe PQgetisnull(result, row, column) == 0 else { return .null }
        let count = unsafe Int(PQgetlength(result, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)
        switch type {
        case TypeNumber.bool, TypeNumber.int2, TypeNumber.int4, TypeNumber.int8:
            return .integer(unsafe integer(bytes))
        case TypeNumber.void:
            return .null
        case TypeNumber.text, TypeNumber.varchar:
            return .text(unsafe String(decoding: bytes, as: UTF8.self))
        default:
            // No column of ours has another type but bytes; whoever reads one says so.
            return .bytes(unsafe [UInt8](bytes))
        }
    }

    /// Big-endian, with its sign.
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        var number: Int64 = 0
        if let first = unsafe bytes.first, first >= 0x80, bytes.count > 1 { number = -1 }
        for index in 0..<bytes.count { number = number << 8 | Int64(unsafe bytes[index]) }
        return number
    }
}
