import CPostgres

/// What a `postgres://` URL says, taken apart by libpq: one set of parameters for each host.
///
/// The hosts are tried one by one, so that one that does not answer costs its own time and no more.
struct ConnectionString: Sendable {
    /// Each with its names and values; at least one.
    let hosts: [[String: String]]

    /// - Throws: ``PostgresOpenError/url(reason:)`` with libpq's own words.
    init(_ url: String) throws(PostgresOpenError) {
        var options = try Self.parse(url)
        // What our statements need, and what makes a connection to a standby a failure of that host.
        options["client_encoding"] = "UTF8"
        options["target_session_attrs"] = options["target_session_attrs"] ?? "read-write"
        options["fallback_application_name"] = "latchkey"
        // Else each connection would look for a Kerberos ticket first.
        options["gssencmode"] = options["gssencmode"] ?? "disable"
        hosts = Self.split(options)
    }

    /// Where a host is, for people.
    static func place(_ host: [String: String]) -> String {
        let name = host["host"] ?? host["hostaddr"] ?? "the local socket"
        return host["port"].map { "\(name):\($0)" } ?? name
    }

    private static func split(_ options: [String: String]) -> [[String: String]] {
        let lists = ["host", "hostaddr", "port"].map { name in
            (name, (options[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
        let count = max(1, lists.filter { $0.0 != "port" }.map(\.1.count).max() ?? 1)
        return (0..<count).map { index in
            var host = options
            for (name, values) in lists {
                // One port stands for all hosts.
                let value = values.indices.contains(index) ? values[index] : values.count == 1 ? values[0] : ""
                host[name] = value.isEmpty ? nil : value
            }
            return host
        }
    }

    private static func parse(_ url: String) throws(PostgresOpenError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = unsafe PQconninfoParse(url, &message) else {
            defer { unsafe PQfreemem(message) }
            let text = unsafe message.map { unsafe String(cString: $0) } ?? "it cannot be read"
            throw .url(reason: PostgresFault.printable(text.split(separator: "\n").first ?? ""))
        }
        defer { unsafe PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var next = unsafe parsed
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val {
                unsafe options[String(cString: keyword)] = String(cString: value)
            }
            unsafe next += 1
        }
        return options
    }
}
