import Encodings
import Tenancy
import Terminal
import Transfer
import YAML

/// `export`, `validate`, `plan`, `apply`, `schema`: the tenant as a file (HTTP contract 11.18, 16).
enum FileCommands {
    static func commands(_ tools: TenantTools) -> [Command] {
        [export(tools), validate, plan(tools), apply(tools), schema]
    }

    private static let file = Word("FILE", "the tenant file; - is standard input")
    private static let allowDelete = Flag("allow-delete", "let go what a section of the file does not name")

    // MARK: export

    private static func export(_ tools: TenantTools) -> Command {
        Command(
            "export",
            "print the file that describes the tenant as it is",
            group: TenantProgram.Group.file,
            flags: [Flag("out", "FILE", "write it to this file")],
            examples: ["latchkey-tenant export --out tenant.yaml"],
            exits: [.notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let text = WrittenFile.yaml(try await session.get("tenant-file"))
                if let path = invocation.value("out") {
                    try PrivateFile.write(path, text)
                    console.note("The tenant is written to \(printable(path)).")
                } else {
                    console.output.write(text)
                }
                return .done
            }
        }
    }

    // MARK: validate

    private static let validate = Command(
        "validate",
        "say what is wrong with a file, without asking the server",
        group: TenantProgram.Group.file,
        words: [file],
        examples: ["latchkey-tenant validate tenant.yaml"],
        exits: [.answerIsNo]
    ) { invocation, console in
        let environment = console.environment
        let desired = try DesiredFile.read(invocation.word("FILE") ?? "", environment)
        do throws(TenantFileFaults) {
            let file = try TenantFile(desired.document)
            for name in file.skipped {
                console.warn(TenantProgram.name, "\(name) is skipped: there is no such thing here.")
            }
            try file.validate()
        } catch {
            for fault in error.faults { console.fail(TenantProgram.name, desired.line(fault.path, fault.message)) }
            return .answerIsNo
        }
        console.note("\(printable(desired.name)) is right as far as it can be seen without the tenant.")
        return .done
    }

    // MARK: plan

    private static func plan(_ tools: TenantTools) -> Command {
        Command(
            "plan",
            "show what a file would change, and whom it touches; nothing is written",
            group: TenantProgram.Group.file,
            words: [file],
            flags: [
                Flag("out", "FILE", "keep the plan in this file, for apply"),
                Flag("exit-code", "end with 10 when there is something to change"),
                Flag("who", "name the users that a change leaves without a way in"), allowDelete, .output(),
            ],
            examples: [
                "latchkey-tenant plan tenant.yaml --out plan",
                "latchkey-tenant plan tenant.yaml --exit-code --quiet",
            ],
            variables: [Variable("NAME", "what ##NAME## and @@NAME@@ in the file become")],
            exits: [.notAllowed, .conflict, .answerIsNo]
        ) { invocation, console in
            let desired = try DesiredFile.read(invocation.word("FILE") ?? "", console.environment)
            return try await Session.run(invocation, console, tools) { session in
                let allowsDeletion = allowsDeletion(invocation, console)
                let plan = try await ask(session, desired, allowsDeletion, who: invocation.isSet("who"))
                show(plan, desired, session)
                if let path = invocation.value("out") {
                    let saved = SavedPlan(
                        url: session.target.base,
                        tenant: plan.text("tenant"),
                        version: plan.text("version"),
                        allowsDeletion: allowsDeletion,
                        fileName: desired.name,
                        text: desired.written,
                        changes: plan["changes"] ?? []
                    )
                    let text = String(
                        decoding: JSONValue.object(saved.document).serialized(pretty: true),
                        as: UTF8.self
                    )
                    try PrivateFile.write(path, text + "\n")
                    if plan["changes"]?.array?.isEmpty == false {
                        console.note("\nApply with: latchkey-tenant apply \(printable(path))")
                    }
                }
                let isEmpty = plan["changes"]?.array?.isEmpty ?? true
                return invocation.isSet("exit-code") && !isEmpty ? .answerIsNo : .done
            }
        }
    }

    private static func allowsDeletion(_ invocation: Invocation, _ console: Console) -> Bool {
        invocation.isSet("allow-delete") || console.environment["AUTH0_ALLOW_DELETE"] == "true"
    }

    private static func ask(
        _ session: Session,
        _ desired: DesiredFile,
        _ allowsDeletion: Bool,
        who: Bool = false
    ) async throws(CommandFailure) -> JSONObject {
        var body: JSONObject = ["file": .object(desired.document), "allow_delete": .bool(allowsDeletion)]
        if who { body.set("who", true) }
        return try await post("tenant-file/plan", body, desired, session)
    }

    /// Sends a file; what is wrong with it is told with its places.
    private static func post(
        _ path: String,
        _ body: JSONObject,
        _ desired: DesiredFile,
        _ session: Session
    ) async throws(CommandFailure) -> JSONObject {
        let response = try await session.send("POST", path, body: JSONValue.object(body).serialized())
        let answer = (try? JSON.parse(response.body))?.object
        if let faults = answer?["faults"]?.array?.compactMap(\.object), response.status == 400, !faults.isEmpty {
            let lines = faults.map { desired.line($0.text("path"), $0.text("message")) }
            throw CommandFailure(.wrongUse, lines.joined(separator: "\n"))
        }
        if let refusal = session.refusal(response) { throw refusal }
        guard let answer else { throw session.strange(path) }
        return answer
    }

    private static func show(_ plan: JSONObject, _ desired: DesiredFile, _ session: Session) {
        let console = session.console
        for name in plan["skipped"]?.array?.compactMap(\.string) ?? [] {
            console.warn(TenantProgram.name, "\(printable(name)) is skipped: there is no such thing here.")
        }
        if session.invocation.format == .json {
            console.answer(Details(plan), as: .json)
        } else if !console.isQuiet {
            console.answer(PlanText(plan: plan, console: console, file: desired.name).rendered(host: session.host))
        }
    }

    // MARK: apply

    private static func apply(_ tools: TenantTools) -> Command {
        Command(
            "apply",
            "make the tenant be as a file or a plan says, in one step",
            group: TenantProgram.Group.file,
            words: [Word("FILE", "the tenant file, or a plan that was kept")],
            flags: [allowDelete, .yes],
            examples: ["latchkey-tenant apply plan", "latchkey-tenant apply tenant.yaml --yes"],
            variables: [Variable("NAME", "what ##NAME## and @@NAME@@ in the file become")],
            exits: [.notAllowed, .conflict, .answerIsNo]
        ) { invocation, console in
            let path = invocation.word("FILE") ?? ""
            let bytes = try TextFile.read(path, limit: 4 << 20)
            let saved = SavedPlan(bytes)
            let desired = try DesiredFile(
                saved.map { Array($0.text.utf8) } ?? bytes,
                name: saved?.fileName ?? (path == "-" ? "standard input" : path),
                console.environment
            )
            return try await Session.run(invocation, console, tools) { session in
                try await apply(desired, saved, session)
            }
        }
    }

    private static func apply(_ desired: DesiredFile, _ saved: SavedPlan?, _ session: Session) async throws -> ExitCode
    {
        let (invocation, console) = (session.invocation, session.console)
        if let saved, saved.url != session.target.base {
            throw CommandFailure(
                .wrongUse,
                "this plan was made for \(printable(saved.url)), not \(session.target.base)."
            )
        }
        let allowsDeletion = saved?.allowsDeletion ?? allowsDeletion(invocation, console)
        let old = try await session.get("tenant-file")
        let plan = try await ask(session, desired, allowsDeletion)
        if let saved, saved.version != plan.text("version") || saved.changes != plan["changes"] {
            throw CommandFailure(
                .conflict,
                "the tenant or the environment has changed since the plan was made. Nothing was done: make a new plan."
            )
        }
        let text = PlanText(plan: plan, console: console, file: desired.name)
        if text.isEmpty {
            console.note(text.rendered(host: session.host))
            return .done
        }
        // A plan that was kept was seen before.
        if saved == nil { show(plan, desired, session) }
        if let code = try policyTests(desired, besides: old, session) { return code }
        let removed = text.things("delete")
        if !removed.isEmpty, saved == nil {
            try console.confirm(
                typing: plan.text("tenant"),
                what: ["This deletes:"] + removed.map { "  " + printable($0) },
                invocation.answers
            )
        } else if saved == nil {
            guard try console.agree("Apply this?", invocation.answers) else { return .failed }
        }
        guard old.text("version") == plan.text("version") else {
            throw CommandFailure(.conflict, "the tenant changed at this moment. Nothing was done: try again.")
        }
        let undo = try save(old, of: plan.text("tenant"), console, at: session.tools.now())
        let body: JSONObject = [
            "file": .object(desired.document), "version": .string(saved?.version ?? plan.text("version")),
            "allow_delete": .bool(allowsDeletion),
        ]
        _ = try await post("tenant-file/apply", body, desired, session)
        console.note(
            "Applied: \(text.things("update").count) changed, \(text.things("create").count) added, "
                + "\(removed.count) removed."
        )
        let flag = text.things("create").isEmpty ? "" : " --allow-delete"
        console.note("undo: latchkey-tenant apply \(undo)\(flag)")
        if removed.contains(where: { $0.hasPrefix("customDomains/") }) {
            console.note("A domain that comes back has to be verified anew.")
        }
        return .done
    }

    /// Runs the policy tests that the file names, against the policies as they would be; how to end when one fails.
    private static func policyTests(
        _ desired: DesiredFile,
        besides old: JSONObject,
        _ session: Session
    ) throws(CommandFailure) -> ExitCode? {
        guard let name = desired.policyTests else { return nil }
        // Beside the tenant file, wherever that is.
        let folder = desired.name.lastIndex(of: "/").map { String(desired.name[...$0]) } ?? ""
        let tests = try PolicyTests(name.hasPrefix("/") ? name : folder + name)
        // A file without databases leaves those that are there.
        var document = desired.document
        if document["databases"] == nil, let databases = old["databases"] { document.set("databases", databases) }
        let failed = try tests.run(on: try PolicyTests.connections(of: document)).filter {
            $0["passed"] != true
        }
        guard !failed.isEmpty else { return nil }
        for row in failed {
            session.console.fail(
                TenantProgram.name,
                "policy test \(quoted(row.text("name"))) expects \(row.text("expected")) and gets \(row.text("got"))."
            )
        }
        session.console.fail(TenantProgram.name, "Nothing was changed.")
        return .answerIsNo
    }

    /// Keeps the state that is left behind.
    private static func save(
        _ old: JSONObject,
        of tenant: String,
        _ console: Console,
        at now: Int64
    ) throws(CommandFailure) -> String {
        let folder = Folders.state(console.environment)
        try PrivateFile.makeFolders(folder)
        let time = TimeText.rfc3339(now).prefix(19).map { $0 == ":" ? "-" : String($0) }.joined()
        let name = tenant.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        // Of several within a second, or of two tenants of one name, none takes the other's place.
        var path = "\(folder)/\(name)-\(time).yaml"
        var number = 2
        while PrivateFile.exists(path) {
            path = "\(folder)/\(name)-\(time)-\(number).yaml"
            number += 1
        }
        try PrivateFile.write(path, WrittenFile.yaml(old))
        return path
    }

    // MARK: schema

    private static let schema = Command(
        "schema",
        "print the JSON Schema of the tenant file, for editors",
        group: TenantProgram.Group.file,
        flags: [Flag("manual", "print its manual page in scdoc's language instead")],
        examples: [
            "latchkey-tenant schema >tenant.schema.json",
            "latchkey-tenant schema --manual | scdoc >latchkey-tenant-file.5",
        ]
    ) { invocation, console in
        if invocation.isSet("manual") {
            console.output.write(TenantFileManual.text(version: TenantProgram.version))
            return .done
        }
        console.answer(Details(TenantFileSchema.document), as: .json)
        return .done
    }
}

extension Session {
    /// The tenant's host.
    var host: String { target.base.split(separator: "/").last.map(String.init) ?? target.base }
}
