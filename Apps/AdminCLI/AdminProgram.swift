import Terminal

/// The table of `latchkey-admin`: its commands, and the flags that all of them take.
enum AdminProgram {
    static let name = "latchkey-admin"
    static let version = "0.1.0"

    static func make(_ tools: AdminTools) -> Program {
        Program(
            name,
            "for the operator, directly on the store",
            version: version,
            flags: [
                Flag("store", "URL", group: "Where", "the store, as sqlite:FILE or postgres://HOST/DATABASE"),
                Flag("store-file", "FILE", group: "Where", "a file with the store's URL, when it has a password"),
                Flag("master-key-file", "FILE", group: "Where", "the master keys of the deployment"),
                Flag("config", "FILE", group: "Where", "the server's configuration file"),
                .quiet, .verbose, .noInput,
            ],
            variables: [
                Variable("LATCHKEY_STORE, LATCHKEY_STORE_FILE", "as --store and --store-file"),
                Variable("LATCHKEY_MASTER_KEY_FILE", "as --master-key-file"),
                Variable("LATCHKEY_CONFIG", "as --config; /etc/latchkey/latchkey.yaml is read when it exists"),
                Variable("NO_COLOR", "when set, nothing is coloured"),
            ],
            examples: [
                "latchkey-admin tenant create acme --domain login.acme.example --rp-id acme.example",
                "latchkey-admin ceremony list --failed --since 15m",
            ],
            commands: [
                TenantCommands.command(tools), DomainCommands.command(tools), ClientCommands.command(tools),
                ConnectionCommands.command(tools), GrantCommands.command(tools), UserCommands.command(tools),
                PasskeyCommands.command(tools), SessionCommands.command(tools), EnrollLinkCommand.command(tools),
                RelyingPartyCommands.command(tools),
                KeyCommands.command(tools),
                MasterKeyCommands.command(tools),
                BackupCommands.backup(tools), BackupCommands.restore(tools), MigrateCommands.command(tools),
                CopyCommand.command(tools), DoctorCommand.command(tools), CeremonyCommands.command(tools),
                AuditCommands.command(tools),
                ReportCommands.command(tools),
                MailCommands.command(tools),
                DecodeCommand.command, MetadataCommands.command(tools), AuthenticatorCommands.command(tools),
                VectorsCommand.command(tools),
                Program.completionCommand(of: name, group: Group.shell) { make(tools) },
                Program.manualCommand(of: name, group: Group.shell) { make(tools) },
            ]
        )
    }

    /// The heading under which the overview shows commands.
    enum Group {
        static let setUp = "Set up"
        static let people = "People"
        static let keys = "Keys"
        static let store = "Store"
        static let mail = "Mail"
        static let why = "Why"
        static let metadata = "Metadata"
        static let test = "Test"
        static let shell = "Shell"
    }

    /// The flag of every command that is about one tenant.
    static let tenantFlag = Flag("tenant", "NAME", "the tenant; the only one, when there is but one")
}
