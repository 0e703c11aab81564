import Glibc

/// Registers software authenticators over HTTP, signs them in in a closed loop, and prints what the server did and what
/// it cost, as one line of JSON and as a table (on standard error).
@main
struct LoadProgram {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            exit(try run(options) ? 0 : 1)
        } catch {
            say("latchkey-load: \(error)")
            exit(2)
        }
    }

    private static func run(_ asked: Options) throws -> Bool {
        var options = asked
        guard let server = options.server, let admin = options.admin else { return try measure(options) }
        let started = try StartedServer(options, server: server, admin: admin)
        defer { started.stop() }
        options.port = started.port
        options.host = "localhost:\(started.port)"
        options.clientID = started.clientID
        options.pids = [started.pid]
        return try measure(options)
    }

    private static func measure(_ options: Options) throws -> Bool {
        // A server that goes away is told by what `send` says.
        signal(SIGPIPE, SIG_IGN)
        let raw = try RawCrypto(idTokens: options.idTokenAlgorithm)
        var rawCrypto = try raw.measure()
        var generator = try Generator(options)
        defer { generator.close() }

        var start = monotonicNanoseconds()
        let made = try generator.register()
        let registrations = Double(made) / (Double(monotonicNanoseconds() - start) / 1e9)
        if options.onlyRegisters {
            print("{\"registrations\":\(made),\"registrations_s\":\(Int(registrations))}")
            return true
        }

        let before = ProcessUse(options.pids)
        let generatorBefore = ProcessUse([getpid()])
        start = monotonicNanoseconds()
        let latencies = try generator.signIn(seconds: options.seconds)
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        let after = ProcessUse(options.pids)
        let generatorAfter = ProcessUse([getpid()])
        rawCrypto = min(rawCrypto, try raw.measure())

        if generator.errors > 0 { say("\(generator.errors) errors, the last: \(generator.lastError)") }
        let report = Report(
            options: options,
            registrations: registrations,
            latencies: latencies,
            errors: generator.errors,
            seconds: seconds,
            serverCPU: options.pids.isEmpty ? nil : after.cpu - before.cpu,
            generatorCPU: generatorAfter.cpu - generatorBefore.cpu,
            resident: options.pids.isEmpty ? nil : after.resident,
            rawCrypto: rawCrypto
        )
        print(report.line)
        say(report.table)
        return report.isGood || !options.checks
    }

    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { bytes in unsafe write(2, bytes.baseAddress, bytes.count) }
    }
}
