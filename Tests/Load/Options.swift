/// What the command line says.
struct Options {
    /// `HOST:PORT` of the server; the address that `HOST` means is 127.0.0.1.
    var port: UInt16 = 0
    /// What `Host` says, and what the origin is made of.
    var host = ""
    var clientID = ""
    var realm = "Username-Password-Authentication"
    var users = 200
    /// Passkeys that only lie in the store.
    var fillers = 0
    var connections = 32
    var seconds = 8.0
    /// Processes whose CPU and memory are the server's.
    var pids: [Int32] = []
    var onlyRegisters = false
    /// Both, and the server is started here, in a folder that is removed afterwards.
    var server: String?
    var admin: String?
    var idTokenAlgorithm = "ES256"
    /// `full` or `normal`.
    var synchronous = "full"
    /// A shared library that the started server loads first.
    var preload: String?
    /// Whether the server's figures are judged, by the exit code too.
    var checks = false

    static let usage = """
        usage: latchkey-load --server PATH --admin PATH [options]     start a server of its own
               latchkey-load --url HOST:PORT --client-id ID [options] ask one that runs

          --users N            passkeys that sign in (200)
          --passkeys N         further passkeys that only lie in the store (0)
          --connections N      at once, 1 to 512 (32)
          --seconds S          how long to sign in (8)
          --id-token-alg ALG   ES256 or RS256: how the client's ID tokens are signed; with --url only for the ratio
          --synchronous WORD   full or normal, of the started server's store (full)
          --realm NAME         the connection (Username-Password-Authentication)
          --host HOST[:PORT]   what Host and the origin say, when it is not what --url says
          --pid PID            whose CPU and memory count as the server's; may be repeated
          --preload FILE       a library that the started server loads first: signatures that cost nothing
          --register-only      make the passkeys and end
          --check              exit with 1 when a target is missed
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(_ name: String) throws -> String {
            guard let value = rest.popFirst() else { throw LoadError.usage("\(name) wants a value") }
            return value
        }
        while let name = rest.popFirst() {
            switch name {
            case "--url":
                let url = try value(name)
                host = Self.withoutScheme(url)
                guard let number = host.split(separator: ":").last, let port = UInt16(number) else {
                    throw LoadError.usage("\(url) names no port")
                }
                self.port = port
            case "--host": host = try value(name)
            case "--client-id": clientID = try value(name)
            case "--realm": realm = try value(name)
            case "--users": users = try Self.number(try value(name), 1...1_000_000, name)
            case "--passkeys": fillers = try Self.number(try value(name), 0...10_000_000, name)
            case "--connections": connections = try Self.number(try value(name), 1...512, name)
            case "--seconds":
                guard let seconds = Double(try value(name)), seconds > 0, seconds <= 3600 else {
                    throw LoadError.usage("--seconds wants a number up to 3600")
                }
                self.seconds = seconds
            case "--pid": pids.append(Int32(try Self.number(try value(name), 1...Int(Int32.max), name)))
            case "--register-only": onlyRegisters = true
            case "--server": server = try value(name)
            case "--admin": admin = try value(name)
            case "--id-token-alg": idTokenAlgorithm = try value(name)
            case "--synchronous": synchronous = try value(name)
            case "--preload": preload = try value(name)
            case "--check": checks = true
            default: throw LoadError.usage("\(name) is not known")
            }
        }
        guard ["ES256", "RS256"].contains(idTokenAlgorithm) else {
            throw LoadError.usage("--id-token-alg is ES256 or RS256")
        }
        guard (server == nil) == (admin == nil) else { throw LoadError.usage("--server and --admin go together") }
        guard server != nil || (port != 0 && !clientID.isEmpty) else {
            throw LoadError.usage("either --server and --admin, or --url and --client-id")
        }
        // Each connection has a user in hand, and another one waits.
        users = max(users, connections * 2)
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>, _ name: String) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw LoadError.usage("\(name) wants a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func withoutScheme(_ url: String) -> String {
        let name = url.hasPrefix("http://") ? url.dropFirst(7) : url[...]
        return String(name.prefix { $0 != "/" })
    }
}

/// Why there are no figures.
enum LoadError: Error, CustomStringConvertible {
    case usage(String)
    case failed(String)

    var description: String {
        switch self {
        case .usage(let reason): "\(reason)\n\(Options.usage)"
        case .failed(let reason): reason
        }
    }
}
