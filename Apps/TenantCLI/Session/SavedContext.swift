import Encodings
import Terminal
import YAML

/// A tenant that was signed in to before, and how.
struct SavedContext: Hashable, Sendable {
    var name: String
    var url: String
    var clientID: String
    /// Kept here, or in a file of its own.
    var secret: String?
    var secretFile: String?
    var authorities: String?

    var document: JSONObject {
        var object: JSONObject = ["name": .string(name), "url": .string(url), "client_id": .string(clientID)]
        if let secretFile { object.set("client_secret_file", .string(secretFile)) }
        if let authorities { object.set("ca_file", .string(authorities)) }
        return object
    }
}

/// The contexts of one person: `$XDG_CONFIG_HOME/latchkey/contexts.yaml`, mode 0600.
struct ContextFile: Sendable {
    let path: String
    var current: String?
    var contexts: [SavedContext] = []

    /// Reads the file; without one there are no contexts.
    ///
    /// - Throws: `wrongUse` for a file that others may read, or that is no list of contexts.
    init(environment: [String: String]) throws(CommandFailure) {
        path = Folders.configuration(environment) + "/contexts.yaml"
        guard PrivateFile.exists(path) else { return }
        guard PrivateFile.isPrivate(path) else {
            throw CommandFailure(
                .wrongUse,
                "\(printable(path)) has secrets in it, and others may read it. Say: chmod 600 \(printable(path))"
            )
        }
        let bytes = try readSecretFile(path)
        let node: YAMLNode
        do throws(YAMLError) {
            node = try YAML.parse(bytes, file: path)
        } catch { throw CommandFailure(.wrongUse, "\(error)") }
        if node.isNull { return }
        for member in node.members ?? [] {
            switch member.key {
            case "current": current = member.value.scalar?.text
            case "contexts":
                for element in member.value.elements ?? [] { contexts.append(try read(element)) }
            default: throw wrong("there is no member \(quoted(member.key))", member.keyPosition)
            }
        }
    }

    subscript(name: String) -> SavedContext? { contexts.first { $0.name.utf8.elementsEqual(name.utf8) } }

    /// Puts the context in the place of the one of its name, or behind the others.
    mutating func set(_ context: SavedContext) {
        if let index = contexts.firstIndex(where: { $0.name.utf8.elementsEqual(context.name.utf8) }) {
            contexts[index] = context
        } else {
            contexts.append(context)
        }
    }

    /// Writes it whole or not at all.
    func write() throws(CommandFailure) {
        if let slash = path.lastIndex(of: "/") { try PrivateFile.makeFolders(String(path[..<slash])) }
        var members: [YAMLMember] = []
        if let current { members.append(YAMLMember("current", .string(current))) }
        members.append(YAMLMember("contexts", .sequence(contexts.map(node))))
        let note = "# Written by latchkey-tenant context. It has secrets in it: keep its mode at 0600.\n"
        try PrivateFile.write(path, note + YAMLNode.mapping(members).written())
    }

    private func node(_ context: SavedContext) -> YAMLNode {
        let pairs: [(String, String?)] = [
            ("name", context.name), ("url", context.url), ("client_id", context.clientID),
            ("client_secret", context.secret), ("client_secret_file", context.secretFile),
            ("ca_file", context.authorities),
        ]
        return .mapping(pairs.compactMap { name, value in value.map { YAMLMember(name, .string($0)) } })
    }

    private func read(_ node: YAMLNode) throws(CommandFailure) -> SavedContext {
        var values: [String: String] = [:]
        for member in node.members ?? [] {
            let names = ["name", "url", "client_id", "client_secret", "client_secret_file", "ca_file"]
            guard names.contains(member.key) else {
                throw wrong("a context has no member \(quoted(member.key))", member.keyPosition)
            }
            // Never the value in a message: it may be the secret.
            guard let scalar = member.value.scalar, !member.value.isNull else {
                throw wrong("\(member.key) is not text", member.value.position)
            }
            values[member.key] = scalar.text
        }
        guard let name = values["name"], let url = values["url"], let clientID = values["client_id"] else {
            throw wrong("a context needs name, url and client_id", node.position)
        }
        return SavedContext(
            name: name,
            url: url,
            clientID: clientID,
            secret: values["client_secret"],
            secretFile: values["client_secret_file"],
            authorities: values["ca_file"]
        )
    }

    private func wrong(_ problem: String, _ position: YAMLPosition) -> CommandFailure {
        CommandFailure(.wrongUse, "\(printable(path)):\(position.line):\(position.column): \(problem).")
    }
}

/// Where the tool keeps things (XDG Base Directory Specification).
enum Folders {
    static func configuration(_ environment: [String: String]) -> String {
        folder("XDG_CONFIG_HOME", ".config", environment)
    }

    static func state(_ environment: [String: String]) -> String {
        folder("XDG_STATE_HOME", ".local/state", environment)
    }

    /// A relative path in the variable counts as none, as the specification says.
    private static func folder(_ variable: String, _ standard: String, _ environment: [String: String]) -> String {
        if let path = environment[variable], path.hasPrefix("/") { return path + "/latchkey" }
        return (environment["HOME"] ?? ".") + "/\(standard)/latchkey"
    }
}
