/// Which program asks, as some defaults and rules depend on it.
public enum SettingsMode: Hashable, Sendable {
    /// `latchkey-server serve`.
    case serve
    /// `latchkey-server dev`: this machine only, `./latchkey-data`, no file unless one is named, mail on the terminal.
    case dev
    /// `latchkey-admin`, which needs a store and listens nowhere.
    case admin
}

/// All that settings are made from.
public struct SettingsSources: Sendable {
    /// The file that is read when it exists and no other is named.
    public static let defaultFile = "/etc/latchkey/latchkey.yaml"

    public var mode: SettingsMode
    /// By the setting's name with dots (`log.level`, `store_file`); several values for a flag given several times.
    public var flags: [String: [String]]
    public var environment: [String: String]
    /// The file that `--config` names. `nil`: `LATCHKEY_CONFIG`, else `defaultFile` when it exists (not for `dev`).
    public var file: String?
    /// Whether the log goes to a terminal, which decides its default format.
    public var logsToTerminal: Bool
    /// Schemes of `store` that this build answers besides `sqlite`, `postgres` and `postgresql`.
    public var storeSchemes: Set<String>
    public var files: any SettingsFileReader

    public init(
        mode: SettingsMode,
        flags: [String: [String]] = [:],
        environment: [String: String] = [:],
        file: String? = nil,
        logsToTerminal: Bool = false,
        storeSchemes: Set<String> = [],
        files: any SettingsFileReader = PosixFileReader()
    ) {
        self.mode = mode
        self.flags = flags
        self.environment = environment
        self.file = file
        self.logsToTerminal = logsToTerminal
        self.storeSchemes = storeSchemes
        self.files = files
    }
}

/// Why a file cannot be read.
public enum SettingsFileError: Error, Hashable, Sendable {
    case notFound
    /// In plain words: `permission denied`.
    case unreadable(String)
}

/// Reads the configuration file and the files that hold secrets.
public protocol SettingsFileReader: Sendable {
    /// The whole file, at most 1 MiB.
    func read(_ path: String) throws(SettingsFileError) -> [UInt8]
}
