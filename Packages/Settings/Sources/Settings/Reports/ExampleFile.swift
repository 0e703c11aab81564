extension Settings {
    /// A configuration file with every setting explained, which passes the check as it stands.
    ///
    /// A line that begins with `#` and a blank is an explanation; `#` right before a name switches the setting off.
    public static func exampleFile() -> String {
        var output = """
            # The configuration of latchkey-server and latchkey-admin.
            #
            # Flags go over environment variables, these over this file, and this file over the defaults.
            # log.level is also --log-level and LATCHKEY_LOG_LEVEL. store, challenges and mail may instead be
            # store_file, challenges_file and mail_file, which name a file that holds the value.
            # `latchkey-server config check` shows every setting and where it comes from.

            """
        var section: String?
        for key in SettingKey.allCases where key != .rateLimits {
            if key.section == nil || key.section != section { output += "\n" }
            if let name = key.section, name != section {
                if name == "rate_limits" { output += "# \(SettingKey.rateLimits.summary)\n" }
                output += (name == "log" ? "" : "#") + "\(name):\n"
            }
            section = key.section
            output += key.exampleLines
        }
        return output
    }
}

extension SettingKey {
    fileprivate var exampleLines: String {
        let margin = section == nil ? "" : "  "
        let leaf = section.map { String(name.dropFirst($0.count + 1)) } ?? name
        let mark = isActiveInExample ? "" : "#"
        return "\(margin)# \(summary)\n\(margin)\(mark)\(leaf): \(example)\n"
    }

    private var isActiveInExample: Bool { self == .dataDirectory || self == .listen || self == .logLevel }

    /// A value as the file would hold it: the default where there is one.
    var example: String {
        switch self {
        case .dataDirectory: "/var/lib/latchkey"
        case .listen: "localhost:8080"
        case .adminListen: "127.0.0.1:9090"
        case .trustedProxies: "[127.0.0.1/32, \"::1/128\"]"
        case .tlsCertificate: "/etc/latchkey/tls.pem"
        case .tlsKey: "/etc/latchkey/tls.key"
        case .store: "sqlite:/var/lib/latchkey/latchkey.db"
        case .storePrepare: "on"
        case .challenges: "memory"
        case .masterKeyFile: "/etc/latchkey/master.key"
        case .mail: "smtps://USER:PASSWORD@smtp.example.com"
        case .mailFrom: "Example <no-reply@example.com>"
        case .mailTemplates: "/etc/latchkey/mail"
        case .metadataRoots: "/etc/latchkey/mds-roots.pem"
        case .metadataURL: "https://mds3.fidoalliance.org/"
        case .metadataCRLs: "/etc/latchkey/mds-crls"
        case .breachedPasswords: "/var/lib/latchkey/breached.txt"
        case .publicSuffixList: "/usr/share/publicsuffix/public_suffix_list.dafsa"
        case .dnsServers: "[192.0.2.53:53]"
        case .rateLimits: "off"
        case .logFormat: "json"
        default: Self.defaults[self] ?? ""
        }
    }

    /// The defaults of all settings that have one everywhere, as the check itself shows them.
    static let defaults: [SettingKey: String] = {
        let sources = SettingsSources(
            mode: .serve,
            environment: ["STATE_DIRECTORY": "/var/lib/latchkey"],
            files: NoFiles()
        )
        guard let settings = try? Settings(sources) else { return [:] }
        return Dictionary(settings.entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }()
}

/// Knows no file.
private struct NoFiles: SettingsFileReader {
    func read(_ path: String) throws(SettingsFileError) -> [UInt8] { throw .notFound }
}
