import Terminal

/// Which tenant a command speaks to, and as whom: flags over environment over context.
struct Target: Sendable {
    /// The context's name, when one gave the rest.
    var context: String?
    /// Scheme and host, without a slash at the end.
    var base: String
    var clientID: String
    var authorities: String?
    private let saved: SavedContext?

    /// - Throws: `wrongUse` when nothing says where the tenant is, or an address is none.
    init(_ invocation: Invocation, _ console: Console) throws(CommandFailure) {
        let environment = console.environment.filter { !$0.value.isEmpty }
        // Who names a context means all of it.
        let named = invocation.value("context")
        let url = invocation.value("url") ?? (named == nil ? environment["LATCHKEY_URL"] : nil)
        let client = invocation.value("client-id") ?? (named == nil ? environment["LATCHKEY_CLIENT_ID"] : nil)
        var saved: SavedContext?
        // With both of them said, no file is needed.
        if url == nil || client == nil {
            let file = try ContextFile(environment: console.environment)
            if let name = named ?? environment["LATCHKEY_CONTEXT"] ?? file.current {
                guard let context = file[name] else {
                    throw .notFound("context", name, among: file.contexts.map(\.name))
                }
                saved = context
            }
        }
        guard let url = url ?? saved?.url, let client = client ?? saved?.clientID
        else {
            throw CommandFailure(
                .wrongUse,
                "which tenant? Say `\(TenantProgram.name) context add NAME --url URL --client-id ID` once, or set "
                    + "LATCHKEY_URL and LATCHKEY_CLIENT_ID."
            )
        }
        let base = try Self.base(url)
        self.base = base
        clientID = client
        authorities = invocation.value("ca-file") ?? environment["LATCHKEY_CA_FILE"] ?? saved?.authorities
        // Said here, and not as a server that cannot be reached.
        if let authorities { _ = try TextFile.read(authorities, limit: 4 << 20) }
        // A context's secret goes to the context's address and is the context's client's, and nothing else.
        let isSame = saved.map { (try? Self.base($0.url)) == base && $0.clientID == client } ?? false
        self.saved = isSame ? saved : nil
        context = isSame ? saved?.name : nil
    }

    init(base: String, clientID: String, authorities: String?) {
        self.base = base
        self.clientID = clientID
        self.authorities = authorities
        saved = nil
        context = nil
    }

    /// The client's secret: the context's own, else from the environment, a file or a prompt.
    ///
    /// - Throws: `wrongUse` when there is none and nobody can be asked; `interrupted`.
    func secret(_ invocation: Invocation, _ console: Console) throws(CommandFailure) -> String {
        let hasVariable = ["LATCHKEY_CLIENT_SECRET", "LATCHKEY_CLIENT_SECRET_FILE"].contains {
            console.environment[$0].map { !$0.isEmpty } ?? false
        }
        if let saved, invocation.isSet("context") || !hasVariable {
            if let secret = saved.secret { return secret }
            if let file = saved.secretFile { return try Self.text(readSecretFile(file), of: file) }
        }
        return try console.secret(
            variable: "LATCHKEY_CLIENT_SECRET",
            prompt: "Secret of client \(printable(clientID))",
            invocation.answers
        )
    }

    static func text(_ bytes: [UInt8], of file: String) throws(CommandFailure) -> String {
        var rest = bytes[...]
        while let last = rest.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { rest.removeLast() }
        guard let text = String(validating: rest, as: UTF8.self), !text.isEmpty else {
            throw CommandFailure(.wrongUse, "\(printable(file)) holds no secret.")
        }
        return text
    }

    /// Reads a tenant's address: a scheme and a host, nothing behind them.
    static func base(_ url: String) throws(CommandFailure) -> String {
        var text = url
        while text.hasSuffix("/") { text.removeLast() }
        let host = ["https://", "http://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
        guard let host, !host.isEmpty, !host.contains(where: { "/?#@ \\".contains($0) }) else {
            throw CommandFailure(
                .wrongUse,
                "\(quoted(url)) is no tenant's address. Write it as https://login.acme.example"
            )
        }
        return text
    }
}
