/// The model of an authenticator, as it claims it (WebAuthn L3 §6.1): 16 bytes, written as a lower-case UUID.
///
/// It is a claim until an attestation was verified to a trusted root.
public struct AAGUID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// All zero: the authenticator does not say.
    public static let zero = AAGUID(high: 0, low: 0)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Takes exactly 16 bytes, big-endian; `nil` for another count.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        )
    }

    /// Takes the UUID text `8-4-4-4-12`, in either case; `nil` for any other text.
    public init?(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var half: UInt8?
        var position = 0
        for character in text.utf8 {
            defer { position += 1 }
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let first = half {
                bytes.append(first << 4 | digit)
                half = nil
            } else {
                half = digit
            }
        }
        guard position == 36 else { return nil }
        self.init(bytes[...])
    }

    /// 16 bytes, big-endian.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) }
        }
    }
}

extension AAGUID: CustomStringConvertible {
    /// The lower-case UUID text.
    public var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text += "-" }
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return text
    }
}
