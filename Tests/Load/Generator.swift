import Encodings
import Glibc
import SoftwareAuthenticator

/// The closed loop: each connection begins its next ceremony when the last one is over. One thread.
struct Generator {
    private let options: Options
    private let bodies: Bodies
    private var connections: [LoadConnection] = []
    private var next = 0
    private(set) var passkeys: [LoadPasskey] = []
    private(set) var errors = 0
    private(set) var lastError = ""

    init(_ options: Options) throws {
        self.options = options
        bodies = Bodies(options)
        for _ in 0..<options.connections { connections.append(try LoadConnection(port: options.port)) }
    }

    func close() {
        for connection in connections { connection.close() }
    }

    // MARK: Registering

    /// Makes the passkeys over HTTP, those that only lie in the store first.
    ///
    /// - Returns: how many were made.
    mutating func register() throws -> Int {
        let wanted = options.fillers + options.users
        var done = 0
        next = 0
        passkeys.reserveCapacity(options.users)
        for index in connections.indices { try beginRegistration(index, wanted) }
        while done + errors < wanted {
            try turn { generator, index, answer in
                try generator.registrationAnswered(index, answer, wanted) { done += 1 }
            }
        }
        guard errors == 0 else { throw LoadError.failed("\(errors) of \(wanted) registrations failed: \(lastError)") }
        return done
    }

    private mutating func beginRegistration(_ index: Int, _ wanted: Int) throws {
        guard next < wanted else { return }
        connections[index].passkey = next
        connections[index].isAnswering = false
        try connections[index].post("/passkey/register", host: options.host, bodies.register(next))
        next += 1
    }

    private mutating func registrationAnswered(
        _ index: Int,
        _ answer: LoadConnection.Answer,
        _ wanted: Int,
        _ isDone: () -> Void
    ) throws {
        if !connections[index].isAnswering {
            guard answer.status == 200, let session = answer.body.member("\"auth_session\":\""),
                let object = try JSON.parse(answer.body).object?["authn_params_public_key"]?.object
            else {
                note(answer)
                return try beginRegistration(index, wanted)
            }
            var authenticator = Authenticator(.counting)
            let body = try bodies.registered(session: session, options: object, by: &authenticator)
            if connections[index].passkey >= options.fillers, let credential = authenticator.credentials.last {
                passkeys.append(LoadPasskey(credential))
            }
            connections[index].isAnswering = true
            try connections[index].post("/oauth/token", host: options.host, body)
        } else {
            if answer.status == 200 { isDone() } else { note(answer) }
            try beginRegistration(index, wanted)
        }
    }

    // MARK: Signing in

    /// Signs in for some time.
    mutating func signIn(seconds: Double) throws -> Latencies {
        var latencies = Latencies()
        next = 0
        errors = 0
        let end = monotonicNanoseconds() + Int64(seconds * 1e9)
        for index in connections.indices { try beginSignIn(index) }
        while monotonicNanoseconds() < end {
            try turn { generator, index, answer in try generator.signInAnswered(index, answer, &latencies) }
        }
        return latencies
    }

    private mutating func beginSignIn(_ index: Int) throws {
        // There are twice as many passkeys as connections, so that one is free.
        repeat { next = (next + 1) % passkeys.count } while passkeys[next].isBusy
        passkeys[next].isBusy = true
        connections[index].passkey = next
        connections[index].isAnswering = false
        connections[index].startedAt = monotonicNanoseconds()
        try connections[index].post("/passkey/challenge", host: options.host, bodies.challenge)
    }

    private mutating func signInAnswered(
        _ index: Int,
        _ answer: LoadConnection.Answer,
        _ latencies: inout Latencies
    ) throws {
        let now = monotonicNanoseconds()
        let passkey = connections[index].passkey
        if !connections[index].isAnswering {
            guard answer.status == 200, let session = answer.body.member("\"auth_session\":\""),
                let challenge = answer.body.member("\"challenge\":\"")
            else {
                note(answer)
                passkeys[passkey].isBusy = false
                return try beginSignIn(index)
            }
            latencies.challenge.append(now - connections[index].startedAt)
            passkeys[passkey].signCount += 1
            let body = try bodies.signedIn(session: session, challenge: challenge, with: passkeys[passkey])
            connections[index].isAnswering = true
            connections[index].answeredAt = monotonicNanoseconds()
            try connections[index].post("/oauth/token", host: options.host, body)
        } else {
            passkeys[passkey].isBusy = false
            if answer.status == 200, answer.body.member("\"access_token\":\"") != nil {
                latencies.token.append(now - connections[index].answeredAt)
                latencies.login.append(now - connections[index].startedAt)
            } else {
                note(answer)
            }
            try beginSignIn(index)
        }
    }

    private mutating func note(_ answer: LoadConnection.Answer) {
        errors += 1
        lastError = "\(answer.status) \(String(decoding: answer.body.prefix(300), as: UTF8.self))"
    }

    // MARK: Waiting

    /// Waits for answers, at most 100 ms, and hands each over.
    private mutating func turn(
        _ answered: (inout Generator, Int, LoadConnection.Answer) throws -> Void
    ) throws {
        var waiting = connections.map { connection in
            pollfd(
                fd: connection.descriptor,
                events: Int16(connection.isSending ? POLLIN | POLLOUT : POLLIN),
                revents: 0
            )
        }
        guard unsafe poll(&waiting, nfds_t(waiting.count), 100) > 0 else { return }
        for (index, entry) in waiting.enumerated() where entry.revents != 0 {
            if connections[index].isSending { connections[index].send() }
            if let answer = try connections[index].receive() { try answered(&self, index, answer) }
        }
    }
}

/// Nanoseconds from sending to the whole answer.
struct Latencies {
    var challenge: [Int64] = []
    var token: [Int64] = []
    /// From the first request's sending to the last one's answer, with the signing between.
    var login: [Int64] = []
}

func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
