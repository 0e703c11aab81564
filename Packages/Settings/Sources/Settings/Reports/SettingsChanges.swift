/// What differs between the settings in force and those read again on SIGHUP.
public struct SettingsChanges: Hashable, Sendable {
    /// Put into force at once: certificates, log level, limits.
    public let live: [SettingKey]
    /// Waiting for a restart.
    public let waiting: [SettingKey]

    public init(live: [SettingKey], waiting: [SettingKey]) {
        self.live = live
        self.waiting = waiting
    }
}

extension Settings {
    /// The settings whose value changed on the way to `newer`. A change of source alone is none.
    public func changes(to newer: Settings) -> SettingsChanges {
        var live: [SettingKey] = []
        var waiting: [SettingKey] = []
        for key in changedKeys(newer) {
            // Switching TLS on or off changes what the listeners speak.
            let keepsTLS = (tlsCertificate.value == nil) == (newer.tlsCertificate.value == nil)
            let isTLS = key == .tlsCertificate || key == .tlsKey
            if key.isReloadable, !isTLS || keepsTLS { live.append(key) } else { waiting.append(key) }
        }
        return SettingsChanges(live: live, waiting: waiting)
    }

    private func changedKeys(_ newer: Settings) -> [SettingKey] {
        // Entries are masked, so what can hold a secret is compared by its value.
        var keys: [SettingKey] = []
        for (old, new) in zip(entries, newer.entries) {
            let isChanged =
                switch old.key {
                case .store: store.value != newer.store.value
                case .challenges: challenges.value != newer.challenges.value
                case .mail: mail.value != newer.mail.value
                default: old.value != new.value
                }
            if isChanged { keys.append(old.key) }
        }
        return keys
    }
}

extension SettingsChanges: CustomStringConvertible {
    /// One line for each kind of change, or nothing.
    public var description: String {
        var lines: [String] = []
        if !live.isEmpty { lines.append("in force now: " + live.map(\.name).joined(separator: ", ")) }
        if !waiting.isEmpty { lines.append("needs a restart: " + waiting.map(\.name).joined(separator: ", ")) }
        return lines.joined(separator: "\n")
    }
}
