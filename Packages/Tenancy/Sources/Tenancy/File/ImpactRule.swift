import Identity
import WebAuthn

/// One rule that a plan tightens, and who is touched by that.
struct ImpactRule: Sendable {
    let change: String
    let rule: String
    let effect: Impact.Effect
    /// Whose users it is about; `nil`: everybody's.
    var connections: Set<ConnectionID>?
    var touchesPasskey: @Sendable (PasskeyFacts) -> Bool = { _ in false }
    /// For those of whom no passkey is touched.
    var touchesUser: @Sendable (WaysIn) -> Bool = { _ in false }

    func concerns(_ connection: ConnectionID) -> Bool { connections?.contains(connection) ?? true }

    /// Every rule that is stricter in `new` than in `old`.
    static func all(from old: TenantConfiguration, to new: TenantConfiguration) -> [ImpactRule] {
        var rules = domains(from: old, to: new)
        for before in old.connections.sorted(by: { $0.name < $1.name }) {
            guard let after = new.connection(before.id) else { continue }
            guard before.options != after.options else { continue }
            rules += policy(before, after) + ways(before, after)
        }
        return rules + clients(from: old, to: new)
    }

    // MARK: Domains

    private static func domains(from old: TenantConfiguration, to new: TenantConfiguration) -> [ImpactRule] {
        let gone = old.relyingPartyIDs.subtracting(new.relyingPartyIDs)
        return gone.sorted().map { id in
            let host = old.domains.first { $0.relyingPartyID == id || $0.legacyRelyingPartyIDs.contains(id) }?.host
            return ImpactRule(
                change: "customDomains/\(host ?? id) relying_party_identifier",
                rule: "relying_party_identifier",
                effect: .signIn,
                touchesPasskey: { $0.relyingPartyID.utf8.elementsEqual(id.utf8) }
            )
        }
    }

    // MARK: Policy of passkeys

    private static func policy(_ before: Connection, _ after: Connection) -> [ImpactRule] {
        let (old, new) = (before.options.passkey, after.options.passkey)
        var rules: [ImpactRule] = []
        func add(
            _ member: CeremonyPolicy,
            _ effect: Impact.Effect,
            _ touches: @escaping @Sendable (PasskeyFacts) -> Bool
        ) {
            rules.append(
                ImpactRule(
                    change: "databases/\(before.name) options.passkey_options.webauthn.\(member.rawValue)",
                    rule: member.rawValue,
                    effect: effect,
                    connections: [before.id],
                    touchesPasskey: touches
                )
            )
        }
        if new.userVerification == .required, old.userVerification != .required {
            add(.userVerification, .signIn) { !$0.uvInitialized }
        }
        if new.unprovenUserVerificationLogin == .refuse, old.unprovenUserVerificationLogin != .refuse {
            add(.unprovenUserVerificationLogin, .signIn) { !$0.uvInitialized }
        }
        let algorithms = Set(old.algorithms).subtracting(new.algorithms)
        if !algorithms.isEmpty {
            add(.algorithms, .registration) { $0.algorithm.map(algorithms.contains) ?? false }
        }
        if !new.allowedAAGUIDs.isEmpty, new.allowedAAGUIDs != old.allowedAAGUIDs {
            let (was, allowed) = (Set(old.allowedAAGUIDs), Set(new.allowedAAGUIDs))
            add(.allowedAAGUIDs, .registration) { passkey in
                let isAllowed = passkey.isTrusted && allowed.contains(passkey.aaguid)
                return !isAllowed && (was.isEmpty || passkey.isTrusted && was.contains(passkey.aaguid))
            }
        }
        let denied = Set(new.deniedAAGUIDs).subtracting(old.deniedAAGUIDs)
        if !denied.isEmpty { add(.deniedAAGUIDs, .registration) { denied.contains($0.aaguid) } }
        if new.requireTrustedAttestation, !old.requireTrustedAttestation {
            add(.requireTrustedAttestation, .registration) { !$0.isTrusted }
        }
        if let formats = new.attestationFormats, formats != old.attestationFormats {
            let (was, allowed) = (old.attestationFormats.map { Set($0) }, Set(formats))
            add(.attestationFormats, .registration) { passkey in
                !allowed.contains(passkey.attestationFormat) && was?.contains(passkey.attestationFormat) ?? true
            }
        }
        if new.requireBackupEligible, !old.requireBackupEligible {
            add(.requireBackupEligible, .registration) { $0.backupEligible == false }
        }
        return rules
    }

    // MARK: Ways in

    private static func ways(_ before: Connection, _ after: Connection) -> [ImpactRule] {
        let (old, new) = (before.options, after.options)
        let place = "databases/\(before.name) options."
        var rules: [ImpactRule] = []
        if old.passkeysEnabled, !new.passkeysEnabled {
            rules.append(
                ImpactRule(
                    change: place + "authentication_methods.passkey.enabled",
                    rule: "passkey.enabled",
                    effect: .signIn,
                    connections: [before.id],
                    touchesPasskey: { _ in true }
                )
            )
        }
        if old.passwordsEnabled, !new.passwordsEnabled {
            rules.append(
                ImpactRule(
                    change: place + "authentication_methods.password.enabled",
                    rule: "password.enabled",
                    effect: .signIn,
                    connections: [before.id],
                    touchesUser: { $0.hasPassword }
                )
            )
        }
        for kind in old.activeIdentifiers.subtracting(new.activeIdentifiers).sorted(by: { $0.rawValue < $1.rawValue }) {
            rules.append(
                ImpactRule(
                    change: place + "attributes.\(kind.rawValue).identifier.active",
                    rule: "identifier",
                    effect: .signIn,
                    connections: [before.id],
                    touchesUser: { user in user.identifiers.contains { $0.kind == kind } }
                )
            )
        }
        return rules
    }

    // MARK: Clients

    /// A client that loses a grant, a connection or itself takes a way in from the users of its connections.
    private static func clients(from old: TenantConfiguration, to new: TenantConfiguration) -> [ImpactRule] {
        var rules: [ImpactRule] = []
        for client in old.clients.values.sorted(by: { ($0.name, $0.id.text) < ($1.name, $1.id.text) }) {
            for (grants, rule) in [([GrantType.webAuthn], "passkey"), ([.password, .passwordRealm], "password")] {
                func served(_ configuration: TenantConfiguration) -> Set<ConnectionID> {
                    guard let client = configuration.clients[client.id], grants.contains(where: client.allows) else {
                        return []
                    }
                    return Set(
                        configuration.connections.filter { $0.enabledClients.contains(client.id) }.map(\.id)
                    )
                }
                // A directory that goes has no users.
                let lost = served(old).subtracting(served(new)).filter { new.connection($0) != nil }
                guard !lost.isEmpty else { continue }
                let isPasskey = rule == "passkey"
                rules.append(
                    ImpactRule(
                        change: "clients/\(client.name) grant_types \(rule)",
                        rule: "grant_types",
                        effect: .signIn,
                        connections: lost,
                        touchesPasskey: { _ in isPasskey },
                        touchesUser: { !isPasskey && $0.hasPassword }
                    )
                )
            }
        }
        return rules
    }
}
