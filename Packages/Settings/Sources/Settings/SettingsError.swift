public import YAML

/// Everything that is wrong with the settings, in the order of their sources.
public struct SettingsError: Error, Hashable, Sendable {
    /// At least one.
    public let problems: [SettingsProblem]
}

extension SettingsError: CustomStringConvertible {
    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// One thing that is wrong with the settings.
public enum SettingsProblem: Hashable, Sendable {
    case yaml(YAMLError)
    /// The file is not a map.
    case notAMap(kind: String, source: SettingSource)
    case unknownKey(String, nearest: String?, source: SettingSource)
    /// `shown` is how the value looks in the sentence, without secrets.
    case wrongValue(name: String, shown: String, remedy: String, source: SettingSource)
    case setTwice(first: String, second: String, firstSource: SettingSource, secondSource: SettingSource)
    /// `name` is the setting that names the file, `nil` for the configuration file itself.
    case unreadableFile(String, reason: String, name: String?, source: SettingSource)
    /// A secret's file holds nothing, several lines or no text.
    case badSecretFile(String, name: String, source: SettingSource)
    case missing(name: String, reason: String, remedy: String)
    /// Two settings that do not go together, in one sentence.
    case conflict(String, source: SettingSource)
}

extension SettingsProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .yaml(let error): return error.description
        case .notAMap(let kind, let source):
            return """
                \(source): the file is \(kind), which it cannot be. \
                Write settings, one on a line, as listen: localhost:8080.
                """
        case .unknownKey(let key, let nearest, let source):
            let remedy = nearest.map { "Did you mean \"\($0)\"?" } ?? "`latchkey-server config example` lists them all."
            return "\(source): \"\(key)\" is no setting. \(remedy)"
        case .wrongValue(let name, let shown, let remedy, let source):
            return "\(source): \(name) is \(shown), which it cannot be. \(remedy)"
        case .setTwice(let first, let second, let firstSource, let secondSource):
            return "\(secondSource): \(second) is set, and so is \(first) (\(firstSource)). Keep one."
        case .unreadableFile(let path, let reason, let name?, let source):
            return "\(source): \(name) names \"\(path)\", which cannot be read: \(reason)."
        case .unreadableFile(let path, let reason, nil, _):
            return "\(path): the configuration file cannot be read: \(reason)."
        case .badSecretFile(let path, let name, let source):
            return "\(source): \(name) names \"\(path)\", which must hold one line of text."
        case .missing(let name, let reason, let remedy): return "\(name) is not set, \(reason). \(remedy)"
        case .conflict(let sentence, let source): return "\(source): \(sentence)"
        }
    }
}

/// What is odd about the settings, but stops nothing.
public enum SettingsWarning: Hashable, Sendable {
    case unknownVariable(String, nearest: String?)
    /// A variable that Kubernetes makes for a service named `latchkey`.
    case serviceVariable(String)
    /// A listener for other machines without TLS and without a proxy, at which every request is refused.
    case plainListener(String)
    /// A flag with a password in it, which other users of the machine can see.
    case secretInFlag(String, fileVariable: String)
}

extension SettingsWarning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownVariable(let name, let nearest):
            "\(name) is no setting and is ignored." + (nearest.map { " Did you mean \($0)?" } ?? "")
        case .serviceVariable(let name):
            "\(name) is no setting and is ignored. Kubernetes makes it for a service named latchkey."
        case .plainListener(let address):
            """
            listen \(address) has no TLS, and trusted_proxies is empty: requests from other machines will be refused. \
            Set tls.certificate and tls.key, or the networks of your proxies in trusted_proxies.
            """
        case .secretInFlag(let flag, let variable):
            "\(flag) holds a password, which other users of this machine can see. Name a file with it in \(variable)."
        }
    }
}
