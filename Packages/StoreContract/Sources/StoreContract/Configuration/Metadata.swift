import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let metadata = [
        promise("The newest metadata stays, an older number changes nothing, and the revision tells") { scene in
            let store = scene.store
            let before = try await store.metadata()?.number ?? 0
            let revision = try await store.metadataRevision()
            let newer = sample(before + 10)
            try require(try await store.keep(newer, inPlaceOf: nil), "a higher number is kept")
            try requireEqual(try await store.metadata(), newer, "the metadata")
            let second = try await store.metadataRevision()
            try require(second > revision, "the revision grew")
            try require(try await !store.keep(sample(before + 9), inPlaceOf: nil), "a lower number is not kept")
            try requireEqual(try await store.metadata(), newer, "the metadata after an older one")
            try requireEqual(try await store.metadataRevision(), second, "the revision after an older one")
            let again = sample(before + 10)
            try require(try await store.keep(again, inPlaceOf: nil), "the same number is kept again")
            try requireEqual(try await store.metadata(), again, "the metadata, replaced")
            // Many at once: whatever the order, the highest is there in the end.
            _ = try await race(10) { index in try await store.keep(sample(before + 11 + Int64(index)), inPlaceOf: nil) }
            try requireEqual(try await store.metadata()?.number, before + 20, "the number after a race")
            let lower = sample(before + 3)
            try require(try await !store.keep(lower, inPlaceOf: before + 19), "a lower number in the place of another")
            try require(try await store.keep(lower, inPlaceOf: before + 20), "a lower number in the place of this one")
            try requireEqual(try await store.metadata(), lower, "the metadata of another series")
        },
        promise("All passkeys of a tenant come page by page, each once, with their attestation objects") { scene in
            let other = try await Scene(scene.store)
            _ = try await other.signUp()
            var wanted: [PasskeyID: [UInt8]?] = [:]
            for index in 0..<5 {
                let person = try await scene.signUp()
                wanted.updateValue(person.passkey.record.attestationObject, forKey: person.passkey.id)
                var passkey = scene.passkey(of: person.user.id)
                passkey.record.attestationObject = randomBytes(100 + index)
                _ = try await scene.store.add(
                    passkey,
                    maximum: 5,
                    ceremony: scene.ceremony(user: person.user.id),
                    audit: scene.audit("x")
                )
                wanted.updateValue(passkey.record.attestationObject, forKey: passkey.id)
            }
            var cursor: PasskeyNumber?
            var found: [PasskeyID: [UInt8]?] = [:]
            while true {
                let page = try await scene.store.passkeys(of: scene.tenant, after: cursor, limit: 3)
                try require(page.count <= 3, "a page is no longer than asked")
                for passkey in page {
                    try require(found[passkey.id] == nil, "a passkey comes once")
                    let number = try requireSome(passkey.number, "the number")
                    let object = try await scene.store.attestationObject(of: number, tenant: scene.tenant)
                    found.updateValue(object, forKey: passkey.id)
                    try requireEqual(
                        try await scene.store.attestationObject(of: number, tenant: other.tenant),
                        nil,
                        "the attestation object by another tenant"
                    )
                }
                guard let last = page.last else { break }
                cursor = last.number
            }
            try requireEqual(found, wanted, "the passkeys and their attestation objects")
        },
    ]

    @Sendable private static func sample(_ number: Int64) -> StoredMetadata {
        StoredMetadata(
            number: number,
            nextUpdate: "2026-12-31",
            payload: randomBytes(1000),
            signer: "CN=mds \"é\"",
            importedAt: Scene.start
        )
    }
}
