public import Unicode

/// An e-mail address with the name of whose it is, in the forms in which SMTP and headers carry them.
public struct CorrespondentAddress: Hashable, Sendable {
    /// Empty when there is none.
    public let name: String
    /// What stands before the `@`, quoted where RFC 5321 §4.1.2 wants it.
    public let localPart: String
    /// In A-labels.
    public let domain: String

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - address: `local@domain`; a domain in any script.
    ///   - name: whose it is; any text.
    /// - Throws: ``Fault``.
    public init(_ address: String, name: String = "") throws(Fault) {
        guard let at = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { throw .malformed }
        let local = Array(address.utf8[..<at])
        let domain = String(decoding: Array(address.utf8[address.utf8.index(after: at)...]), as: UTF8.self)
        guard local.allSatisfy({ $0 < 0x80 }) else { throw .needsSMTPUTF8 }
        guard !local.isEmpty,
            local.allSatisfy({ 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") })
        else { throw .malformed }
        do throws(UnicodeError) {
            self.domain = try UnicodeText.asciiHost(domain)
        } catch { throw .badDomain(error) }
        self.name = name
        localPart = Self.isDotAtom(local) || Self.isQuoted(local) ? Self.text(local) : Self.quoted(local)
        guard self.address.utf8.count <= 254, localPart.utf8.count <= 64 else { throw .tooLong }
    }

    /// `local@domain`, as it stands between angle brackets.
    public var address: String { localPart + "@" + domain }

    /// Why an address is none that can be written to.
    public enum Fault: Error, Hashable, Sendable {
        case malformed
        /// Longer than RFC 5321 §4.5.3.1 allows: 64 bytes before the `@`, 254 in all.
        case tooLong
        /// It has other than ASCII characters before the `@` (RFC 6531), which many servers do not take.
        case needsSMTPUTF8
        case badDomain(UnicodeError)
    }

    /// RFC 5322 §3.2.3.
    private static func isDotAtom(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy(HeaderText.isAtom)
        }
    }

    /// Whether it is a quoted string already.
    private static func isQuoted(_ bytes: [UInt8]) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 3, bytes.first == quote, bytes.last == quote else { return false }
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == quote {
                return false
            }
        }
        return !isEscaped
    }

    private static func quoted(_ bytes: [UInt8]) -> String { HeaderText.quoted(text(bytes)) }
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension CorrespondentAddress.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed: "it is no e-mail address"
        case .tooLong: "it is longer than an e-mail address may be"
        case .needsSMTPUTF8: "it has other letters than ASCII before the @, which mail servers need SMTPUTF8 for"
        case .badDomain(let error): "its domain is none: \(error)"
        }
    }
}
