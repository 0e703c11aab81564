/// What the passwords of a connection must be like (HTTP contract 9.1).
public struct PasswordOptions: Hashable, Sendable {
    public var strength = PasswordStrength.good
    /// Characters; less than ``strength`` asks for does not weaken it.
    public var configuredMinimumLength: Int?
    public var remembersHistory = false
    /// How many earlier passwords may not come back.
    public var historySize = 5
    public var usesDictionary = false
    /// Words that are no password here, beside the breached ones that the server knows.
    public var dictionary: [String] = []
    /// Whether a password may not hold the user's own names and addresses.
    public var refusesPersonalInfo = false

    public init() {}

    /// Characters that a password must have.
    public var minimumLength: Int {
        max(strength.minimumLength, configuredMinimumLength ?? 0)
    }

    /// Characters that a password may have.
    public static let maximumLength = 1024
}

/// The named policies, weakest first.
public enum PasswordStrength: String, Hashable, Sendable, CaseIterable {
    case none, low, fair, good, excellent

    /// Characters.
    public var minimumLength: Int {
        switch self {
        case .none: 1
        case .low: 6
        case .fair, .good: 8
        case .excellent: 10
        }
    }
}
