import Encodings
import Identity
import Terminal

/// `user export`: as users are imported, so that what it writes can be read again.
enum UserExport {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "export",
            "write all users with their passkeys as JSON, in the form of an import",
            flags: [
                Flag("connection", "NAME", "of this connection only"),
                Flag("with-hashes", "password hashes too: whoever reads them can try passwords at leisure"),
            ],
            examples: [
                "latchkey-admin user export --tenant acme > users.json",
                "latchkey-admin user export --connection Staff --with-hashes > staff.json",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let connection = try invocation.value("connection").map { try tenant.connection(called: $0).id }
                if invocation.isSet("with-hashes") {
                    // Before anything is written: who takes hashes out is written down.
                    try await deployment.store.append(
                        ceremonies: [],
                        events: [deployment.event("password hashes", of: tenant.tenant.id)]
                    )
                }
                let count = try await write(
                    tenant.tenant.id,
                    of: connection,
                    withHashes: invocation.isSet("with-hashes"),
                    deployment,
                    to: { console.output.write($0) }
                )
                console.note("\(count) users")
                return .done
            }
        }
    }

    /// Writes users as one JSON array, a user a line, the newest first.
    ///
    /// - Parameters:
    ///   - tenant: whose.
    ///   - connection: of this one only; `nil`: of all.
    ///   - withHashes: with their password hashes.
    ///   - deployment: where they are.
    ///   - write: takes each piece.
    /// - Returns: how many.
    /// - Throws: what the store or `write` throws.
    static func write(
        _ tenant: TenantID,
        of connection: ConnectionID? = nil,
        withHashes: Bool,
        _ deployment: Deployment,
        to write: (String) throws -> Void
    ) async throws -> Int {
        var cursor: UserID?
        var count = 0
        try write("[")
        while true {
            let users = try await deployment.store.users(of: tenant, before: cursor, limit: 500)
            for user in users where connection.map({ $0 == user.connection }) ?? true {
                let document = try await document(user, withHash: withHashes, deployment)
                let text = String(decoding: JSONValue.object(document).serialized(), as: UTF8.self)
                try write((count == 0 ? "\n" : ",\n") + text)
                count += 1
            }
            guard let last = users.last, users.count == 500 else { break }
            cursor = last.id
        }
        try write("\n]\n")
        return count
    }

    private static func document(_ user: User, withHash: Bool, _ deployment: Deployment) async throws -> JSONObject {
        var document: JSONObject = ["user_id": .string(user.id.hex)]
        user.writeIdentifiers(to: &document)
        user.writeProfile(to: &document)
        let profile = user.profile
        if user.blockedAt != nil { document.set("blocked", true) }
        if !profile.userMetadata.isEmpty { document.set("user_metadata", .object(profile.userMetadata)) }
        if !profile.appMetadata.isEmpty { document.set("app_metadata", .object(profile.appMetadata)) }
        if withHash, let password = try await deployment.store.password(of: user.id, tenant: user.tenant) {
            set(hash: password.hash, in: &document)
        }
        let passkeys = try await deployment.store.passkeys(of: user.id, relyingPartyID: nil, tenant: user.tenant)
        if !passkeys.isEmpty {
            document.set("passkeys", .array(passkeys.map { .object(BroughtPasskey.document(of: $0)) }))
        }
        return document
    }

    private static func set(hash: String, in document: inout JSONObject) {
        guard !hash.hasPrefix("$2") else { return document.set("password_hash", .string(hash)) }
        let name = hash.split(separator: "$").first.map(String.init) ?? ""
        let algorithm = ["argon2", "scrypt", "pbkdf2"].first { name.hasPrefix($0) } ?? name
        document.set(
            "custom_password_hash",
            ["algorithm": .string(algorithm), "hash": ["value": .string(hash), "encoding": "utf8"]]
        )
    }
}
