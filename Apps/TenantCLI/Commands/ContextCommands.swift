import Encodings
import Terminal
import Transfer

/// `context add|list|use`.
enum ContextCommands {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "context",
            "keep how to sign in to each tenant",
            group: TenantProgram.Group.signIn,
            commands: [add(tools), list, use]
        )
    }

    private static func add(_ tools: TenantTools) -> Command {
        Command(
            "add",
            "keep a tenant's address and client, and use them from now on",
            words: [Word("NAME", "what to call it")],
            flags: [
                Flag("client-secret-file", "FILE", "where the secret is and stays; - reads it from standard input"),
                Flag("no-check", "keep it without signing in once"),
            ],
            examples: [
                "latchkey-tenant context add acme --url https://login.acme.example --client-id 9sXb…",
                "latchkey-tenant context add acme --url https://login.acme.example --client-id 9sXb… "
                    + "--client-secret-file /run/secrets/acme",
            ],
            exits: [.notAllowed]
        ) { invocation, console in
            let name = invocation.word("NAME") ?? ""
            guard (1...64).contains(name.count), name.utf8.elementsEqual(printable(name).utf8) else {
                throw CommandFailure(.wrongUse, "\(quoted(name)) is no name: use 1 to 64 printable characters.")
            }
            var file = try ContextFile(environment: console.environment)
            let environment = console.environment.filter { !$0.value.isEmpty }
            let url = invocation.value("url") ?? environment["LATCHKEY_URL"] ?? file[name]?.url
            let client = invocation.value("client-id") ?? environment["LATCHKEY_CLIENT_ID"] ?? file[name]?.clientID
            guard let url, let client else {
                throw CommandFailure(.wrongUse, "--url and --client-id say which tenant, and which client of it.")
            }
            let authorities = invocation.value("ca-file") ?? environment["LATCHKEY_CA_FILE"]
            let target = Target(base: try Target.base(url), clientID: client, authorities: authorities)
            var context = SavedContext(name: name, url: target.base, clientID: client, authorities: authorities)
            let secret: String
            switch invocation.value("client-secret-file") {
            case "-":
                secret = try Target.text(console.input.readAll(), of: "standard input")
                context.secret = secret
            case .some(let path):
                secret = try Target.text(readSecretFile(path), of: path)
                context.secretFile = path.hasPrefix("/") ? path : ProcessEnvironment.workingFolder + "/" + path
            case nil:
                secret = try target.secret(invocation, console)
                context.secret = secret
            }
            if !invocation.isSet("no-check") {
                _ = try Session.signIn(target, secret: secret, invocation, console, tools)
            }
            file.set(context)
            file.current = name
            try file.write()
            console.note("Context \(quoted(name)) is kept in \(printable(file.path)) and in use.")
            return .done
        }
    }

    private static let list = Command(
        "list",
        "list the contexts",
        flags: [.output(ofList: true), .fields],
        examples: ["latchkey-tenant context list"]
    ) { invocation, console in
        let file = try ContextFile(environment: console.environment)
        let rows = file.contexts.map { context in
            var row = context.document
            row.set("current", .bool(context.name == file.current))
            return row
        }
        let columns = [
            Column("name"), Column("url"), Column("client_id", title: "CLIENT ID"), Column("current", title: "IN USE"),
        ]
        console.answer(try Listing(columns, rows: rows).selecting(invocation.fields), as: invocation.format)
        return .done
    }

    private static let use = Command(
        "use",
        "use another context from now on",
        words: [Word("NAME", "the context")],
        examples: ["latchkey-tenant context use acme"],
        exits: [.notFound]
    ) { invocation, console in
        let name = invocation.word("NAME") ?? ""
        var file = try ContextFile(environment: console.environment)
        guard file[name] != nil else {
            throw CommandFailure.notFound("context", name, among: file.contexts.map(\.name))
        }
        file.current = name
        try file.write()
        return .done
    }
}

/// `whoami`.
enum WhoAmICommand {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "whoami",
            "sign in, and show as what",
            group: TenantProgram.Group.signIn,
            flags: [.output(), .fields],
            examples: ["latchkey-tenant whoami"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                var object = JSONObject()
                if let context = session.target.context { object.set("context", .string(context)) }
                object.set("url", .string(session.target.base))
                // Not every token may read clients: what it is itself, it can say all the same.
                let response = try await session.send("GET", "clients/" + Session.encoded(session.target.clientID))
                if response.status == 200, let client = (try? JSON.parse(response.body))?.object {
                    object.set("tenant", client["tenant"] ?? .null)
                    object.set("client", client["name"] ?? .null)
                }
                object.set("client_id", .string(session.target.clientID))
                object.set("scope", .array(session.scopes.map { .string($0) }))
                try session.answer(object)
                return .done
            }
        }
    }
}
