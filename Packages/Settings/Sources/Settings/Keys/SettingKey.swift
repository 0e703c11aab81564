/// Every setting of the server. The raw value is its name in the file, with a dot for each map it stands in.
public enum SettingKey: String, CaseIterable, Hashable, Sendable {
    case dataDirectory = "data_dir"
    case listen
    case adminListen = "admin_listen"
    case trustedProxies = "trusted_proxies"
    case tlsCertificate = "tls.certificate"
    case tlsKey = "tls.key"

    case store
    case storePrepare = "store_prepare"
    case challenges
    case masterKeyFile = "master_key_file"

    case mail
    case mailFrom = "mail_from"
    case mailTemplates = "mail_templates"

    case metadataRoots = "mds.roots"
    case metadataURL = "mds.url"
    case metadataCRLs = "mds.crls"
    case breachedPasswords = "breached_passwords"
    case publicSuffixList = "public_suffix_list"
    case dnsServers = "dns_servers"

    case rateLimits = "rate_limits"
    case ratePasskeyChallenges = "rate_limits.passkey_challenges"
    case rateToken = "rate_limits.token"
    case ratePasswordIdentifierIP = "rate_limits.password_identifier_ip"
    case ratePasswordIdentifier = "rate_limits.password_identifier"
    case ratePasswordIP = "rate_limits.password_ip"
    case rateSignup = "rate_limits.signup"
    case rateRecoveryMail = "rate_limits.recovery_mail"
    case rateRecoveryCodes = "rate_limits.recovery_codes"
    case rateManagement = "rate_limits.management"
    case rateMyAccount = "rate_limits.my_account"

    case limitHead = "limits.head"
    case limitFields = "limits.fields"
    case limitTarget = "limits.target"
    case limitTrailer = "limits.trailer"
    case limitBody = "limits.body"
    case limitManagementBody = "limits.management_body"
    case limitImportBody = "limits.import_body"
    case limitRequestsPerConnection = "limits.requests_per_connection"
    case limitConnections = "limits.connections"
    case limitConnectionsPerAddress = "limits.connections_per_address"
    case limitRequestsInFlight = "limits.requests_in_flight"
    case limitChallenges = "limits.challenges"

    case deadlineTLSHandshake = "deadlines.tls_handshake"
    case deadlineHead = "deadlines.head"
    case deadlineRequest = "deadlines.request"
    case deadlineHandling = "deadlines.handling"
    case deadlineWrite = "deadlines.write"
    case deadlineKeepAlive = "deadlines.keep_alive"
    case deadlineDrain = "deadlines.drain"
    case deadlineConnect = "deadlines.connect"
    case deadlinePool = "deadlines.pool"
    case deadlineStore = "deadlines.store"
    case deadlineChallenges = "deadlines.challenges"

    case logFormat = "log.format"
    case logLevel = "log.level"
}

extension SettingKey {
    /// `data_dir`, `log.level`.
    public var name: String { rawValue }

    /// The environment variable: `LATCHKEY_LOG_LEVEL`.
    public var variable: String { Self.variable(for: name) }

    /// The flag: `--log-level`.
    public var flag: String { Self.flag(for: name) }

    /// The setting that names a file with this setting's value, for what can hold a secret.
    public var fileTwin: String? { canHoldSecret ? name + "_file" : nil }

    public var canHoldSecret: Bool { self == .store || self == .challenges || self == .mail }

    public var isList: Bool {
        switch self {
        case .listen, .adminListen, .trustedProxies, .dnsServers: true
        default: false
        }
    }

    /// Whether SIGHUP alone puts a new value into force.
    public var isReloadable: Bool {
        switch section {
        case "tls", "limits", "rate_limits": true
        default: self == .logLevel || self == .rateLimits
        }
    }

    /// The map that the setting stands in, `tls` for `tls.key`.
    var section: String? {
        name.firstIndex(of: ".").map { String(name[..<$0]) }
    }

    static func variable(for name: String) -> String {
        "LATCHKEY_" + name.map { $0 == "." ? "_" : $0.uppercased() }.joined()
    }

    static func flag(for name: String) -> String {
        "--" + String(name.map { $0 == "." || $0 == "_" ? "-" : $0 })
    }

    /// Every name that may stand in the file, `_file` twins included.
    static let names: [String: (key: SettingKey, isTwin: Bool)] = {
        var names: [String: (SettingKey, Bool)] = [:]
        for key in allCases {
            names[key.name] = (key, false)
            if let twin = key.fileTwin { names[twin] = (key, true) }
        }
        return names
    }()

    /// The same names in order, for suggestions.
    static let sortedNames = names.keys.sorted()

    /// The name that each variable gives.
    static let variables = Dictionary(
        names.keys.map { (variable(for: $0), $0) },
        uniquingKeysWith: { first, _ in first }
    )

    static let sections = Set(allCases.compactMap(\.section))
}
