extension Settings {
    /// The manual page `latchkey.yaml(5)` in scdoc's language, from the same table as the example file.
    public static func manual(version: String) -> String {
        var page = """
            latchkey.yaml(5) "Latchkey \(version)"

            # NAME

            latchkey.yaml - the configuration of latchkey-server and latchkey-admin

            # DESCRIPTION

            A YAML file, by default /etc/latchkey/latchkey.yaml. Flags go over environment variables, these over the file,
            and the file over the defaults. Values are read as YAML 1.2 does: on, no, 0123 and 1:30 are text. An unknown
            setting in the file stops the start; an unknown variable is a warning.

            Each setting is also an environment variable: LATCHKEY\\_ and its name in capitals, \\_ in place of dots. Lists
            are separated by commas there. An empty variable counts as not set.

            SIGHUP reads the file again. Certificates, the log level and the limits change at once; the log says what
            needs a restart.

            # SETTINGS

            """
        for key in SettingKey.allCases {
            page += "\n*\(escaped(key.name))*"
            if let twin = key.fileTwin { page += ", *\(escaped(twin))*" }
            page += "\n\t\(escaped(key.summary))"
            if let standard = key.standardText { page += " Default: \(escaped(standard))." }
            if let twin = key.fileTwin {
                page += " \(escaped(twin)) names a file with the value in it; both set is an error."
            }
            page += "\n"
        }
        page += "\n# EXAMPLE\n\n```\n"
        page += SettingKey.allCases.filter(\.isInManualExample).map { "\($0.name): \($0.example)\n" }.joined()
        return page + "```\n\n# SEE ALSO\n\n*latchkey-server*(1), *latchkey-admin*(1)\n"
    }

    /// `text` with everything that scdoc would take for markup escaped.
    private static func escaped(_ text: String) -> String {
        text.map { "\\*_`#[]|<>".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}

extension SettingKey {
    fileprivate var isInManualExample: Bool {
        switch self {
        case .listen, .adminListen, .trustedProxies, .store, .challenges, .masterKeyFile: true
        default: false
        }
    }

    /// The default in words, or `nil` where the summary says it or it is what `rate_limits` has in it.
    fileprivate var standardText: String? {
        switch self {
        case .dataDirectory: "$STATE_DIRECTORY, ./latchkey-data under dev"
        case .store: "sqlite:DATA_DIR/latchkey.db"
        case .masterKeyFile: "DATA_DIR/master.key"
        case .rateLimits, .logFormat: nil
        default: Self.defaults[self]
        }
    }
}
