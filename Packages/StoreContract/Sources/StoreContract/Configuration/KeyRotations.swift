import Identity

extension CredentialDatabaseContract {
    static let lonelyKeyRotations: [Promise<any CredentialDatabase>] = [
        Promise("Of two that seal the secret anew at once one does, and what it rests on must still be there") {
            store in
            let old = try await store.deploymentSecret(orStoring: secret("a"))
            let new = [secret("b"), secret("c")]
            // A race gives what it gathers in the order of its ends.
            let winners = try await race(2) { index in try await store.reseal(old, as: new[index]) ? index : nil }
                .compactMap { $0 }
            try requireEqual(winners.count, 1, "the number of winners")
            try requireEqual(
                try await store.deploymentSecret(),
                winners.first.map { new[$0] },
                "the secret that is kept"
            )
            try requireEqual(try await store.reseal(old, as: secret("d")), false, "sealing what is gone")
        },
        Promise("After a lost master key no private key is left, and nobody is signed in") { store in
            let scene = try await Scene(store)
            let old = try await store.deploymentSecret(orStoring: secret("a"))
            let keys = [key(scene, .active), key(scene, .published), key(scene, .retiring)]
            try await store.add(keys)
            let person = try await scene.signUp()
            let things = try await store.sealedThings()
            try requireEqual(
                things,
                SealedThings(signingKeys: 3, sessions: 1, refreshFamilies: 1),
                "what is lost"
            )
            try requireEqual(
                try await store.replaceLost(secret("x"), with: secret("b"), at: scene.now),
                false,
                "replacing another secret"
            )
            try requireEqual(try await store.sealedThings(), things, "what is there after that")
            try requireEqual(
                try await store.replaceLost(old, with: secret("b"), at: scene.now),
                true,
                "replacing the secret"
            )
            let left = try await store.signingKeys(of: scene.tenant)
            try requireEqual(Set(left.map(\.id)), [keys[0].id, keys[2].id], "the keys that can still verify")
            try require(left.allSatisfy { $0.state == .retiring && $0.sealedPrivateKey.isEmpty }, "they sign no more")
            try requireEqual(left.first { $0.id == keys[0].id }?.retiringAt, scene.now, "since when")
            let after = try await store.sealedThings()
            try requireEqual([after.sessions, after.refreshFamilies], [0, 0], "who is signed in")
            let passkeys = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try requireEqual(passkeys.map(\.id), [person.passkey.id], "the passkeys, which are as they were")
        },
    ]

    static let keyRotations = [
        promise("Of many rotations of the same keys at once, one is done") { scene in
            let (active, next) = (key(scene, .active), key(scene, .published))
            try await scene.store.add([active, next])
            let before = try await scene.store.version()
            let done = try await race(8) { _ in
                try await scene.store.rotate(
                    SigningKeyChange(
                        tenant: scene.tenant,
                        current: active.id,
                        next: next.id,
                        new: key(scene, .published),
                        at: scene.later(5000)
                    ),
                    audit: scene.audit("sapi")
                )
            }
            try requireEqual(done.filter { $0 }.count, 1, "the number of winners")
            try require(try await scene.store.version() > before, "the version grows with a rotation")
            let keys = try await scene.store.signingKeys(of: scene.tenant)
            try requireEqual(keys.count, 3, "the number of keys")
            let states = Dictionary(uniqueKeysWithValues: keys.map { ($0.id, $0) })
            try requireEqual(states[active.id]?.state, .retiring, "the old key")
            try requireEqual(states[active.id]?.retiringAt, scene.later(5000), "when it signs no more")
            try requireEqual(states[next.id]?.state, .active, "the next key")
            try requireEqual(states[next.id]?.activatedAt, scene.later(5000), "from when it signs")
        },
        promise("A key is revoked once and for ever, and never while it is active; retiring ones alone retire") {
            scene in
            let keys = [key(scene, .active), key(scene, .published), key(scene, .retiring), key(scene, .retiring)]
            try await scene.store.add(keys)
            var revoked: [Bool] = []
            for index in [0, 1, 2, 2] {
                revoked.append(
                    try await scene.store.revoke(
                        keys[index].id,
                        of: scene.tenant,
                        at: scene.now,
                        audit: scene.audit("sapi")
                    )
                )
            }
            try requireEqual(revoked, [false, true, true, false], "what was revoked")
            let elsewhere = TenantID(number: scene.tenant.number + 1_000_000)
            let foreign = try await scene.store.revoke(
                keys[3].id,
                of: elsewhere,
                at: scene.now,
                audit: scene.audit("sapi")
            )
            try requireEqual(foreign, false, "another tenant's revocation")
            try await scene.store.retire(keys.map { SigningKeyPlace(tenant: scene.tenant, key: $0.id) })
            try requireEqual(
                try await scene.store.signingKeys(of: scene.tenant).map(\.id),
                [keys[0].id],
                "the keys that are left"
            )
        },
        promise("The longest life of a key's tokens only grows, and all keys are read page by page") { scene in
            let keys = (0..<3).map { _ in key(scene, .retiring) }
            try await scene.store.add(keys)
            let place = SigningKeyPlace(tenant: scene.tenant, key: keys[1].id)
            for seconds: Int64 in [600, 60, 900, 899] {
                try await scene.store.lengthen(place, tokenLifetime: seconds)
            }
            var (found, last): ([SigningKeyRecord], SigningKeyPlace?) = ([], nil)
            while true {
                let page = try await scene.store.signingKeys(after: last, limit: 2)
                guard let end = page.last else { break }
                found += page
                last = SigningKeyPlace(tenant: end.tenant, key: end.id)
            }
            let ours = found.filter { $0.tenant == scene.tenant }
            try requireEqual(Set(ours.map(\.id)), Set(keys.map(\.id)), "the keys of the tenant")
            try requireEqual(ours.count, 3, "how many")
            try requireEqual(ours.first { $0.id == keys[1].id }?.tokenLifetime, 900, "the longest life")
        },
    ]

    @Sendable private static func secret(_ name: String) -> DeploymentSecret {
        DeploymentSecret(
            masterKeyID: name,
            sealedDataKey: randomBytes(60),
            masterKeyCheck: randomBytes(32),
            createdAt: Scene.start
        )
    }

    @Sendable private static func key(_ scene: Scene, _ state: SigningKeyState) -> SigningKeyRecord {
        SigningKeyRecord(
            id: KeyID("kid-\(UInt64.random(in: 0 ... .max))"),
            tenant: scene.tenant,
            algorithm: .es256,
            state: state,
            publicKey: randomBytes(91),
            certificate: randomBytes(300),
            sealedPrivateKey: randomBytes(166),
            createdAt: scene.now,
            activatedAt: state == .published ? nil : scene.now,
            retiringAt: state == .retiring ? scene.now : nil,
            tokenLifetime: 60
        )
    }
}
