/// What operators type to name a tenant: `acme`.
enum TenantName {
    /// - Throws: `invalid` unless it is 1 to 63 of `[a-z0-9-]` that neither begins nor ends with a hyphen.
    static func check(_ name: String) throws(TenancyError) {
        let bytes = Array(name.utf8)
        guard (1...63).contains(bytes.count), bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-"),
            bytes.allSatisfy({ 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") })
        else {
            throw .invalid(
                what: "tenant name",
                value: name,
                problem: "must be 1 to 63 of a to z, 0 to 9 and -, with no - at either end"
            )
        }
    }
}
