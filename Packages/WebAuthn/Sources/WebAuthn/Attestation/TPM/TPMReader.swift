/// A cursor over the structures of a TPM (TPM 2.0 Part 2): big-endian, and each buffer after its length.
struct TPMReader {
    private var rest: ArraySlice<UInt8>
    /// What is read, for the message.
    private let what: String

    init(_ bytes: [UInt8], _ what: String) {
        rest = bytes[...]
        self.what = what
    }

    mutating func take(_ count: Int) throws(AttestationFault) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw AttestationFault("\(what) is cut off") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// UINT16.
    mutating func uint16() throws(AttestationFault) -> UInt16 {
        try take(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// UINT32.
    mutating func uint32() throws(AttestationFault) -> UInt32 {
        try take(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A structure `TPM2B_…`: its length in 16 bits, then that many bytes.
    mutating func buffer() throws(AttestationFault) -> ArraySlice<UInt8> {
        try take(Int(try uint16()))
    }

    func finish() throws(AttestationFault) {
        guard rest.isEmpty else { throw AttestationFault("\(what) has \(rest.count) bytes left over") }
    }
}
