/// Polynomials from the output of SHAKE (FIPS 204 §7.3).
///
/// Rejection takes as much of an endless output as it needs. Here that output ends: each length is above the limit of
/// appendix C, behind which less than one seed in 2^256 goes on, so that time and memory have a bound.
extension Polynomial {
    /// A challenge: `tau` coefficients 1 or -1, the others 0 (algorithm 29).
    init?(challenge seed: ArraySlice<UInt8>, tau: Int, _ shake: borrowing ExtendableOutput) {
        let output = shake.bytes(2 * 136, from: seed)
        var signs: UInt64 = 0
        for byte in output.prefix(8).reversed() { signs = signs << 8 | UInt64(byte) }
        var rest = output.dropFirst(8)
        for index in Self.count - tau..<Self.count {
            guard let at = rest.firstIndex(where: { Int($0) <= index }) else { return nil }
            let place = Int(rest[at])
            rest = rest[(at + 1)...]
            coefficients[index] = coefficients[place]
            coefficients[place] = 1 &- 2 &* Int32(truncatingIfNeeded: signs & 1)
            signs >>= 1
        }
    }

    /// The lengths of the output that one entry of the matrix is made of: one that is enough but for one seed in 2^128,
    /// and one above the limit.
    static let entryOutputByteCounts = [5 * 168, 6 * 168]

    /// An entry of the matrix, as a transform (algorithm 30).
    init?(matrixEntry output: [UInt8]) {
        let bytes = output.span
        var own = coefficients.mutableSpan
        var index = 0
        var byte = 0
        while index < Self.count, byte &+ 2 < bytes.count {
            let value = Int32(bytes[byte]) | Int32(bytes[byte &+ 1]) << 8 | Int32(bytes[byte &+ 2] & 0x7f) << 16
            byte &+= 3
            own[index] = value
            index &+= value < Field.q ? 1 : 0
        }
        guard index == Self.count else { return nil }
    }

    /// A part of the private key: coefficients between `-eta` and `eta` (algorithm 31).
    init?(secret seed: ArraySlice<UInt8>, number: Int, eta: Int32, _ shake: borrowing ExtendableOutput) {
        var output = shake.bytes(5 * 136, from: seed, [UInt8(number), 0])
        defer { erase(&output) }
        var index = 0
        for byte in output {
            for half in [byte & 15, byte >> 4] where index < Self.count {
                if eta == 2, half < 15 {
                    coefficients[index] = 2 &- Int32(half % 5)
                    index &+= 1
                } else if eta == 4, half < 9 {
                    coefficients[index] = 4 &- Int32(half)
                    index &+= 1
                }
            }
        }
        guard index == Self.count else { return nil }
    }

    /// A part of the mask: coefficients above `-gamma1` and up to it (algorithm 34).
    init(mask seed: ArraySlice<UInt8>, number: Int, _ set: MLDSAParameterSet, _ shake: borrowing ExtendableOutput) {
        var output = shake.bytes(
            set.maskByteCount,
            from: seed,
            [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        )
        defer { erase(&output) }
        self.init(unpacking: output[...], width: set.gamma1Bits + 1, top: set.gamma1)
    }
}

/// The matrix `A` of a key, made entry by entry, so that it is never held as a whole (algorithm 32).
struct MatrixSource: ~Copyable {
    private let shake = ExtendableOutput(.shake128)
    private let seed: ArraySlice<UInt8>
    init(seed: ArraySlice<UInt8>) {
        self.seed = seed
    }

    func entry(row: Int, column: Int) -> Polynomial? {
        for count in Polynomial.entryOutputByteCounts {
            let output = shake.bytes(count, from: seed, [UInt8(column), UInt8(row)])
            if let entry = Polynomial(matrixEntry: output) { return entry }
        }
        return nil
    }

    /// One row times a vector of transforms, divided by 2^32.
    func row(_ row: Int, times vector: [Polynomial]) -> Polynomial? {
        var sum = Polynomial()
        for (column, polynomial) in vector.enumerated() {
            guard let entry = entry(row: row, column: column) else { return nil }
            sum.addProduct(entry, polynomial)
        }
        return sum
    }
}
