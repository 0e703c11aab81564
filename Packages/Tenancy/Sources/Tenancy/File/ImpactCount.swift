import Identity
import WebAuthn

/// Adds users up, one after the other.
struct ImpactCount {
    private let rules: [ImpactRule]
    private let before: SignInRules
    private let after: SignInRules
    private let naming: Bool
    private var impact = PlanImpact()
    /// Those who are touched and have another way in, to be named behind the others.
    private var others: [[(user: UserID, name: String)]]

    init(_ rules: [ImpactRule], from old: TenantConfiguration, to new: TenantConfiguration, naming: Bool) {
        self.rules = rules
        self.naming = naming
        before = SignInRules(old)
        after = SignInRules(new)
        impact.impacts = rules.map {
            Impact(change: $0.change, rule: $0.rule, effect: $0.effect, who: naming ? [] : nil)
        }
        others = rules.map { _ in [] }
    }

    mutating func add(_ user: WaysIn) {
        impact.allUsers += 1
        impact.allPasskeys += user.passkeys.count
        // Who is blocked gets in neither way.
        guard !user.isBlocked else { return }
        var isStranded: Bool?
        for (index, rule) in rules.enumerated() {
            guard rule.concerns(user.connection) else { continue }
            let passkeys = user.passkeys.count { rule.touchesPasskey($0) }
            guard passkeys > 0 || rule.touchesUser(user) else { continue }
            impact.impacts[index].passkeys += passkeys
            impact.impacts[index].users += 1
            if isStranded == nil { isStranded = before.letIn(user) && !after.letIn(user) }
            if isStranded == true { impact.impacts[index].noOtherWayIn += 1 }
            name(user, isStranded == true, index)
        }
    }

    private mutating func name(_ user: WaysIn, _ isStranded: Bool, _ index: Int) {
        guard naming else { return }
        let entry = (user.user, user.name ?? user.identifiers.first?.entered ?? "")
        if isStranded {
            if impact.impacts[index].who?.count ?? 0 < PlanImpact.maximumNames {
                impact.impacts[index].who?.append(entry)
            }
        } else if others[index].count < PlanImpact.maximumNames {
            others[index].append(entry)
        }
    }

    func finished() -> PlanImpact {
        var impact = impact
        for index in impact.impacts.indices {
            let room = PlanImpact.maximumNames - (impact.impacts[index].who?.count ?? 0)
            impact.impacts[index].who?.append(contentsOf: others[index].prefix(room))
        }
        return impact
    }
}

/// Whether a configuration lets a user in, in any way.
private struct SignInRules {
    private let connections: [ConnectionID: Directory]
    private let relyingPartyIDs: Set<String>

    private struct Directory {
        let options: ConnectionOptions
        /// Whether some client takes a passkey, or a password, of its users.
        let takesPasskeys: Bool
        let takesPasswords: Bool
        let identifiers: Set<IdentifierKind>
    }

    init(_ configuration: TenantConfiguration) {
        relyingPartyIDs = configuration.relyingPartyIDs
        var connections: [ConnectionID: Directory] = [:]
        for connection in configuration.connections {
            let clients = connection.enabledClients.compactMap { configuration.clients[$0] }
            connections[connection.id] = Directory(
                options: connection.options,
                takesPasskeys: connection.options.passkeysEnabled && clients.contains { $0.allows(.webAuthn) },
                takesPasswords: connection.options.passwordsEnabled
                    && clients.contains { $0.allows(.password) || $0.allows(.passwordRealm) },
                identifiers: connection.options.activeIdentifiers
            )
        }
        self.connections = connections
    }

    func letIn(_ user: WaysIn) -> Bool {
        guard let directory = connections[user.connection] else { return false }
        if directory.takesPasswords, user.hasPassword,
            user.identifiers.contains(where: { directory.identifiers.contains($0.kind) })
        {
            return true
        }
        let policy = directory.options.passkey
        return directory.takesPasskeys
            && user.passkeys.contains { passkey in
                !passkey.isSuspended && relyingPartyIDs.contains(passkey.relyingPartyID)
                    && (passkey.uvInitialized || !policy.asksForProvenUserVerification)
            }
    }
}

extension TenantConfiguration {
    /// Under which passkeys sign in here: those of every ready domain, current and legacy ones.
    var relyingPartyIDs: Set<String> {
        Set(domains.filter { $0.status == .ready }.flatMap { [$0.relyingPartyID] + $0.legacyRelyingPartyIDs })
    }
}

extension PasskeyOptions {
    /// Whether a passkey that was never seen to verify its user is turned away.
    var asksForProvenUserVerification: Bool {
        userVerification == .required || unprovenUserVerificationLogin == .refuse
    }
}

extension ConnectionOptions {
    /// By what users are found when they type who they are.
    var activeIdentifiers: Set<IdentifierKind> {
        guard let attributes else { return requiresUsername ? [.email, .username] : [.email] }
        var kinds: Set<IdentifierKind> = []
        if attributes.email.isIdentifier { kinds.insert(.email) }
        if attributes.phoneNumber.isIdentifier { kinds.insert(.phoneNumber) }
        if attributes.username.isIdentifier { kinds.insert(.username) }
        return kinds
    }
}
