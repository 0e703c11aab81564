import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let adoption = [
        promise("By what users sign in is counted page by page, everybody once, nobody of another tenant") { scene in
            let elsewhere = try await Scene(scene.store)
            _ = try await elsewhere.signUp()
            _ = try await scene.signUp()
            let suspended = try await scene.signUp()
            try await scene.store.suspend(suspended.number, tenant: scene.tenant, audit: scene.audit("sapi"))
            _ = try await scene.signUp(blockedAt: scene.now)
            _ = try await scene.addWithPassword()
            for backed in [true, false] {
                let person = try await scene.addWithPassword()
                let passkey = scene.passkey(of: person.user.id)
                let outcome = try await scene.store.add(
                    passkey,
                    maximum: 10,
                    ceremony: scene.ceremony(user: person.user.id),
                    audit: scene.audit("sapi")
                )
                try requireEqual(outcome, .added, "the passkey")
                if backed {
                    let number = try requireSome(
                        try await scene.store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
                            .first?.number,
                        "its number"
                    )
                    try require(
                        try await scene.store.finishLogin(
                            scene.use(number, signCount: 0, backupState: true),
                            login: scene.login(scene.session(of: person.user.id))
                        ),
                        "it is used, and backed up"
                    )
                }
            }
            var sum = AdoptionCount()
            var last: UserID?
            var pages = 0
            repeat {
                let page = try await scene.store.adoption(of: scene.tenant, after: last, limit: 2)
                try require(page.counts.keys.allSatisfy { $0 == scene.connection }, "of its own connection")
                for count in page.counts.values { sum += count }
                last = page.last
                pages += 1
            } while last != nil && pages < 10
            var expected = AdoptionCount()
            expected.users = 6
            expected.blocked = 1
            expected.passkeyOnly = 1
            expected.passkeyAndPassword = 2
            expected.passwordOnly = 1
            expected.nothing = 1
            expected.couldRetirePassword = 1
            expected.passkeys = 3
            try requireEqual(sum, expected, "the counts")
            try require(pages > 2, "in pages")
        }
    ]
}
