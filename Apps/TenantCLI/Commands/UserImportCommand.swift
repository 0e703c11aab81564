import Encodings
import Terminal
import Transfer

/// `user import` (HTTP contract 11.17).
enum UserImportCommand {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "import",
            "bring users with their password hashes and passkeys; all are checked before any is written",
            words: [Word("FILE", "an array of users, or one user a line; - is standard input")],
            flags: [
                Flag("connection", "NAME", "whose users they become; the only one unless given"),
                Flag("upsert", "change users that are there; never their passwords and passkeys"),
                Flag("dry-run", "only check"), Flag("skip-refused", "write the others where some are refused"),
                .output(),
            ],
            examples: [
                "latchkey-tenant user import users.json --dry-run",
                "latchkey-tenant user import users.jsonl --connection Staff --skip-refused -o json",
            ],
            exits: [.notFound, .notAllowed, .answerIsNo]
        ) { invocation, console in
            let users = try UserFile.read(try TextFile.read(invocation.word("FILE") ?? "", limit: maximumFile))
            return try await Session.run(invocation, console, tools) { session in
                let directory = try await session.directory(invocation.value("connection")).text("id")
                var run = UserImportRun(session, directory: directory, upserts: invocation.isSet("upsert"))
                try await run.bring(users, isDry: true)
                let isRefused = run.summary.failed > 0
                if isRefused { run.showRefused() }
                guard !invocation.isSet("dry-run"), !isRefused || invocation.isSet("skip-refused") else {
                    try session.answer(run.document(isDry: true))
                    if isRefused, !invocation.isSet("dry-run") {
                        console.note("Nothing was written. Add --skip-refused to write the others.")
                    }
                    return isRefused ? .answerIsNo : .done
                }
                run.begin()
                try await run.bring(users, isDry: false)
                // What was found before is said already.
                if run.summary.failed > 0, !isRefused { run.showRefused() }
                try session.answer(run.document(isDry: false))
                return run.summary.failed > 0 ? .answerIsNo : .done
            }
        }
    }

    private static let maximumFile = 1 << 30
}

/// The jobs of one import.
private struct UserImportRun {
    struct Summary {
        var (total, inserted, updated, failed): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
    }

    let session: Session
    let directory: String
    let upserts: Bool
    private(set) var summary = Summary()
    private var refused: [JSONObject] = []

    init(_ session: Session, directory: String, upserts: Bool) {
        self.session = session
        self.directory = directory
        self.upserts = upserts
    }

    mutating func begin() { (summary, refused) = (Summary(), []) }

    /// Sends the users in as many jobs as they need, one after the other.
    mutating func bring(_ users: [ArraySlice<UInt8>], isDry: Bool) async throws(CommandFailure) {
        for part in UserFile.parts(users) {
            let form = form(part, isDry: isDry)
            let sent = try await session.send(
                "POST",
                "jobs/users-imports",
                body: form,
                contentType: "multipart/form-data; boundary=\(Self.boundary)"
            )
            if let refusal = session.refusal(sent) { throw refusal }
            guard let id = (try? JSON.parse(sent.body))?.object?["id"]?.string else {
                throw session.strange("jobs/users-imports")
            }
            let job = try await session.finished(job: id) { [session, summary] done in
                let word = isDry ? "checking" : "importing"
                session.console.progress(
                    "\(word) \(users.count) users, \(summary.total) done, then \(done) % of a part"
                )
            }
            let counts = job["summary"]?.object ?? [:]
            func count(_ name: String) -> Int64 { max(0, min(counts[name]?.integer ?? 0, 1 << 40)) }
            summary.total += count("total")
            summary.inserted += count("inserted")
            summary.updated += count("updated")
            summary.failed += count("failed")
            guard count("failed") > 0 else { continue }
            let path = "jobs/\(Session.encoded(id))/errors"
            refused += (try await session.call("GET", path).json.array ?? []).compactMap(\.object)
        }
    }

    private static let boundary = "latchkey-tenant-5f1c2f0e8a7b4f4d9d0c"

    /// RFC 7578. Strings of JSON have no line breaks, so that no boundary can stand in one.
    private func form(_ users: ArraySlice<ArraySlice<UInt8>>, isDry: Bool) -> [UInt8] {
        var body: [UInt8] = []
        func part(_ name: String, _ content: some Sequence<UInt8>) {
            body += Array("--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
            body += content
            body += Array("\r\n".utf8)
        }
        part("connection_id", directory.utf8)
        part("upsert", (upserts ? "true" : "false").utf8)
        part("dry_run", (isDry ? "true" : "false").utf8)
        part("users", Array("[".utf8) + users.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8))
        return body + Array("--\(Self.boundary)--\r\n".utf8)
    }

    func document(isDry: Bool) -> JSONObject {
        var document: JSONObject = [
            "dry_run": .bool(isDry), "total": .integer(summary.total), "inserted": .integer(summary.inserted),
            "updated": .integer(summary.updated), "failed": .integer(summary.failed),
        ]
        // A table names them above; JSON has them all.
        if session.invocation.format == .json { document.set("refused", .array(refused.map { .object($0) })) }
        return document
    }

    /// Says whom the server refuses, and why.
    func showRefused() {
        let shown = refused.prefix(20)
        for entry in shown {
            let user = entry["user"]?.object ?? [:]
            let who =
                ["email", "username", "phone_number", "user_id"].compactMap { user[$0]?.string }.first ?? "a user"
            let fault = entry["errors"]?.array?.first?.object ?? [:]
            let place = fault.text("path")
            session.console.warn(
                session.invocation.program,
                printable("\(who): \(fault.text("message"))") + (place.isEmpty ? "" : " (\(printable(place)))")
            )
        }
        let more = summary.failed - Int64(shown.count)
        if more > 0 { session.console.note("\(more) more are refused; -o json names them.") }
    }
}

extension Session {
    /// Waits for a job, and gives it when it has ended well.
    ///
    /// - Throws: `failed` with the server's reason, `unavailable`.
    func finished(
        job id: String,
        progress: (_ percent: Int64) -> Void = { _ in }
    ) async throws(CommandFailure) -> JSONObject {
        while true {
            let job = try await get("jobs/" + Self.encoded(id))
            switch job.text("status") {
            case "completed": return job
            case "failed":
                let reason = job["status_details"]?.string ?? "The job failed."
                throw CommandFailure(.failed, printable(reason))
            default: progress(job["percentage_done"]?.integer ?? 0)
            }
            await tools.pause(1)
        }
    }
}

/// Users as files hold them: an array of objects, or one object a line.
enum UserFile {
    /// Takes a file apart into its users, each as it is written.
    ///
    /// - Throws: `wrongUse`, with the number of the first user that is none.
    static func read(_ file: [UInt8]) throws(CommandFailure) -> [ArraySlice<UInt8>] {
        let rest = file.drop { isBlank($0) }
        guard let first = rest.first else { throw CommandFailure(.wrongUse, "the file is empty.") }
        let users =
            first == UInt8(ascii: "[")
            ? try elements(rest)
            : file.split(separator: UInt8(ascii: "\n")).filter { line in !line.allSatisfy(isBlank) }
        for (index, user) in users.enumerated() where (try? JSON.parse(Array(user)))?.object == nil {
            throw CommandFailure(.wrongUse, "user \(index + 1) of the file is no JSON object.")
        }
        return users
    }

    /// The users in parts that one job takes each.
    static func parts(_ users: [ArraySlice<UInt8>]) -> [ArraySlice<ArraySlice<UInt8>>] {
        var parts: [ArraySlice<ArraySlice<UInt8>>] = []
        var (start, size) = (0, 0)
        for (index, user) in users.enumerated() {
            if size > 0, size + user.count > partSize {
                parts.append(users[start..<index])
                (start, size) = (index, 0)
            }
            size += user.count + 1
        }
        if start < users.count { parts.append(users[start...]) }
        return parts
    }

    /// Below what a server takes in one job.
    private static let partSize = 6 << 20

    /// The elements of an array: what lies between commas outside of strings and of all inner brackets.
    private static func elements(_ array: ArraySlice<UInt8>) throws(CommandFailure) -> [ArraySlice<UInt8>] {
        var found: [ArraySlice<UInt8>] = []
        var depth = 0
        var (isInString, isEscaped) = (false, false)
        var start = array.startIndex + 1
        for (index, byte) in zip(array.indices, array) {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            let isEnd = depth == 0
            guard isEnd || (depth == 1 && byte == UInt8(ascii: ",")) else { continue }
            let element = array[start..<index]
            // An empty array has one place and nothing in it.
            if !(isEnd && found.isEmpty && element.allSatisfy(isBlank)) { found.append(element) }
            start = index + 1
            guard isEnd else { continue }
            guard byte == UInt8(ascii: "]"), array[start...].allSatisfy(isBlank) else { break }
            return found
        }
        throw CommandFailure(.wrongUse, "the file is no JSON array: it ends too early, or something follows it.")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
