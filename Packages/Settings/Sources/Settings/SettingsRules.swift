extension Settings {
    /// The file that is named, or the usual one when it is there.
    ///
    /// - Throws: an unreadable file, as nothing else can be judged without it.
    static func fileLayer(_ sources: SettingsSources) throws(SettingsError) -> (path: String, layer: FileLayer)? {
        let variable = sources.environment["LATCHKEY_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let named = sources.file ?? variable
        let source: SettingSource = sources.file == nil ? .environment("LATCHKEY_CONFIG") : .flag("--config")
        guard let path = named ?? (sources.mode == .dev ? nil : SettingsSources.defaultFile) else { return nil }
        do throws(SettingsFileError) {
            return (path, FileLayer(try sources.files.read(path), path: path))
        } catch {
            if named == nil, error == .notFound { return nil }
            throw SettingsError(
                problems: [.unreadableFile(path, reason: error.reason, name: nil, source: source)]
            )
        }
    }

    /// `$STATE_DIRECTORY` under systemd (the first of several), `./latchkey-data` under `dev`, else none.
    static func defaultFolder(_ sources: SettingsSources) -> (path: String?, source: SettingSource) {
        let first = sources.environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        if let first { return (first, .environment("STATE_DIRECTORY")) }
        return (sources.mode == .dev ? "./latchkey-data" : nil, .default)
    }

    /// What no setting alone can be wrong about.
    func check(
        _ resolver: inout Resolver,
        _ warnings: inout [SettingsWarning],
        _ sources: SettingsSources
    ) {
        checkFolder(&resolver)
        let (certificate, key) = (tlsCertificate, tlsKey)
        if certificate.value != nil, key.value == nil {
            resolver.report(
                .conflict("tls.certificate is set, and tls.key is not. Set both.", source: certificate.source)
            )
        } else if key.value != nil, certificate.value == nil {
            resolver.report(.conflict("tls.key is set, and tls.certificate is not. Set both.", source: key.source))
        }
        if case .smtp = mail.value, mailFrom.value == nil {
            resolver.report(
                .conflict(
                    "mail is set, and mail_from is not. \(SettingKey.mailFrom.remedy)",
                    source: mail.source
                )
            )
        }
        for address in listen.value where !address.isLocal {
            if mode == .dev {
                resolver.report(
                    .conflict(
                        """
                        dev is for this machine only, and listen is \(address). \
                        Use localhost:PORT, or `latchkey-server serve`.
                        """,
                        source: listen.source
                    )
                )
            } else if mode == .serve, certificate.value == nil, trustedProxies.value.isEmpty {
                warnings.append(.plainListener(address.description))
            }
        }
        for key in SettingKey.allCases {
            guard let twin = key.fileTwin else { continue }
            if let text = sources.flags[key.name]?.last, masked(text) != text {
                warnings.append(.secretInFlag(key.flag, fileVariable: SettingKey.variable(for: twin)))
            }
        }
    }

    private func checkFolder(_ resolver: inout Resolver) {
        guard dataDirectory.value == nil else { return }
        if !resolver.isSet(.store) {
            resolver.report(
                .missing(
                    name: "store",
                    reason: "nor is data_dir, where it would be",
                    remedy: "Set data_dir: /var/lib/latchkey, or store: sqlite:PATH."
                )
            )
        }
        if mode != .admin, !resolver.isSet(.masterKeyFile) {
            resolver.report(
                .missing(
                    name: "master_key_file",
                    reason: "nor is data_dir, where it would be",
                    remedy: "Set it to the file that `latchkey-admin master-key create FILE` makes."
                )
            )
        }
    }
}

extension RawItem {
    /// A path as it stands: text that is not empty.
    func path() throws(SettingFault) -> String {
        guard kind == .text, !text.isEmpty, !text.utf8.contains(0) else { throw SettingFault() }
        return text
    }
}

extension Resolver {
    /// A path, or `nil` for `off` where that is allowed.
    mutating func path(
        _ key: SettingKey,
        default standard: String? = nil,
        from source: SettingSource = .default,
        mayBeOff: Bool = true
    ) -> Setting<String?> {
        one(key, default: standard, from: source, shownAs: { $0 ?? (mayBeOff ? "off" : "none") }) {
            (item) throws(SettingFault) in
            mayBeOff && item.isOff ? nil : try item.path()
        }
    }

    /// `on` or `off`; `true` and `false` mean the same.
    mutating func switched(_ key: SettingKey, default standard: Bool) -> Setting<Bool> {
        one(key, default: standard, shownAs: { $0 ? "on" : "off" }) { (item) throws(SettingFault) in
            switch item.text {
            case "on", "true": return true
            case "off", "false": return false
            default: throw SettingFault()
            }
        }
    }

    /// One of an enum's words.
    mutating func word<Word: RawRepresentable<String> & Hashable & Sendable>(
        _ key: SettingKey,
        default standard: Word
    ) -> Setting<Word> {
        one(key, default: standard, shownAs: \.rawValue) { (item) throws(SettingFault) in
            guard item.kind == .text, let word = Word(rawValue: item.text) else { throw SettingFault() }
            return word
        }
    }

    /// A number of bytes.
    mutating func bytes(_ key: SettingKey, default standard: Int, in range: ClosedRange<Int>) -> Setting<Int> {
        one(key, default: standard, shownAs: shownBytes) { (item) throws(SettingFault) in try item.byteCount(in: range)
        }
    }

    /// A count.
    mutating func count(_ key: SettingKey, default standard: Int, in range: ClosedRange<Int>) -> Setting<Int> {
        one(key, default: standard, shownAs: { "\($0)" }) { (item) throws(SettingFault) in try item.count(in: range) }
    }

    /// A time.
    mutating func time(
        _ key: SettingKey,
        default standard: Duration,
        in range: ClosedRange<Duration>
    ) -> Setting<Duration> {
        one(key, default: standard, shownAs: shownDuration) { (item) throws(SettingFault) in
            try item.duration(in: range)
        }
    }
}
