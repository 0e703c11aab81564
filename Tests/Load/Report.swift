import Encodings

/// The figures of one run.
struct Report {
    let options: Options
    let registrations: Double
    let latencies: Latencies
    let errors: Int
    let seconds: Double
    let serverCPU: Double?
    let generatorCPU: Double
    let resident: Double?
    let rawCrypto: Double

    private var count: Int { latencies.login.count }
    private var serverPerLogin: Double? { serverCPU.map { $0 / Double(max(1, count)) } }
    /// Server CPU of a sign-in as a multiple of its cryptography alone.
    private var ratio: Double? { serverPerLogin.map { $0 / rawCrypto } }

    /// What it may be at most (docs/operations.md has the table).
    private var ratioTarget: Double { options.idTokenAlgorithm == "RS256" ? 1.1 : 2.5 }
    private static let residentTarget = 40.0
    /// Microseconds of server CPU, when signatures cost nothing.
    private static let stubbedTarget = 150.0
    private var isStubbed: Bool { options.preload != nil }

    /// Whether the run has no error and keeps the targets.
    var isGood: Bool {
        errors == 0 && count > 0 && isCheap
            && resident.map { $0 <= Self.residentTarget } ?? true
    }

    private var isCheap: Bool {
        if isStubbed { return serverPerLogin.map { $0 <= Self.stubbedTarget } ?? true }
        return ratio.map { $0 <= ratioTarget } ?? true
    }

    /// One line of JSON.
    var line: String {
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("connections")
        json.integer(Int64(options.connections))
        json.name("synchronous")
        json.string(options.server == nil ? "unknown" : options.synchronous)
        json.name("id_token_alg")
        json.string(options.idTokenAlgorithm)
        json.name("logins")
        json.integer(Int64(count))
        json.name("errors")
        json.integer(Int64(errors))
        var object = JSONObject()
        object["registrations_s"] = .number(Self.rounded(registrations))
        object["logins_s"] = .number(Self.rounded(Double(count) / seconds))
        for (name, values) in [
            ("challenge", latencies.challenge), ("token", latencies.token), ("login", latencies.login),
        ] {
            object["\(name)_ms"] = [
                "p50": .number(Self.milliseconds(values, 0.50)), "p99": .number(Self.milliseconds(values, 0.99)),
            ]
        }
        if let serverPerLogin { object["server_cpu_us_per_login"] = .number(Self.rounded(serverPerLogin)) }
        object["generator_cpu_us_per_login"] = .number(Self.rounded(generatorCPU / Double(max(1, count))))
        object["raw_crypto_us"] = .number(Self.rounded(rawCrypto))
        if let ratio { object["ratio_to_raw_crypto"] = .number(Self.rounded(ratio)) }
        if let resident { object["server_rss_mib"] = .number(Self.rounded(resident)) }
        for member in object.members {
            json.name(member.name)
            json.value(member.value)
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// For people.
    var table: String {
        var rows: [(String, String)] = [
            ("connections", "\(options.connections)"),
            ("logins/s", Self.text(Double(count) / seconds, 0)),
            ("registrations/s", Self.text(registrations, 0)),
            ("errors", "\(errors)"),
        ]
        for (name, values) in [
            ("challenge", latencies.challenge), ("token", latencies.token), ("whole login", latencies.login),
        ] {
            rows.append(
                (
                    "\(name), p50 / p99",
                    "\(Self.text(Self.milliseconds(values, 0.5), 2)) / \(Self.text(Self.milliseconds(values, 0.99), 2)) ms"
                )
            )
        }
        if let serverPerLogin { rows.append(("server CPU per login", "\(Self.text(serverPerLogin, 0)) us")) }
        rows.append(("generator CPU per login", "\(Self.text(generatorCPU / Double(max(1, count)), 0)) us"))
        rows.append(("raw cryptography of a login", "\(Self.text(rawCrypto, 1)) us"))
        let verdict = isCheap ? "met" : "MISSED"
        if isStubbed {
            rows.append(("signatures stubbed", "target \(Int(Self.stubbedTarget)) us: \(verdict)"))
        } else if let ratio {
            rows.append(
                ("server CPU to raw cryptography", "\(Self.text(ratio, 2)) x, target \(ratioTarget) x: \(verdict)")
            )
        }
        if let resident {
            let verdict = resident <= Self.residentTarget ? "met" : "MISSED"
            rows.append(
                ("server memory", "\(Self.text(resident, 1)) MiB, target \(Int(Self.residentTarget)) MiB: \(verdict)")
            )
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, value in
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(value)"
        }.joined(separator: "\n")
    }

    private static func milliseconds(_ values: [Int64], _ part: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let place = min(sorted.count - 1, Int(Double(sorted.count) * part))
        return rounded(Double(sorted[place]) / 1e6)
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    private static func text(_ value: Double, _ places: Int) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
        let factor = (0..<places).reduce(1) { factor, _ in factor * 10 }
        let whole = Int((value * Double(factor)).rounded())
        guard places > 0 else { return "\(whole)" }
        let fraction = "\(whole % factor)"
        return "\(whole / factor).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }
}
