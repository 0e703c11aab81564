public import Identity

/// What a connection wants of the characters of a password (HTTP contract 9.1).
public struct PasswordRules: Sendable {
    let options: PasswordOptions

    public init(_ options: PasswordOptions) {
        self.options = options
    }

    /// Kinds of characters.
    public enum CharacterKind: String, Hashable, Sendable, CaseIterable {
        case lowerCase, upperCase, numbers, specialCharacters
    }

    /// One rule, and whether the password keeps it.
    public enum Rule: Hashable, Sendable {
        case lengthAtLeast(Int, isKept: Bool)
        /// Every one of the kinds.
        case shouldContain([CharacterKind], missing: Set<CharacterKind>)
        /// So many of all kinds.
        case containsAtLeast(Int, missing: Set<CharacterKind>, isKept: Bool)
        /// No more than so many times the same character in a row.
        case identicalCharacters(Int, isKept: Bool)

        public var isKept: Bool {
            switch self {
            case .lengthAtLeast(_, let isKept), .containsAtLeast(_, _, let isKept), .identicalCharacters(_, let isKept):
                isKept
            case .shouldContain(_, let missing): missing.isEmpty
            }
        }
    }

    /// All rules of the connection, each with its verdict.
    public struct Verdict: Hashable, Sendable {
        public let rules: [Rule]
        public var isKept: Bool { rules.allSatisfy(\.isKept) }
    }

    /// Judges `password` by its characters alone.
    public func judge(_ password: PasswordText) -> Verdict {
        let scalars = password.text.unicodeScalars
        let missing = Set(CharacterKind.allCases).subtracting(scalars.map(Self.kind))
        var rules: [Rule] = [
            .lengthAtLeast(options.minimumLength, isKept: password.length >= options.minimumLength)
        ]
        switch options.strength {
        case .none, .low: break
        case .fair:
            let kinds: [CharacterKind] = [.lowerCase, .upperCase, .numbers]
            rules.append(.shouldContain(kinds, missing: missing.intersection(kinds)))
        case .good, .excellent:
            rules.append(.containsAtLeast(3, missing: missing, isKept: missing.count <= 1))
        }
        if options.strength == .excellent {
            rules.append(.identicalCharacters(2, isKept: Self.longestRun(scalars) <= 2))
        }
        return Verdict(rules: rules)
    }

    /// What is neither a letter with a case nor a digit counts as special.
    private static func kind(_ scalar: UnicodeScalar) -> CharacterKind {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter: .lowerCase
        case .uppercaseLetter, .titlecaseLetter: .upperCase
        case .decimalNumber: .numbers
        default: .specialCharacters
        }
    }

    private static func longestRun(_ scalars: String.UnicodeScalarView) -> Int {
        var (longest, current) = (0, 0)
        var last: UnicodeScalar?
        for scalar in scalars {
            current = scalar == last ? current + 1 : 1
            longest = max(longest, current)
            last = scalar
        }
        return longest
    }
}

extension PasswordRules {
    /// Judges everything but the history: characters, dictionaries, personal information, in this order.
    ///
    /// - Throws: `.passwordTooWeak`, `.passwordTooCommon` or `.passwordHasPersonalInfo`.
    func check(
        _ password: PasswordText,
        breached: BreachedPasswords,
        identifiers: [UserIdentifier],
        profile: UserProfile
    ) throws(AccountError) {
        let verdict = judge(password)
        guard verdict.isKept else { throw .passwordTooWeak(verdict) }
        let folded = password.text.lowercased()
        let isListed =
            options.usesDictionary && options.dictionary.contains { folded.utf8.elementsEqual($0.lowercased().utf8) }
        guard !isListed, !breached.contains(password) else { throw .passwordTooCommon }
        guard options.refusesPersonalInfo else { return }
        let facts =
            identifiers.flatMap { identifier in
                // Of an address the part before the sign, too.
                [identifier.canonical] + identifier.canonical.split(separator: "@").prefix(1).map(String.init)
            } + [profile.name, profile.givenName, profile.familyName, profile.nickname].compactMap { $0 }
        let isPersonal = facts.contains { fact in
            fact.utf8.count >= 3 && folded.utf8.firstRange(of: fact.lowercased().utf8) != nil
        }
        guard !isPersonal else { throw .passwordHasPersonalInfo }
    }
}
