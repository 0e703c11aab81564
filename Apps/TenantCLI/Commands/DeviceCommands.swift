import Encodings
import Identity
import PublicSuffix
import Tenancy
import Terminal
import Transfer

/// `device set|show|check|files`: the apps of a client, and what the host of an RP ID has to serve for them (HTTP contract
/// 11.4, 14).
enum DeviceCommands {
    private static let word = Word("CLIENT", "its name or client_id")

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "device",
            "a client's apps on iOS and Android",
            group: TenantProgram.Group.policy,
            commands: [set(tools), show(tools), check(tools), files(tools)]
        )
    }

    private static func set(_ tools: TenantTools) -> Command {
        Command(
            "set",
            "say which apps a client has; what is not named stays",
            words: [word],
            flags: [
                Flag("ios", "TEAM.BUNDLE", "Team ID and bundle identifier, as ABCDE12345.com.acme.app; \"\" for none"),
                Flag(
                    "android",
                    "PACKAGE=SHA256,…",
                    "package name, and the SHA-256 of each signing certificate; \"\" for none"
                ),
                .output(), .fields,
            ],
            examples: [
                "latchkey-tenant device set \"My app\" --ios ABCDE12345.com.acme.app",
                "latchkey-tenant device set \"My app\" --android com.acme.app=FA:C6:17:45:…",
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let ios = try invocation.value("ios").map { (text) throws(CommandFailure) in try DeviceWords.ios(text) }
            let android = try invocation.value("android").map { (text) throws(CommandFailure) in
                try DeviceWords.android(text)
            }
            guard ios != nil || android != nil else {
                throw CommandFailure(.wrongUse, "nothing is to change. Use --ios or --android.")
            }
            return try await Session.run(invocation, console, tools) { session in
                let client = try await session.client(invocation.word("CLIENT") ?? "")
                var mobile = client["mobile"]?.object ?? [:]
                for (name, value) in [("ios", ios), ("android", android)] {
                    guard let value else { continue }
                    if value.isNull { mobile.remove(name) } else { mobile.set(name, value) }
                }
                let path = "clients/\(Session.encoded(client.text("client_id")))"
                let changed = try await session.call("PATCH", path, body: ["mobile": .object(mobile)])
                try session.answer(shape(changed.json.object ?? [:]))
                return .done
            }
        }
    }

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show a client's apps, and the origins that they sign in with",
            words: [word],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant device show \"My app\""],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                try session.answer(shape(try await session.client(invocation.word("CLIENT") ?? "")))
                return .done
            }
        }
    }

    private static func check(_ tools: TenantTools) -> Command {
        Command(
            "check",
            "fetch the files as Apple and Google do, and say what is wrong and what to do",
            words: [word],
            flags: [
                Flag("rp-id", "ID", "the RP ID whose host is asked; that of each of the tenant's domains unless given"),
                .output(ofList: true), .fields,
            ],
            examples: [
                "latchkey-tenant device check \"My app\"", "latchkey-tenant device check App --rp-id acme.example",
            ],
            exits: [.notFound, .notAllowed, .answerIsNo]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let client = try session.read(try await session.client(invocation.word("CLIENT") ?? ""))
                guard client.mobile.ios != nil || client.mobile.android != nil else {
                    throw CommandFailure(
                        .wrongUse,
                        "client \(quoted(client.name)) has no app. Use device set first."
                    )
                }
                let domains = try await session.readDomains()
                let ids = try invocation.value("rp-id").map { [$0] } ?? publicRelyingPartyIDs(domains)
                let suffixes = try publicSuffixes()
                var rows: [JSONObject] = []
                for id in ids {
                    let check = AssociationCheck(
                        host: id,
                        clients: [client],
                        origins: RelatedOrigins.served(for: id, by: domains),
                        suffixes: suffixes
                    )
                    for path in check.paths {
                        let findings = check.findings(at: path, fetch("https://\(id)\(path)", session))
                        rows += findings.map {
                            ["file": .string($0.address), "problem": .string($0.problem), "remedy": .string($0.remedy)]
                        }
                        if findings.isEmpty { console.note("https://\(id)\(path) is good.") }
                    }
                }
                try session.answer(Listing([Column("file"), Column("problem"), Column("remedy")], rows: rows))
                return rows.isEmpty ? .done : .answerIsNo
            }
        }
    }

    private static func files(_ tools: TenantTools) -> Command {
        Command(
            "files",
            "write what the host of an RP ID has to serve, with the lines for nginx and Caddy",
            words: [Word("DIR", "the folder to write, made when it is not there")],
            flags: [
                Flag("rp-id", "ID", "the RP ID; the tenant's only one unless given"),
                Flag("folder", "PATH", "where the folder will lie on that host; DIR unless given"),
            ],
            examples: ["latchkey-tenant device files ./acme.example --rp-id acme.example --folder /srv/acme.example"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let domains = try await session.readDomains()
                let known = try publicRelyingPartyIDs(domains)
                guard let id = invocation.value("rp-id") ?? (known.count == 1 ? known.first : nil) else {
                    throw CommandFailure(
                        .wrongUse,
                        "--rp-id is missing: there are \(known.joined(separator: ", "))."
                    )
                }
                guard known.contains(id), let server = domains.first(where: { $0.serves(id) }) else {
                    throw CommandFailure.notFound("RP ID", id, among: known)
                }
                let clients = try await session.clients().map { (client) throws(CommandFailure) in
                    try session.read(client)
                }
                let folder = invocation.word("DIR") ?? "."
                let content = AssociationFolder(
                    AssociationFiles(of: id, clients: clients, domains: domains),
                    host: id,
                    folder: try invocation.value("folder") ?? Folder.absolute(folder),
                    server: server.host
                )
                for file in content.files {
                    try Folder.write(file.bytes, to: folder + "/" + file.path)
                    console.note("\(folder)/\(file.path)")
                }
                return .done
            }
        }
    }

    private static func fetch(_ address: String, _ session: Session) -> FetchedFile {
        do throws(TransferError) {
            let answer = try session.tools.send(WebRequest("GET", address), session.target.authorities)
            return .answer(
                status: answer.status,
                contentType: answer.header("content-type"),
                location: answer.header("location"),
                body: answer.body
            )
        } catch .tooLarge(let limit) {
            return .tooLarge(limit: limit)
        } catch {
            return .unreachable(reason: "\(error)")
        }
    }

    private static func publicSuffixes() throws(CommandFailure) -> PublicSuffixList {
        do throws(PublicSuffixError) { return try PublicSuffixList() } catch {
            throw CommandFailure(.failed, "\(error)")
        }
    }

    /// - Throws: `wrongUse` when nobody outside could ask for any of them.
    private static func publicRelyingPartyIDs(_ domains: [Domain]) throws(CommandFailure) -> [String] {
        let ids = relyingPartyIDs(domains)
        guard !ids.isEmpty else {
            throw CommandFailure(
                .wrongUse,
                "the tenant has no RP ID that a phone could ask for: localhost is this machine alone. Add a domain first."
            )
        }
        return ids
    }

    /// Of the ready domains, each once; a name that only this machine can mean has no host that others could ask.
    private static func relyingPartyIDs(_ domains: [Domain]) -> [String] {
        var ids: [String] = []
        for id in domains.filter({ $0.status == .ready }).flatMap(\.relyingPartyIDs)
        where !ids.contains(id) && !HostName.isLoopback(id) { ids.append(id) }
        return ids
    }

    private static func shape(_ client: JSONObject) -> JSONObject {
        let mobile = client["mobile"]?.object ?? [:]
        var object: JSONObject = ["name": client["name"] ?? .null, "client_id": client["client_id"] ?? .null]
        if let ios = mobile["ios"]?.object {
            object.set("ios", .string("\(ios.text("team_id")).\(ios.text("app_bundle_identifier"))"))
        }
        if let android = mobile["android"]?.object {
            object.set("android", .string(android.text("app_package_name")))
            let fingerprints = android["sha256_cert_fingerprints"]?.array?.compactMap(\.string) ?? []
            object.set("sha256_cert_fingerprints", .array(fingerprints.map { .string($0) }))
            let origins = fingerprints.compactMap { DeviceWords.origin(of: $0) }
            object.set("origins", .array(origins.map { .string($0) }))
        }
        return object
    }
}

/// Apps as people write them in one word.
enum DeviceWords {
    /// `ABCDE12345.com.acme.app`; nothing for no app.
    static func ios(_ text: String) throws(CommandFailure) -> JSONValue {
        if text.isEmpty { return .null }
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw CommandFailure(
                .wrongUse,
                "--ios is \(quoted(text)), which it cannot be. Write Team ID and bundle identifier, as "
                    + "ABCDE12345.com.acme.app."
            )
        }
        return ["team_id": .string(parts[0]), "app_bundle_identifier": .string(parts[1])]
    }

    /// `com.acme.app=FA:C6:…,D8:A0:…`; nothing for no app.
    static func android(_ text: String) throws(CommandFailure) -> JSONValue {
        if text.isEmpty { return .null }
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw CommandFailure(
                .wrongUse,
                "--android is \(quoted(text)), which it cannot be. Write package name and fingerprints, as "
                    + "com.acme.app=FA:C6:…"
            )
        }
        let fingerprints = parts[1].split(separator: ",").map { JSONValue.string(String($0)) }
        return ["app_package_name": .string(parts[0]), "sha256_cert_fingerprints": .array(fingerprints)]
    }

    /// The origin that an app signed with this certificate has; `nil` for what is no fingerprint.
    static func origin(of fingerprint: String) -> String? {
        guard let bytes = try? Hex.decode(fingerprint.split(separator: ":").joined()) else { return nil }
        return "android:apk-key-hash:" + Base64URL.encode(bytes)
    }
}

extension Session {
    /// A client as the server gave it.
    fileprivate func read(_ object: JSONObject) throws(CommandFailure) -> Client {
        var document = object
        for name in ["tenant", "global", "client_id", "client_secret", "signing_keys"] { document.remove(name) }
        do throws(DocumentError) {
            return try Client(
                document: document,
                id: ClientID(object.text("client_id")),
                tenant: TenantID(number: 0),
                secretHash: nil,
                createdAt: UnixTime(milliseconds: 0),
                updatedAt: UnixTime(milliseconds: 0)
            )
        } catch { throw CommandFailure(.failed, "client \(quoted(object.text("name"))) cannot be read: \(error)") }
    }

    /// The tenant's domains as the server gave them, the canonical one among them.
    fileprivate func readDomains() async throws(CommandFailure) -> [Domain] {
        let domains = try await all("custom-domains", "custom_domains", query: [("include_canonical", "true")])
        return domains.map { object in
            Domain(
                id: DomainID(object.text("custom_domain_id")),
                tenant: TenantID(number: 0),
                host: object.text("domain"),
                isCanonical: false,
                status: DomainStatus(rawValue: object.text("status")) ?? .failed,
                relyingPartyID: object.text("relying_party_identifier"),
                legacyRelyingPartyIDs: object["legacy_relying_party_identifiers"]?.array?.compactMap(\.string) ?? [],
                relatedOrigins: object["related_origins"]?.array?.compactMap(\.string) ?? [],
                createdAt: UnixTime(milliseconds: 0)
            )
        }
    }
}
