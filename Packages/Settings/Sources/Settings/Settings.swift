/// The server's whole configuration.
public struct Settings: Sendable {
    public let mode: SettingsMode
    /// The configuration file that was read, if any.
    public let file: String?

    public let dataDirectory: Setting<String?>
    public let listen: Setting<[ListenAddress]>
    /// Empty: off.
    public let adminListen: Setting<[ListenAddress]>
    public let trustedProxies: Setting<[TrustedProxy]>
    /// Set together with `tlsKey`, or not at all.
    public let tlsCertificate: Setting<String?>
    public let tlsKey: Setting<String?>

    public let store: Setting<StoreLocation>
    public let storePrepare: Setting<Bool>
    public let challenges: Setting<ChallengeLocation>
    /// Set under `serve` and `dev`.
    public let masterKeyFile: Setting<String?>

    public let mail: Setting<MailServer>
    public let mailFrom: Setting<MailAddress?>
    public let mailTemplates: Setting<String?>

    public let metadataRoots: Setting<String?>
    public let metadataURL: Setting<ServerURL?>
    public let metadataCRLs: Setting<String?>
    public let breachedPasswords: Setting<String?>
    public let publicSuffixList: Setting<String>
    /// Empty: the system's.
    public let dnsServers: Setting<[DNSServer]>

    public let rateLimits: RateLimits
    public let limits: Limits
    public let deadlines: Deadlines

    public let logFormat: Setting<LogFormat>
    public let logLevel: Setting<LogLevel>

    /// Every setting with its value and source, in the order of the example file.
    public let entries: [SettingEntry]
    public private(set) var warnings: [SettingsWarning]

    /// Reads all sources.
    ///
    /// - Throws: everything that is wrong, at once.
    public init(_ sources: SettingsSources) throws(SettingsError) {
        mode = sources.mode
        let flags = FlagLayer(sources.flags)
        let environment = EnvironmentLayer(sources.environment)
        let layer = try Self.fileLayer(sources)
        file = layer?.path
        var resolver = Resolver(
            layers: [flags.values, environment.values, layer?.layer.values ?? [:]],
            problems: flags.problems + (layer?.layer.problems ?? []),
            files: sources.files
        )

        let (folder, folderSource) = Self.defaultFolder(sources)
        dataDirectory = resolver.path(.dataDirectory, default: folder, from: folderSource, mayBeOff: false)
        listen = resolver.list(.listen, default: [.loopback(port: 8080)], emptyAs: nil, ListenAddress.init)
        adminListen = resolver.list(.adminListen, default: [], emptyAs: "off", ListenAddress.init)
        trustedProxies = resolver.list(.trustedProxies, default: [], emptyAs: "none", TrustedProxy.init)
        tlsCertificate = resolver.path(.tlsCertificate)
        tlsKey = resolver.path(.tlsKey)

        let directory = dataDirectory.value
        let schemes = sources.storeSchemes
        store = resolver.one(
            .store,
            default: .sqlite(path: (directory.map { $0 + "/" } ?? "") + "latchkey.db"),
            shownAs: \.description
        ) { (item) throws(SettingFault) in try StoreLocation(item, knownSchemes: schemes) }
        storePrepare = resolver.switched(.storePrepare, default: true)
        challenges = resolver.one(
            .challenges,
            default: .memory,
            shownAs: \.description
        ) { (item) throws(SettingFault) in try ChallengeLocation(item) }
        masterKeyFile = resolver.path(.masterKeyFile, default: directory.map { $0 + "/master.key" }, mayBeOff: false)

        mail = resolver.one(
            .mail,
            default: sources.mode == .dev ? .terminal : .off,
            shownAs: \.description
        ) { (item) throws(SettingFault) in try MailServer(item) }
        mailFrom = resolver.one(
            .mailFrom,
            default: nil,
            shownAs: { $0?.description ?? "none" }
        ) { (item) throws(SettingFault) in try MailAddress(item) }
        mailTemplates = resolver.path(.mailTemplates)

        metadataRoots = resolver.path(.metadataRoots)
        metadataURL = resolver.one(.metadataURL, default: nil, shownAs: { $0?.text ?? "off" }) {
            (item) throws(SettingFault) in
            if item.isOff { return nil }
            let url = item.kind == .text ? ServerURL(item.text, schemes: ["https"]) : nil
            guard let url, url.user == nil, url.password == nil else {
                throw SettingFault(shown: item.kind == .text ? quoted(masked(item.text)) : nil)
            }
            return url
        }
        metadataCRLs = resolver.path(.metadataCRLs)
        breachedPasswords = resolver.path(.breachedPasswords)
        publicSuffixList = resolver.one(
            .publicSuffixList,
            default: "/usr/share/publicsuffix/public_suffix_list.dafsa",
            shownAs: { $0 }
        ) { (item) throws(SettingFault) in try item.path() }
        dnsServers = resolver.list(.dnsServers, default: [], emptyAs: "system", DNSServer.init)

        rateLimits = RateLimits(&resolver)
        limits = Limits(&resolver)
        deadlines = Deadlines(&resolver)

        logFormat = resolver.word(.logFormat, default: sources.logsToTerminal ? .text : .json)
        logLevel = resolver.word(.logLevel, default: .info)

        entries = resolver.entries
        warnings = environment.warnings
        var found = environment.warnings
        check(&resolver, &found, sources)
        warnings = found
        guard resolver.problems.isEmpty else { throw SettingsError(problems: resolver.problems) }
    }
}
