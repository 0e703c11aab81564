import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let impact = [
        promise("By what users get in is told page by page, everybody once, nobody of another tenant") { scene in
            let elsewhere = try await Scene(scene.store)
            _ = try await elsewhere.signUp()
            let (one, two) = (try await scene.signUp(uvInitialized: false), try await scene.addWithPassword())
            let three = try await scene.signUp(backupEligible: nil, blockedAt: scene.now)
            var told: [WaysIn] = []
            while true {
                let page = try await scene.store.waysIn(of: scene.tenant, after: told.last?.user, limit: 2)
                try require(page.count <= 2, "no more than were asked for")
                told += page
                if page.count < 2 { break }
            }
            try requireEqual(told.count, 3, "how many users")
            let first = try requireSome(told.first { $0.user == one.user.id }, "the first")
            try requireEqual(first.identifiers, one.user.identifiers, "identifiers")
            try requireEqual(first.connection, scene.connection, "the connection")
            try requireEqual(first.name, "Ana é", "the name")
            try require(!first.hasPassword && !first.isBlocked, "no password, not blocked")
            try requireEqual(first.passkeys.count, 1, "passkeys")
            let facts = try requireSome(first.passkeys.first, "the passkey")
            try requireEqual(facts.relyingPartyID, scene.relyingPartyID, "the RP ID")
            try requireEqual(facts.aaguid, one.passkey.record.aaguid, "the model")
            try requireEqual(facts.attestationFormat, "packed", "the format")
            try require(facts.isTrusted && !facts.uvInitialized && !facts.isSuspended, "trusted, UV never seen, in use")
            try requireEqual(facts.backupEligible, true, "BE")
            let second = try requireSome(told.first { $0.user == two.user.id }, "the second")
            try require(second.hasPassword && second.passkeys.isEmpty, "a password and no passkey")
            let third = try requireSome(told.first { $0.user == three.user.id }, "the third")
            try require(third.isBlocked && third.passkeys.count == 1, "blocked, with a passkey")
            try requireEqual(third.passkeys.first?.backupEligible, .some(nil), "BE, which nobody told")
        },
        promise("A change that holds the version is done to the state that was read, or not at all") { scene in
            let version = try await scene.store.version()
            var settings = TenantSettings()
            settings.friendlyName = "Held"
            let held = settings
            try require(
                try await scene.change(
                    .unchanged(since: version - 1),
                    .setSettings(held, replacing: scene.now, at: scene.later(1))
                ) == false,
                "another version is refused"
            )
            let before = try await scene.store.configuration(of: scene.tenant)?.tenant.settings.friendlyName
            try require(before != "Held", "nothing was done")
            var isDone = false
            // Others change the same store meanwhile.
            for _ in 0..<1000 where !isDone {
                let read = try requireSome(try await scene.store.configuration(of: scene.tenant), "the configuration")
                isDone = try await scene.change(
                    .unchanged(since: read.version),
                    .setSettings(held, replacing: read.tenant.updatedAt, at: scene.later(1))
                )
            }
            try require(isDone, "the version that was read is taken")
            let after = try await scene.store.configuration(of: scene.tenant)?.tenant.settings.friendlyName
            try requireEqual(after, "Held", "the settings")
        },
    ]
}
