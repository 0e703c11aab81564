import Identity
import Terminal

/// The values of `--grant`: full names, and short ones that only this flag knows.
enum GrantTypeNames {
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
        if let grants = GrantType.named(name) { return grants }
        let short = GrantType.shortNames.map(\.name)
        let names = short + GrantType.known.map(\.rawValue)
        let nearest = nearestName(to: name, among: names).map { "Did you mean \($0)?" }
        throw CommandFailure(
            .wrongUse,
            "--grant is \(quoted(name)), which it cannot be. "
                + (nearest ?? "Use \(short.joined(separator: ", ")), or a full grant type.")
        )
    }
}
