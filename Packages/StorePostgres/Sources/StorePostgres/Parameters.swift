import StoreSQL

/// The values of one statement as libpq wants them: binary, and their types by number.
struct Parameters {
    private var bytes: [UInt8] = []
    /// Where each value begins in `bytes`; -1 for none.
    private var offsets: [Int] = []
    private var types: [UInt32] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    mutating func set(_ values: [SQLValue]) {
        bytes.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        for value in values {
            let start = bytes.count
            switch value {
            case .null:
                types.append(TypeNumber.unknown)
            case .integer(let number):
                types.append(TypeNumber.int8)
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
                }
            case .text(let text):
                types.append(TypeNumber.text)
                bytes += text.utf8
            case .bytes(let value):
                types.append(TypeNumber.bytes)
                bytes += value
            }
            offsets.append(value == .null ? -1 : start)
            lengths.append(Int32(clamping: bytes.count - start))
        }
        while formats.count < values.count { formats.append(1) }
        bytes.append(0)  // So that the last value has an address, also when it is empty.
    }

    /// Lends the count, and of each value its type, its bytes, their number and their format.
    func withPointers<Value>(
        _ body: (
            Int32, UnsafePointer<UInt32>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Value
    ) -> Value {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                let base = characters.baseAddress
                var values: [UnsafePointer<CChar>?] = unsafe []
                unsafe values.reserveCapacity(offsets.count)
                for offset in offsets {
                    guard offset >= 0, let base = unsafe base else {
                        unsafe values.append(nil)
                        continue
                    }
                    unsafe values.append(base + offset)
                }
                return unsafe values.withUnsafeBufferPointer { values in
                    unsafe types.withUnsafeBufferPointer { types in
                        unsafe lengths.withUnsafeBufferPointer { lengths in
                            unsafe formats.withUnsafeBufferPointer { formats in
                                unsafe body(
                                    Int32(clamping: offsets.count),
                                    types.baseAddress,
                                    values.baseAddress,
                                    lengths.baseAddress,
                                    formats.baseAddress
                                )
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The numbers (OIDs) of the types that go in and come out.
enum TypeNumber {
    /// The database finds the type out.
    static let unknown: UInt32 = 0
    static let bool: UInt32 = 16
    static let bytes: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let varchar: UInt32 = 1043
    static let void: UInt32 = 2278
}
