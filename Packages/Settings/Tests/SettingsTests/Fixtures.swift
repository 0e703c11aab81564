import Settings

/// Files that exist only in a test.
struct TestFiles: SettingsFileReader {
    var files: [String: [UInt8]] = [:]
    var unreadable: Set<String> = []

    init(_ files: [String: String] = [:], unreadable: Set<String> = []) {
        self.files = files.mapValues { Array($0.utf8) }
        self.unreadable = unreadable
    }

    func read(_ path: String) throws(SettingsFileError) -> [UInt8] {
        if unreadable.contains(path) { throw .unreadable("permission denied") }
        guard let bytes = files[path] else { throw .notFound }
        return bytes
    }
}

/// What every test has unless it says otherwise: a data folder, so that nothing is missing.
let state = ["STATE_DIRECTORY": "/var/lib/latchkey"]

func load(
    _ file: String? = nil,
    mode: SettingsMode = .serve,
    flags: [String: [String]] = [:],
    environment: [String: String] = state,
    files: [String: String] = [:],
    logsToTerminal: Bool = false,
    storeSchemes: Set<String> = []
) throws(SettingsError) -> Settings {
    var files = files
    files["l.yaml"] = file
    return try Settings(
        SettingsSources(
            mode: mode,
            flags: flags,
            environment: environment,
            file: file == nil ? nil : "l.yaml",
            logsToTerminal: logsToTerminal,
            storeSchemes: storeSchemes,
            files: TestFiles(files)
        )
    )
}

/// The lines of the error, or none when the settings are right.
func problems(
    _ file: String? = nil,
    mode: SettingsMode = .serve,
    flags: [String: [String]] = [:],
    environment: [String: String] = state,
    files: [String: String] = [:],
    storeSchemes: Set<String> = []
) -> [String] {
    do throws(SettingsError) {
        _ = try load(file, mode: mode, flags: flags, environment: environment, files: files, storeSchemes: storeSchemes)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}
