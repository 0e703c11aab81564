import Unicode

/// The one way from what a person types to what is compared, for sign-up, sign-in, recovery and import.
///
/// Trimmed, in NFKC, fully case folded, the domain of an e-mail address as A-labels; control, bidirectional and
/// invisible characters are refused.
public enum CanonicalIdentifier {
    /// Reads an e-mail address: at most 254 bytes (RFC 5321 §4.5.3.1.3), one `@`, something on both sides.
    ///
    /// - Returns: `nil` when `entered` is no such address.
    public static func email(_ entered: String, isVerified: Bool = false) -> UserIdentifier? {
        guard let (folded, shown) = fold(entered, limit: 254) else { return nil }
        let parts = folded.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last, !local.isEmpty, !domain.isEmpty,
            !folded.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }),
            let host = try? UnicodeText.asciiHost(String(decoding: Array(domain), as: UTF8.self))
        else { return nil }
        let canonical = String(decoding: Array(local), as: UTF8.self) + "@" + host
        guard canonical.utf8.count <= 254 else { return nil }
        return UserIdentifier(kind: .email, canonical: canonical, entered: shown, isVerified: isVerified)
    }

    /// Reads a phone number in E.164: `+` and 1 to 15 digits, the first not 0.
    public static func phoneNumber(_ entered: String, isVerified: Bool = false) -> UserIdentifier? {
        guard let (folded, _) = fold(entered, limit: 64) else { return nil }
        let bytes = Array(folded.utf8)
        guard bytes.count >= 2, bytes.count <= 16, bytes[0] == UInt8(ascii: "+"), bytes[1] != UInt8(ascii: "0"),
            bytes.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return UserIdentifier(kind: .phoneNumber, canonical: folded, entered: folded, isVerified: isVerified)
    }

    /// Reads a user name: ASCII letters, digits and `_ + - . ! # $ ^ ' ~` of the given length, no `@`.
    public static func username(_ entered: String, length: ClosedRange<Int>) -> UserIdentifier? {
        guard let (folded, shown) = fold(entered, limit: 512) else { return nil }
        let bytes = Array(folded.utf8)
        guard length.contains(bytes.count), bytes.allSatisfy(isUsernameCharacter) else { return nil }
        return UserIdentifier(kind: .username, canonical: folded, entered: shown, isVerified: true)
    }

    /// Reads a sign-in field: an e-mail address, a phone number or a user name, by its form.
    public static func any(_ entered: String, usernameLength: ClosedRange<Int>) -> UserIdentifier? {
        if entered.utf8.contains(UInt8(ascii: "@")) || entered.unicodeScalars.contains("\u{FF20}") {
            return email(entered)
        }
        return phoneNumber(entered) ?? username(entered, length: usernameLength)
    }

    private static func isUsernameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_+-.!#$^'~".utf8.contains(byte)
        }
    }

    /// The canonical form and the trimmed form for display; `nil` when it is too long or has a refused character.
    private static func fold(_ entered: String, limit: Int) -> (canonical: String, shown: String)? {
        guard entered.utf8.count <= limit * 4, let canonical = try? UnicodeText.canonical(entered),
            !canonical.isEmpty, canonical.utf8.count <= limit
        else { return nil }
        return (canonical, trimmed(entered))
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
