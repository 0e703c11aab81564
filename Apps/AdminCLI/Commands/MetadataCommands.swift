import Encodings
import Identity
import Terminal
import WebAuthn

/// `mds import|show|sweep`.
enum MetadataCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "mds",
            "take the metadata of authenticators (FIDO MDS3) in, look into it, and hold passkeys against it",
            group: AdminProgram.Group.metadata,
            commands: [take(tools), show(tools), sweep(tools)]
        )
    }

    private static func take(_ tools: AdminTools) -> Command {
        Command(
            "import",
            "verify a metadata BLOB and keep it in the place of the last one, which stays when this one is refused; "
                + "without FILE it is fetched from mds.url",
            words: [Word("FILE", isOptional: true, "the BLOB, as the service gives it")],
            flags: [
                Flag("roots", "FILE", "PEM of the roots to trust; unless given, mds.roots"),
                Flag("crls", "FOLDER", "revocation lists of the signer's authorities; unless given, mds.crls"),
                Flag("allow-stale", "take it also when its next update is over"),
                Flag("new-series", "take it although its number is lower than the last one's: for a change of roots"),
                .output(),
            ],
            examples: [
                "latchkey-admin mds import", "latchkey-admin mds import blob.jwt --roots mds-root.pem",
            ],
            exits: [.conflict, .answerIsNo, .unavailable]
        ) { invocation, console in
            try await Deployment.run(
                invocation,
                console,
                tools,
                preparing: { settings in
                    try await MetadataSources(file: invocation.word("FILE"), settings, console, invocation, tools)
                }
            ) { deployment, sources in
                try await keep(sources, deployment)
            }
        }
    }

    private static func keep(_ sources: MetadataSources, _ deployment: Deployment) async throws -> ExitCode {
        let (console, invocation, now) = (deployment.console, deployment.invocation, deployment.now)
        let last = try await deployment.store.metadata()
        let blob: MetadataBLOB
        do throws(MetadataError) {
            blob = try MetadataBLOB(
                verifying: sources.blob[...],
                roots: sources.roots,
                certificates: sources.certificates,
                lists: sources.lists,
                lastSeen: invocation.isSet("new-series") ? nil : last?.number,
                at: now.seconds
            )
        } catch {
            throw CommandFailure(error.exit, "the metadata is refused: \(error). \(staying(last))")
        }
        let payload = blob.payload
        guard !payload.isStale(at: now.seconds) || invocation.isSet("allow-stale") else {
            throw CommandFailure(
                .answerIsNo,
                "the metadata is refused: it was to be replaced by \(payload.nextUpdate). Get a newer one, or add "
                    + "--allow-stale. \(staying(last))"
            )
        }
        let isKept = try await deployment.store.keep(
            StoredMetadata(
                number: payload.number,
                nextUpdate: payload.nextUpdate,
                payload: blob.payloadBytes,
                signer: blob.signer,
                importedAt: now
            ),
            inPlaceOf: invocation.isSet("new-series") ? last?.number : nil
        )
        guard isKept else {
            throw CommandFailure(.conflict, "somebody has imported newer metadata meanwhile, which stays.")
        }
        // It changes which keys every tenant trusts.
        await deployment.audit("metadata \(payload.number)", of: try await deployment.store.tenants())
        console.answer(Details(Shape.metadata(blob, replacing: last, at: now)), as: invocation.format)
        warn(blob, deployment)
        return .done
    }

    private static func staying(_ last: StoredMetadata?) -> String {
        last.map { "Number \($0.number) stays in use." } ?? "There is none in use."
    }

    private static func warn(_ blob: MetadataBLOB, _ deployment: Deployment) {
        let program = deployment.invocation.program
        if blob.payload.unreadableEntries > 0 {
            deployment.console.warn(
                program,
                "\(blob.payload.unreadableEntries) entries cannot be read and count for nothing."
            )
        }
        if blob.payload.isStale(at: deployment.now.seconds) {
            deployment.console.warn(program, "there should be newer metadata since \(blob.payload.nextUpdate).")
        }
        for certificate in blob.revocation where certificate.state != .good {
            let why = certificate.state == .noList ? "there is no list of its issuer" : "the list is outdated"
            deployment.console.warn(
                program,
                "whether the certificate of \(certificate.subject) was revoked is not known: \(why)."
            )
        }
    }

    private static func show(_ tools: AdminTools) -> Command {
        Command(
            "show",
            "show what the metadata says of a model; without AAGUID, which metadata is in use",
            words: [
                Word(
                    "AAGUID",
                    isOptional: true,
                    "the model's UUID, or of a U2F model the identifier of its attestation key in hex"
                )
            ],
            flags: [.output()],
            examples: [
                "latchkey-admin mds show", "latchkey-admin mds show ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4 -o json",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let stored = try await deployment.store.metadata()
                guard let word = invocation.word("AAGUID") else {
                    guard let stored else { throw CommandFailure(.notFound, "no metadata was imported yet.") }
                    let metadata = try Shape.read(stored)
                    console.answer(Details(Shape.metadata(stored, metadata, at: deployment.now)), as: invocation.format)
                    return .done
                }
                let metadata = try stored.map { try Shape.read($0) }
                if let aaguid = AAGUID(word) {
                    let model = metadata?.model(aaguid)
                    guard model != nil || WellKnownProviders.name(aaguid) != nil else {
                        throw CommandFailure.notFound("model", word)
                    }
                    console.answer(Details(Shape.model(aaguid, model, at: deployment.now)), as: invocation.format)
                    return .done
                }
                guard let identifier = try? Hex.decode(word),
                    let model = metadata?.model(attestationKeyIdentifier: identifier)
                else { throw CommandFailure.notFound("model", word) }
                console.answer(Details(Shape.model(nil, model, at: deployment.now)), as: invocation.format)
                return .done
            }
        }
    }

    private static func sweep(_ tools: AdminTools) -> Command {
        Command(
            "sweep",
            "list the passkeys whose authenticator's model was revoked or compromised since they were made; "
                + "nothing is changed",
            flags: [AdminProgram.tenantFlag, .output(ofList: true)],
            examples: ["latchkey-admin mds sweep", "latchkey-admin mds sweep --tenant acme -o json"],
            exits: [.notFound, .answerIsNo, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                guard let stored = try await deployment.store.metadata() else {
                    throw CommandFailure(.notFound, "no metadata was imported yet. Use mds import.")
                }
                let sweep = MetadataSweep(metadata: try Shape.read(stored), deployment: deployment)
                let rows = try await sweep.rows(in: try await deployment.tenantsToSweep())
                let columns = [
                    Column("tenant"), Column("user_id", title: "USER"), Column("id", title: "PASSKEY"),
                    Column("authenticator"), Column("status"), Column("effective_date", title: "SINCE"),
                    Column("proven"), Column("created_at", title: "CREATED", .time),
                    Column("last_auth_at", title: "LAST USED", .time),
                ]
                console.answer(Listing(columns, rows: rows), as: invocation.format)
                return rows.isEmpty ? .done : .answerIsNo
            }
        }
    }
}

extension Deployment {
    /// The tenant of `--tenant`, or all.
    fileprivate func tenantsToSweep() async throws -> [Tenant] {
        guard invocation.value("tenant") == nil else { return [try await tenant().tenant] }
        return try await store.tenants()
    }
}

extension MetadataError {
    /// What a refused BLOB ends the command with.
    fileprivate var exit: ExitCode {
        switch self {
        case .rollback: .conflict
        case .malformed: .wrongUse
        case .signature, .chain, .revoked: .answerIsNo
        }
    }
}

/// Looks at every passkey of some tenants, page by page.
struct MetadataSweep {
    let metadata: AuthenticatorMetadata
    let deployment: Deployment

    private static let page = 500

    /// A row for each passkey whose model has something against it.
    func rows(in tenants: [Tenant]) async throws -> [JSONObject] {
        var rows: [JSONObject] = []
        for tenant in tenants {
            var cursor: PasskeyNumber?
            repeat {
                let page = try await deployment.store.passkeys(of: tenant.id, after: cursor, limit: Self.page)
                for passkey in page {
                    if let row = try await row(passkey, of: tenant) { rows.append(row) }
                }
                cursor = page.last?.number
            } while cursor != nil
        }
        return rows
    }

    private func row(_ passkey: Passkey, of tenant: Tenant) async throws -> JSONObject? {
        let record = passkey.record
        var object: [UInt8]?
        if record.aaguid == .zero, record.attestationType != .none, let number = passkey.number {
            object = try await deployment.store.attestationObject(of: number, tenant: tenant.id)
        }
        guard let model = metadata.model(record.aaguid, attestationObject: object),
            let report = model.compromise(at: deployment.now.seconds)
        else { return nil }
        var row: JSONObject = [
            "tenant": .string(tenant.name), "user_id": .string(passkey.user.subject), "id": .string(passkey.id.text),
            "aaguid": .string(record.aaguid.description),
            "authenticator": .string(model.statement?.name ?? ""), "status": .string(report.status.rawValue),
            "effective_date": report.effectiveDate.map { .string($0) } ?? .null,
            // An AAGUID without a trusted attestation is a claim.
            "proven": .bool(record.attestationTrusted),
            "created_at": .string(passkey.createdAt.rfc3339),
        ]
        if let used = passkey.lastUsedAt { row.set("last_auth_at", .string(used.rfc3339)) }
        return row
    }
}
