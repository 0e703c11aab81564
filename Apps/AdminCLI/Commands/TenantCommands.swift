import Encodings
import Identity
import Settings
import Tenancy
import Terminal
import Threads
import Tokens

/// `tenant create|list|show|set|suspend|resume|delete`.
enum TenantCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "tenant",
            "make tenants, look at them and set them",
            group: AdminProgram.Group.setUp,
            commands: [create(tools), list(tools), show(tools), set(tools)] + TenantLifeCommands.commands(tools)
                + [TenantDeletion.command(tools)]
        )
    }

    private static func create(_ tools: AdminTools) -> Command {
        Command(
            "create",
            "make a tenant with its domain, its connection and its Management client",
            words: [Word("NAME", "1 to 63 of a to z, 0 to 9 and -")],
            flags: [
                Flag("domain", "HOST[:PORT]", isRequired: true, "the name that clients and people go to"),
                Flag("rp-id", "ID", "the RP ID of its passkeys: the domain's name, or a parent of it"),
                Flag("origin", "URL", isRepeated: true, "another site that may use the RP ID (related origin)"),
                Flag("passkey-only", "leave passwords out of its connection"), .output(),
            ],
            examples: [
                "latchkey-admin tenant create acme --domain login.acme.example --rp-id acme.example",
                "latchkey-admin tenant create test --domain localhost:8080 --passkey-only -o json",
            ],
            exits: [.conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { try await create($0) }
        }
    }

    private static func create(_ deployment: Deployment) async throws -> ExitCode {
        let invocation = deployment.invocation
        let name = invocation.word("NAME") ?? ""
        let pool = try BlockingPool(name: "keys", threadCount: 1)
        let keys = try await keyRing(deployment, pool: pool)
        let created = try await deployment.administration.createTenant(
            TenantRequest(
                name: name,
                domain: invocation.value("domain") ?? "",
                relyingPartyID: invocation.value("rp-id"),
                relatedOrigins: invocation.values("origin"),
                passkeyOnly: invocation.isSet("passkey-only")
            ),
            now: deployment.now
        )
        let console = deployment.console
        console.answer(Details(shape(created)), as: invocation.format)
        await deployment.audit(name, of: created.id)
        do throws(TokenError) {
            try await keys.makeFirstKeys(
                of: created.id,
                named: name,
                algorithms: deployment.tools.firstKeys,
                now: deployment.now
            )
        } catch {
            console.warn(
                invocation.program,
                "its signing keys are not made yet, and will be at the first sign-in: \(error)"
            )
        }
        if invocation.format == .table { tellWhatIsNext(created, console) }
        return .done
    }

    /// The master keys are read before the tenant is made, so that a wrong file changes nothing.
    private static func keyRing(_ deployment: Deployment, pool: BlockingPool) async throws -> KeyRing {
        let secret = try await deployment.deploymentKeys("a new tenant's signing keys are sealed by it")
        let random = deployment.tools.random
        return KeyRing(store: deployment.store, deployment: secret, pool: pool, random: random)
    }

    private static func shape(_ created: CreatedTenant) -> JSONObject {
        [
            "tenant": .string(created.name), "domain": .string(created.domain.host),
            "rp_id": .string(created.domain.relyingPartyID), "issuer": .string(created.domain.base + "/"),
            "related_origins": .array(created.domain.relatedOrigins.map { .string($0) }),
            "connection": .string(created.connection.name),
            "management_client": [
                "client_id": .string(created.managementClient.id.text),
                "client_secret": .string(created.managementSecret),
                "audience": .string(created.domain.base + SystemAPI.management.rawValue),
            ],
        ]
    }

    private static func tellWhatIsNext(_ created: CreatedTenant, _ console: Console) {
        let domain = created.domain
        console.note("The client_secret is shown now and never again.")
        guard !domain.isLoopbackName else { return }
        console.note("DNS: \(domain.name) must lead to this server or to the proxy in front of it (A, AAAA or CNAME).")
        guard !domain.relyingPartyID.utf8.elementsEqual(domain.name.utf8) else { return }
        console.note("The RP ID is a parent of the domain, so https://\(domain.relyingPartyID) itself has to serve:")
        for file in ["apple-app-site-association", "assetlinks.json", "webauthn"] {
            console.note("  /.well-known/\(file)")
        }
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list the tenants",
            flags: [.output(ofList: true)],
            examples: ["latchkey-admin tenant list", "latchkey-admin tenant list -o json"],
            exits: [.unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                var rows: [JSONObject] = []
                for tenant in try await deployment.store.tenants() {
                    guard let configuration = try await deployment.store.configuration(of: tenant.id) else { continue }
                    rows.append(Shape.tenant(configuration))
                }
                let columns = [
                    Column("tenant"), Column("domain"), Column("rp_id", title: "RP ID"), Column("suspended"),
                    Column("created_at", title: "CREATED", .time),
                ]
                console.answer(Listing(columns, rows: rows), as: invocation.format)
                return .done
            }
        }
    }

    private static func show(_ tools: AdminTools) -> Command {
        Command(
            "show",
            "show a tenant and its settings",
            words: [Word("NAME", "the tenant")],
            flags: [.output()],
            examples: ["latchkey-admin tenant show acme"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant(named: invocation.word("NAME") ?? "")
                let key = try await deployment.store.newestSeal(of: tenant.tenant.id)?.publicKey
                console.answer(
                    Details(Shape.tenantInFull(tenant, auditKey: key), times: ["created_at", "updated_at"]),
                    as: invocation.format
                )
                return .done
            }
        }
    }

    private static func set(_ tools: AdminTools) -> Command {
        Command(
            "set",
            "change a tenant's settings",
            words: [Word("NAME", "the tenant"), MemberWords.word],
            flags: [.output()],
            examples: [
                "latchkey-admin tenant set acme friendly_name=Acme session_lifetime=24",
                #"latchkey-admin tenant set acme session_cookie='{"mode":"persistent"}' default_audience=null"#,
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant(named: invocation.word("NAME") ?? "")
                var patch = try MemberWords.patch(invocation.words("MEMBER=JSON"))
                patch = try tenant.namingClients(in: patch, ["default_browser_client"])
                let settings = try await deployment.administration.setSettings(patch, in: tenant, now: deployment.now)
                await deployment.audit(tenant.tenant.name, of: tenant.tenant.id)
                console.answer(Details(settings.document), as: invocation.format)
                return .done
            }
        }
    }
}
