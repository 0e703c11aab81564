internal import CIDN2

extension UnicodeText {
    /// The A-labels of a host name, in lower case (UTS #46 non-transitional, IDNA2008).
    ///
    /// An address such as `127.0.0.1` passes as a name of four labels; `[::1]`, a port and a trailing dot do not pass.
    /// Characters that UTS #46 would drop without a word (soft hyphen, zero width space) are refused.
    ///
    /// - Throws: `refused` or `badHost`.
    public static func asciiHost(_ host: String) throws(UnicodeError) -> String {
        let bytes = host.utf8
        guard bytes.count <= 1024 else { throw .tooLong(bytes: bytes.count, limit: 1024) }
        try refuseBadCharacters(host, startingAt: 0)
        let lower = String(decoding: bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
        let name = needsIDNA(lower) ? try alabels(lower) : lower
        try checkLabels(name)
        return name
    }

    private static func needsIDNA(_ host: String) -> Bool {
        !host.utf8.allSatisfy { $0 < 0x80 } || host.split(separator: ".").contains { $0.hasPrefix("xn--") }
    }

    private static func alabels(_ host: String) throws(UnicodeError) -> String {
        var output: UnsafeMutablePointer<CChar>?
        let flags = Int32(bitPattern: IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        let code = unsafe host.withCString { unsafe idn2_to_ascii_8z($0, &output, flags) }
        guard code == IDN2_OK.rawValue, let name = unsafe output else {
            throw .badHost(unsafe String(cString: idn2_strerror(code)))
        }
        defer { unsafe idn2_free(name) }
        return unsafe String(cString: name)
    }

    /// RFC 1123 §2.1 and RFC 1035 §2.3.4: letters, digits and hyphens, labels of 1 to 63, 253 characters in all.
    private static func checkLabels(_ name: String) throws(UnicodeError) {
        guard !name.isEmpty else { throw .badHost("it is empty") }
        guard name.utf8.count <= 253 else { throw .badHost("it is longer than 253 characters") }
        for label in name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let first = label.first, let last = label.last else { throw .badHost("a label is empty") }
            guard label.count <= 63 else { throw .badHost("a label is longer than 63 characters") }
            guard first != UInt8(ascii: "-"), last != UInt8(ascii: "-") else {
                throw .badHost("a label begins or ends with a hyphen")
            }
            for byte in label {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    break
                default: throw .badHost("only letters, digits, hyphens and dots may appear")
                }
            }
        }
    }
}
