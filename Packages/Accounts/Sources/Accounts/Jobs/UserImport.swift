internal import Encodings
internal import Identity

/// Brings the users of one import in (HTTP contract 11.17): one bad user does not stop the others.
struct UserImport: Sendable {
    let store: any UserStore & UserAdministrationStore & CredentialStore
    let configuration: TenantConfiguration
    let connection: Connection
    let job: Job
    let random: RandomSource
    /// Whether somebody who is there already is changed instead of refused; passwords and passkeys never are.
    let upserts: Bool
    /// Whether whoever asked may bring passkeys.
    let bringsPasskeys: Bool
    /// Whether all is checked and nothing written.
    let isDry: Bool

    /// What became of one user.
    enum Outcome: Sendable {
        case inserted, updated
        case failed(JSONObject)
    }

    /// A user of the file, as far as one can be judged alone.
    struct Candidate: Sendable {
        let document: JSONObject
        let user: UserDocument
        let hash: String?

        /// What nobody else may have: of two users of a file who share one, the first is brought in.
        var claims: Set<Claim> {
            var claims = Set(
                user.identifiers.map {
                    Claim(conflict: .identifier, value: Array("\($0.kind.rawValue):\($0.canonical)".utf8))
                }
            )
            if let id = user.id { claims.insert(Claim(conflict: .user, value: Array(id.subject.utf8))) }
            for passkey in user.passkeys { claims.insert(Claim(conflict: .credential, value: passkey.credentialID)) }
            return claims
        }
    }

    /// What one user alone may have, and what the store says when another has it.
    struct Claim: Hashable, Sendable {
        let conflict: StoreError.Conflict
        let value: [UInt8]
    }

    /// What the list of errors says of a user who is not brought in.
    struct Failure: Error {
        let entry: JSONObject
    }

    /// Reads one user.
    ///
    /// - Parameter element: an object of the file.
    /// - Returns: who may be brought in.
    /// - Throws: what is wrong with it.
    func read(_ element: [UInt8]) throws(Failure) -> Candidate {
        guard let document = (try? JSON.parse(element))?.object else { throw failure([:], Self.notJSON) }
        let user: UserDocument
        let hash: String?
        do throws(DocumentError) {
            user = try UserDocument(
                document,
                for: .import(relyingPartyIDs: configuration.relyingPartyIDs),
                in: connection.options
            )
        } catch {
            throw failure(document, ImportFault("invalid_user", error.path, Self.message(error)))
        }
        do throws(ImportFault) { hash = try ImportedHash.read(user) } catch { throw failure(document, error) }
        guard user.passkeys.isEmpty || bringsPasskeys else {
            throw failure(
                document,
                ImportFault("insufficient_scope", "passkeys", "the scope create:authentication_methods is missing")
            )
        }
        guard user.passkeys.count <= connection.options.passkey.maximumPerUser else {
            throw failure(document, ImportFault("too_many_passkeys", "passkeys", "it has too many passkeys"))
        }
        return Candidate(document: document, user: user, hash: hash)
    }

    /// Brings one user in.
    ///
    /// - Parameters:
    ///   - candidate: the user.
    ///   - now: when.
    /// - Returns: what became of it.
    /// - Throws: only what the store itself is at fault for.
    func bring(_ candidate: Candidate, now: UnixTime) async throws(StoreError) -> Outcome {
        let (document, user) = (candidate.document, candidate.user)
        let id = user.id ?? UserID(now: now, random: random(8))
        let handle = random(32)
        var passkeys: [Passkey] = []
        for (index, brought) in user.passkeys.enumerated() {
            do throws(DocumentError) {
                passkeys.append(
                    try brought.passkey(
                        id: PasskeyID(random: random(12)),
                        of: id,
                        ownHandle: handle,
                        tenant: job.tenant,
                        now: now
                    )
                )
            } catch {
                return failed(document, ImportFault("invalid_passkey", "passkeys[\(index)]", Self.message(error)))
            }
        }
        for identifier in user.identifiers {
            guard let there = try await store.user(with: identifier, in: connection.id, of: job.tenant) else {
                continue
            }
            guard upserts else {
                return failed(
                    document,
                    ImportFault("user_exists", identifier.kind.rawValue, "The user already exists.")
                )
            }
            guard user.id == nil || user.id == there else {
                return failed(document, ImportFault("user_id_taken", "user_id", "the user has another user_id"))
            }
            return try await update(there, user, document, now: now)
        }
        let new = User(
            id: id,
            tenant: job.tenant,
            connection: connection.id,
            identifiers: user.identifiers,
            profile: user.profile,
            blockedAt: user.isBlocked ? now : nil,
            createdAt: now,
            updatedAt: now
        )
        if isDry { return try await check(new, passkeys, document) }
        do throws(StoreError) {
            try await store.add(
                NewUser(
                    user: new,
                    userHandle: handle,
                    password: candidate.hash.map { PasswordRecord(hash: $0, changedAt: now) },
                    passkeys: passkeys
                ),
                audit: event(id, now)
            )
            return .inserted
        } catch .unique(let conflict) {
            return failed(document, Self.fault(conflict))
        }
    }

    /// What a dry run finds where the store itself would refuse.
    private func check(
        _ user: User,
        _ passkeys: [Passkey],
        _ document: JSONObject
    ) async throws(StoreError) -> Outcome {
        if try await store.user(user.id, of: user.tenant) != nil { return failed(document, Self.fault(.user)) }
        for passkey in passkeys {
            let there = try await store.candidate(
                credentialID: passkey.credentialID,
                relyingPartyID: passkey.relyingPartyID,
                tenant: user.tenant
            )
            if there != nil { return failed(document, Self.fault(.credential)) }
        }
        return .inserted
    }

    /// What becomes of a user in a dry run, of whom an earlier one of the same file has something already.
    ///
    /// - Parameters:
    ///   - candidate: the user.
    ///   - claims: what both have; not empty.
    /// - Returns: what the import itself would say of it.
    func repeated(_ candidate: Candidate, _ claims: Set<Claim>) -> Outcome {
        let conflicts = Set(claims.map(\.conflict))
        if upserts, conflicts.contains(.identifier) { return .updated }
        let first = [StoreError.Conflict.identifier, .user, .credential].first(where: conflicts.contains)
        return failed(candidate.document, Self.fault(first ?? .user))
    }

    /// Takes over what the file says of somebody who is there: profile, metadata, whether blocked and verified.
    private func update(
        _ id: UserID,
        _ user: UserDocument,
        _ document: JSONObject,
        now: UnixTime
    ) async throws(StoreError) -> Outcome {
        if isDry { return .updated }
        for _ in 0..<5 {
            guard let old = try await store.user(id, of: job.tenant) else { break }
            var patch = document
            for name in ["user_id", "password_hash", "custom_password_hash", "passkeys", "mfa_factors"] {
                patch.remove(name)
            }
            do throws(DocumentError) {
                let read = try UserPatch(patch, of: old, in: connection.options)
                var new = read.user
                new.updatedAt = max(now, old.updatedAt.adding(milliseconds: 1))
                if let isBlocked = read.isBlocked { new.blockedAt = isBlocked ? old.blockedAt ?? now : nil }
                do throws(StoreError) {
                    if try await store.change(UserChange(old: old, new: new), audit: event(id, now)) {
                        return .updated
                    }
                } catch .unique(let conflict) {
                    return failed(document, Self.fault(conflict))
                } catch {
                    return failed(document, ImportFault("store", "", "the store did not take it"))
                }
            } catch {
                return failed(document, ImportFault("invalid_user", error.path, Self.message(error)))
            }
        }
        return failed(document, ImportFault("changed_meanwhile", "", "it was changed by others at the same time"))
    }

    private func event(_ user: UserID, _ now: UnixTime) -> AuditEvent {
        AuditEvent(
            tenant: job.tenant,
            types: ["sapi"],
            at: now,
            user: user,
            client: job.client,
            connection: connection.id,
            device: Device(address: "", userAgent: ""),
            details: ["job": .string(job.id.text)]
        )
    }

    private static let notJSON = ImportFault("invalid_json", "", "it is not a JSON object")

    private static func fault(_ conflict: StoreError.Conflict) -> ImportFault {
        switch conflict {
        case .user: ImportFault("user_id_taken", "user_id", "another user has this user_id")
        case .identifier: ImportFault("user_exists", "", "The user already exists.")
        case .credential: ImportFault("passkey_exists", "passkeys", "another user has a passkey with this key_id")
        case .userHandle: ImportFault("user_handle_taken", "passkeys", "another user has this user_handle")
        default: ImportFault("conflict", "", "it is there already")
        }
    }

    private static func message(_ error: DocumentError) -> String { error.payloadMessage }

    /// What the list of errors says of a user: who, and never a hash or a key.
    private func failed(_ document: JSONObject, _ fault: ImportFault) -> Outcome {
        .failed(failure(document, fault).entry)
    }

    private func failure(_ document: JSONObject, _ fault: ImportFault) -> Failure {
        var user = JSONObject()
        for name in ["user_id", "email", "username", "phone_number"] {
            if let text = document[name]?.string {
                user.set(name, .string(String(decoding: text.utf8.prefix(254), as: UTF8.self)))
            }
        }
        return Failure(entry: [
            "user": .object(user),
            "errors": [
                [
                    "code": .string(fault.code),
                    "message": .string(String(decoding: fault.message.utf8.prefix(500), as: UTF8.self)),
                    "path": .string(fault.path),
                ]
            ],
        ])
    }
}
