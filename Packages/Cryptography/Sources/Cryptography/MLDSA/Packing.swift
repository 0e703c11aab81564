/// Coefficients as bits, the lowest bit first (FIPS 204 §7.1).
enum Packing {
    /// Reads 256 numbers of `width` bits (at most 20) and hands each to `body`. What is not there is not handed over.
    @inline(__always)
    static func unpack(_ bytes: ArraySlice<UInt8>, width: Int, _ body: (_ index: Int, _ value: Int32) -> Void) {
        let mask: UInt32 = (1 << UInt32(width)) &- 1
        var held: UInt64 = 0
        var bits = 0
        var index = 0
        for byte in bytes {
            held |= UInt64(byte) << UInt64(bits)
            bits &+= 8
            while bits >= width, index < Polynomial.count {
                body(index, Int32(truncatingIfNeeded: UInt32(truncatingIfNeeded: held) & mask))
                held >>= UInt64(width)
                bits &-= width
                index &+= 1
            }
        }
    }

    /// Writes the coefficients, as `body` changes them, in `width` bits each (at most 20).
    static func pack(_ polynomial: Polynomial, width: Int, to bytes: inout [UInt8], _ body: (Int32) -> Int32 = { $0 }) {
        let coefficients = polynomial.coefficients.span
        var held: UInt64 = 0
        var bits = 0
        for index in coefficients.indices {
            held |= UInt64(UInt32(bitPattern: body(coefficients[index]))) << UInt64(bits)
            bits &+= width
            while bits >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: held))
                held >>= 8
                bits &-= 8
            }
        }
    }
}

extension Polynomial {
    /// From numbers of `width` bits, each taken from `top`: private keys, masks and `z` (algorithm 19).
    init(unpacking bytes: ArraySlice<UInt8>, width: Int, top: Int32) {
        var own = coefficients.mutableSpan
        Packing.unpack(bytes, width: width) { index, value in own[index] = top &- value }
    }

    /// From the 10 bits of `t1`, times `2^d` (algorithm 23, and step 9 of algorithm 8).
    init(unpackingHighPart bytes: ArraySlice<UInt8>) {
        var own = coefficients.mutableSpan
        Packing.unpack(bytes, width: 10) { index, value in own[index] = value << Field.d }
    }
}

/// The places of the hints in one signature (algorithms 20 and 21).
struct Hints {
    /// Row for row; those of one row increase.
    private let places: ArraySlice<UInt8>
    /// For each row, how many places there are up to its end.
    private let ends: ArraySlice<UInt8>

    /// - Returns: `nil` unless the places increase in each row, the ends do not decrease, and what is left is zero.
    init?(decoding bytes: ArraySlice<UInt8>, _ set: MLDSAParameterSet) {
        guard bytes.count == set.omega + set.k else { return nil }
        places = bytes.prefix(set.omega)
        ends = bytes.suffix(set.k)
        var start = 0
        for end in ends {
            guard Int(end) >= start, Int(end) <= set.omega else { return nil }
            var last = -1
            for place in places.dropFirst(start).prefix(Int(end) - start) {
                guard Int(place) > last else { return nil }
                last = Int(place)
            }
            start = Int(end)
        }
        guard places.dropFirst(start).allSatisfy({ $0 == 0 }) else { return nil }
    }

    /// The places in one row.
    func places(row: Int) -> ArraySlice<UInt8> {
        let upTo = ends.dropFirst(max(0, row - 1)).prefix(2)
        let start = row == 0 ? 0 : Int(upTo.first ?? 0)
        let end = row == 0 ? Int(upTo.first ?? 0) : Int(upTo.last ?? 0)
        return places.dropFirst(start).prefix(max(0, end - start))
    }

    /// The encoding of the places in each row; `nil` when there are more than may be.
    static func encode(_ rows: [[UInt8]], _ set: MLDSAParameterSet) -> [UInt8]? {
        let places = Array(rows.joined())
        guard places.count <= set.omega else { return nil }
        var bytes = places + [UInt8](repeating: 0, count: set.omega - places.count)
        var end = 0
        for row in rows {
            end += row.count
            bytes.append(UInt8(end))
        }
        return bytes
    }
}
