import Identity
import Terminal

/// The values of `--grant`: full names, and short ones that only this flag knows.
enum GrantTypeNames {
    private static let short: [(name: String, grants: [GrantType])] = [
        ("passkey", [.webAuthn]), ("code", [.authorizationCode]), ("refresh", [.refreshToken]),
        ("password", [.password, .passwordRealm]), ("m2m", [.clientCredentials]),
    ]

    /// Reads the flag's values, each a name or several with commas between.
    ///
    /// - Throws: `wrongUse` for a name that is none.
    static func read(_ values: [String]) throws(CommandFailure) -> [GrantType] {
        var grants: [GrantType] = []
        for name in values.flatMap({ $0.split(separator: ",").map(String.init) }) {
            for grant in try read(name) where !grants.contains(grant) { grants.append(grant) }
        }
        return grants
    }

    private static func read(_ name: String) throws(CommandFailure) -> [GrantType] {
        if let known = short.first(where: { $0.name == name }) { return known.grants }
        let full = GrantType(rawValue: name)
        if GrantType.known.contains(full) { return [full] }
        let names = short.map(\.name) + GrantType.known.map(\.rawValue)
        let nearest = nearestName(to: name, among: names).map { "Did you mean \($0)?" }
        throw CommandFailure(
            .wrongUse,
            "--grant is \(quoted(name)), which it cannot be. "
                + (nearest ?? "Use \(short.map(\.name).joined(separator: ", ")), or a full grant type.")
        )
    }
}
