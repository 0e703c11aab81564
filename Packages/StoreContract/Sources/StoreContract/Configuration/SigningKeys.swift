import Identity

extension CredentialDatabaseContract {
    static let signingKeys = [
        Promise<any CredentialDatabase>("Of many secrets that are offered at once, one stays, and all learn it") {
            store in
            let secrets = try await race(30) { index in
                try await store.deploymentSecret(
                    orStoring: DeploymentSecret(
                        masterKeyID: "key-\(index)",
                        sealedDataKey: randomBytes(60),
                        masterKeyCheck: randomBytes(32),
                        createdAt: Scene.start
                    )
                )
            }
            try requireEqual(Set(secrets).count, 1, "the number of secrets")
            try requireEqual(try await store.deploymentSecret(), secrets.first, "the secret that is kept")
        },
        promise("Keys are kept, and those that are retired are not given") { scene in
            let before = try await scene.store.version()
            let keys = [
                key(scene, .es256, .active, age: 2), key(scene, .rs256, .active, age: 1),
                key(scene, .rs256, .published, age: 0),
            ]
            try await scene.store.add(keys.reversed() + [key(scene, .rs256, .retired, age: 9)])
            try requireEqual(try await scene.store.signingKeys(of: scene.tenant), keys, "the keys, oldest first")
            try require(try await scene.store.version() > before, "the version grows with new keys")
        },
        promise("Of many servers that make a tenant's first keys at once, one does") { scene in
            let conflicts = try await race(8) { _ in
                try await conflict { () throws(StoreError) in
                    try await scene.store.add([
                        key(scene, .es256, .active, age: 0), key(scene, .rs256, .active, age: 0),
                    ])
                }
            }
            try requireEqual(conflicts.filter { $0 == nil }.count, 1, "the number of winners")
            try requireEqual(conflicts.filter { $0 == .signingKey }.count, 7, "the number of losers by the key")
            try requireEqual(try await scene.store.signingKeys(of: scene.tenant).count, 2, "the number of keys")
        },
    ]

    @Sendable private static func key(
        _ scene: Scene,
        _ algorithm: TokenAlgorithm,
        _ state: SigningKeyState,
        age: Int64
    ) -> SigningKeyRecord {
        SigningKeyRecord(
            id: KeyID("kid-\(UInt64.random(in: 0 ... .max))"),
            tenant: scene.tenant,
            algorithm: algorithm,
            state: state,
            publicKey: randomBytes(91),
            certificate: randomBytes(300),
            sealedPrivateKey: randomBytes(166),
            createdAt: scene.later(-1000 * age),
            activatedAt: state == .active ? scene.now : nil
        )
    }
}
