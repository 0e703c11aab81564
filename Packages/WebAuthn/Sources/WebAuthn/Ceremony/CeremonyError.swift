/// A refused ceremony: the word for machines, the step that refused, and what was expected against what came.
///
/// The evidence is bounded and escaped, so that it is safe to log and to show.
public struct CeremonyError: Error, Hashable, Sendable {
    public let reason: CeremonyReason
    /// The step of WebAuthn L3, as `7.1 step 9`; empty when the refusal is this server's own rule.
    public let step: String
    public let expected: String?
    public let got: String?
    /// The rule that another choice would have let it pass by; `nil`: none would.
    public let policy: CeremonyPolicy?

    /// Makes a refusal. `expected` and `got` may be any text: they are escaped and cut here.
    public init(
        _ reason: CeremonyReason,
        step: String,
        expected: String? = nil,
        got: String? = nil,
        policy: CeremonyPolicy? = nil
    ) {
        self.policy = policy
        self.reason = reason
        self.step = step
        self.expected = expected.map(Evidence.text)
        self.got = got.map(Evidence.text)
    }
}

extension CeremonyError: CustomStringConvertible {
    /// One line: `origin_mismatch at 7.1 step 9: expected https://example.com, got https://example.net`.
    public var description: String {
        var text = reason.rawValue
        if !step.isEmpty { text += " at \(step)" }
        switch (expected, got) {
        case (let expected?, let got?): text += ": expected \(expected), got \(got)"
        case (let expected?, nil): text += ": expected \(expected)"
        case (nil, let got?): text += ": got \(got)"
        case (nil, nil): break
        }
        return text
    }
}

/// Text that came from outside, made safe to log.
enum Evidence {
    /// At most this many bytes of the original are kept.
    static let limit = 200

    /// Keeps printable ASCII but `\`, writes everything else as `\u{…}`, and marks a cut with `...`.
    static func text(_ text: String) -> String {
        var safe = ""
        var used = 0
        for scalar in text.unicodeScalars {
            used += scalar.utf8.count
            guard used <= limit else { return safe + "..." }
            switch scalar {
            case "\\": safe += "\\\\"
            case " "..."~": safe.unicodeScalars.append(scalar)
            default: safe += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return safe
    }

    /// Lower-case hex of the first bytes.
    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            guard index < 64 else { return text + "..." }
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return text
    }
}
