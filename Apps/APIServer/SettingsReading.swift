import Identity
import Settings
import Terminal

/// Reads the settings for a command, from its flags, the environment and the file.
struct SettingsReading: Sendable {
    private let sources: SettingsSources
    private let errors: any TextOutput

    /// What this build has.
    static let built: Set<SettingsFeature> = [
        .postgres, .redis, .challengesInStore, .tls, .adminListener, .unixListeners, .rateLimits,
        .mail, .breachedPasswords, .publicSuffixList, .dns,
    ]

    init(_ invocation: Invocation, mode: SettingsMode, console: Console, standard: [String: [String]] = [:]) {
        var flags = standard
        let names = [
            "listen": "listen", "admin-listen": "admin_listen", "data-dir": "data_dir", "store": "store",
            "challenges": "challenges", "master-key-file": "master_key_file", "log-level": "log.level",
            "log-format": "log.format",
        ]
        for (flag, setting) in names where invocation.isSet(flag) { flags[setting] = invocation.values(flag) }
        sources = SettingsSources(
            mode: mode,
            flags: flags,
            environment: console.environment,
            file: invocation.value("config"),
            logsToTerminal: console.errors.isTerminal
        )
        errors = console.errors
    }

    /// - Parameters:
    ///   - console: where warnings are told; nowhere when `nil`.
    ///   - checksBuild: whether to refuse what this version has not got.
    /// - Returns: the settings.
    /// - Throws: everything that is wrong, a line each.
    func settings(warning console: Console? = nil, checksBuild: Bool = true) throws -> Settings {
        let settings: Settings
        do throws(SettingsError) {
            settings = try Settings(sources)
        } catch { throw CommandFailure(error.description, exit: .wrongUse) }
        if checksBuild {
            let missing = settings.notBuilt(in: Self.built)
            guard missing.isEmpty else { throw CommandFailure(missing.joined(separator: "\n"), exit: .wrongUse) }
        }
        for warning in settings.warnings { console?.warn("latchkey-server", warning.description) }
        return settings
    }

    func log(_ settings: Settings) -> Log {
        Log(
            format: settings.logFormat.value,
            level: settings.logLevel.value,
            output: errors,
            clock: SystemClock.now
        )
    }
}
