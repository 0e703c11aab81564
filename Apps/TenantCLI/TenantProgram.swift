import Terminal

/// The table of `latchkey-tenant`: its commands, and the flags that all of them take.
enum TenantProgram {
    static let name = "latchkey-tenant"
    static let version = "0.1.0"

    static func make(_ tools: TenantTools) -> Program {
        Program(
            name,
            "for the tenant's admin, over the Management API",
            version: version,
            flags: [
                Flag("context", "NAME", group: "Where", "the context to use; the one that is in use unless given"),
                Flag("url", "URL", group: "Where", "the tenant's address, as https://login.acme.example"),
                Flag("client-id", "ID", group: "Where", "the client to sign in as"),
                Flag(
                    "ca-file",
                    "FILE",
                    group: "Where",
                    "certificate authorities to trust, in PEM; the system's unless given"
                ),
                .quiet, .verbose, .noInput,
            ],
            variables: [
                Variable("LATCHKEY_URL", "as --url"),
                Variable("LATCHKEY_CLIENT_ID", "as --client-id"),
                Variable("LATCHKEY_CLIENT_SECRET", "the client's secret"),
                Variable("LATCHKEY_CLIENT_SECRET_FILE", "a file with the client's secret"),
                Variable("LATCHKEY_CONTEXT", "as --context"),
                Variable("LATCHKEY_USER_PASSWORD", "the password that user create and user set give"),
                Variable("LATCHKEY_USER_PASSWORD_FILE", "a file with that password"),
                Variable("LATCHKEY_CA_FILE", "as --ca-file"),
                Variable("NO_COLOR", "when set, nothing is coloured"),
            ],
            examples: [
                "latchkey-tenant client create --name \"My app\" --type spa --grant passkey,refresh",
                "latchkey-tenant client list -o csv --fields name,client_id",
            ],
            commands: [
                ContextCommands.command(tools), WhoAmICommand.command(tools),
            ] + FileCommands.commands(tools) + [
                PolicyCommands.command(tools), GrantCommands.command(tools), DeviceCommands.command(tools),
                SettingsCommands.command(tools),
                ClientCommands.command(tools), ConnectionCommands.command(tools), APICommands.command(tools),
                DomainCommands.command(tools), UserCommands.command(tools), PasskeyCommands.command(tools),
                SessionCommands.command(tools), LogCommands.command(tools), RelyingPartyCommands.command(tools),
                KeyCommands.command(tools),
                Program.completionCommand(of: name, group: Group.shell) { make(tools) },
                Program.manualCommand(of: name, group: Group.shell) { make(tools) },
            ]
        )
    }

    /// The heading under which the overview shows commands.
    enum Group {
        static let signIn = "Sign in"
        static let file = "File"
        static let policy = "Policy"
        static let things = "Things"
        static let look = "Look"
        static let shell = "Shell"
    }

    /// The word of every `set` command.
    static let memberWord = Word(
        "MEMBER=JSON",
        isRepeated: true,
        "what to set; names as in the Management API, dots reach in, null removes"
    )
}
