/// What the web server of an RP ID's host needs, when that host is not this server: the files, as they lie under its root,
/// and the lines that serve them.
public struct AssociationFolder: Hashable, Sendable {
    /// One file, its path relative to the folder.
    public struct File: Hashable, Sendable {
        public let path: String
        public let bytes: [UInt8]
    }

    /// The association files, then `nginx.conf` and `Caddyfile`.
    public let files: [File]

    /// - Parameters:
    ///   - associations: what is to be served.
    ///   - host: the RP ID.
    ///   - folder: where the folder will lie on the host, an absolute path.
    ///   - server: a domain of the tenant, which serves the same files: the lines for handing the requests on name it.
    public init(_ associations: AssociationFiles, host: String, folder: String, server: String) {
        var files = [
            File(path: Self.relative(AssociationFiles.Path.apple), bytes: associations.apple),
            File(path: Self.relative(AssociationFiles.Path.android), bytes: associations.android),
        ]
        if let origins = associations.relatedOrigins {
            files.append(File(path: Self.relative(AssociationFiles.Path.relatedOrigins), bytes: origins))
        }
        let paths = files.map { "/" + $0.path }
        files.append(File(path: "nginx.conf", bytes: Array(Self.nginx(paths, host, folder, server).utf8)))
        files.append(File(path: "Caddyfile", bytes: Array(Self.caddy(paths, host, folder, server).utf8)))
        self.files = files
    }

    private static func relative(_ path: String) -> String { String(path.dropFirst()) }

    private static func nginx(_ paths: [String], _ host: String, _ folder: String, _ server: String) -> String {
        var lines = [
            "# Into the server block of \(host) that listens on 443, before any rule that redirects.",
            "# `types { }` lets default_type decide, also for a name without an extension.",
        ]
        for path in paths {
            lines.append(
                "location = \(path) { root \(folder); types { } default_type application/json; "
                    + "add_header Access-Control-Allow-Origin *; }"
            )
        }
        lines += [
            "", "# Or hand the requests on, and never copy the files again:",
            "# location ~ ^(\(paths.map(escaped).joined(separator: "|")))$ {",
            "#     proxy_pass https://\(server); proxy_ssl_server_name on; proxy_set_header Host \(server);", "# }", "",
        ]
        return lines.joined(separator: "\n")
    }

    private static func caddy(_ paths: [String], _ host: String, _ folder: String, _ server: String) -> String {
        [
            "# Into the block of \(host), before any redir.", "@association path \(paths.joined(separator: " "))",
            "handle @association {", "    root * \(folder)", "    header Content-Type application/json",
            "    header Access-Control-Allow-Origin *", "    file_server", "}", "",
            "# Or hand the requests on, and never copy the files again:", "# handle @association {",
            "#     reverse_proxy https://\(server) {", "#         header_up Host \(server)", "#     }", "# }", "",
        ].joined(separator: "\n")
    }

    private static func escaped(_ path: String) -> String {
        String(path.flatMap { $0 == "." ? ["\\", $0] : [$0] })
    }
}
