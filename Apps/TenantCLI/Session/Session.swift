import Encodings
import Terminal
import Transfer

/// A command that is signed in to a tenant.
struct Session: Sendable {
    let invocation: Invocation
    let console: Console
    let tools: TenantTools
    let target: Target
    /// The Management API's access token: in memory only.
    private let token: String
    /// What the token may do.
    let scopes: [String]

    /// Signs in, and does what `body` says.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: `notAllowed` when the client is refused, `unavailable`, and what `body` throws.
    static func run(
        _ invocation: Invocation,
        _ console: Console,
        _ tools: TenantTools,
        _ body: (Session) async throws -> ExitCode
    ) async throws -> ExitCode {
        let target = try Target(invocation, console)
        let secret = try target.secret(invocation, console)
        return try await body(try signIn(target, secret: secret, invocation, console, tools))
    }

    /// Gets a token for the Management API with the client's own credentials (HTTP contract 5.4).
    static func signIn(
        _ target: Target,
        secret: String,
        _ invocation: Invocation,
        _ console: Console,
        _ tools: TenantTools
    ) throws(CommandFailure) -> Session {
        let body: JSONValue = [
            "grant_type": "client_credentials", "client_id": .string(target.clientID), "client_secret": .string(secret),
            "audience": .string(target.base + "/api/v2/"),
        ]
        let request = WebRequest(
            "POST",
            target.base + "/oauth/token",
            headers: [WebHeader("Content-Type", "application/json"), WebHeader("Accept", "application/json")],
            body: body.serialized()
        )
        let response = try send(request, target, tools)
        let answer = (try? JSON.parse(response.body))?.object
        guard response.status == 200, let token = answer?["access_token"]?.string, isToken(token) else {
            throw signInFailure(response, answer, target, console)
        }
        let scopes = (answer?["scope"]?.string ?? "").split(separator: " ").map(String.init)
        return Session(
            invocation: invocation,
            console: console,
            tools: tools,
            target: target,
            token: token,
            scopes: scopes
        )
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    private static func signInFailure(
        _ response: WebResponse,
        _ answer: JSONObject?,
        _ target: Target,
        _ console: Console
    ) -> CommandFailure {
        let reason = answer?["error_description"]?.string ?? answer?["error"]?.string
        switch response.status {
        case 429, 500...599: return unavailable(response, target)
        case 404:
            return CommandFailure(
                .notFound,
                "\(target.base) is no tenant of a Latchkey server. Look at the address."
            )
        case 400, 401, 403:
            return CommandFailure(
                .notAllowed,
                "client \(quoted(target.clientID)) was not let in at \(target.base)"
                    + (reason.map { ": \(printable($0))." } ?? ".")
                    + " Look at its secret, and whether it has a grant for \(target.base)/api/v2/."
            )
        default:
            return CommandFailure(
                .failed,
                "\(target.base)/oauth/token answered with status \(response.status), which is no Latchkey server's answer."
            )
        }
    }

    fileprivate static func unavailable(_ response: WebResponse, _ target: Target) -> CommandFailure {
        let wait = response.header("retry-after").flatMap(Int.init).map { " in \($0) s" } ?? ""
        let what = response.status == 429 ? "has had too many requests" : "does not answer (status \(response.status))"
        return CommandFailure(.unavailable, "\(target.base) \(what): try again\(wait).")
    }

    private static func send(
        _ request: WebRequest,
        _ target: Target,
        _ tools: TenantTools
    ) throws(CommandFailure) -> WebResponse {
        do throws(TransferError) {
            return try tools.send(request, target.authorities)
        } catch .badAddress {
            throw CommandFailure(
                .wrongUse,
                "\(quoted(request.address)) is no address for this: https://, or http:// on this machine alone."
            )
        } catch .tooLarge(let limit) {
            throw CommandFailure(.failed, "the answer of \(target.base) is larger than \(limit) bytes.")
        } catch {
            throw CommandFailure(.unavailable, "\(target.base) cannot be reached: \(error).")
        }
    }
}

// MARK: Calls

extension Session {
    /// An answer of the Management API that is no refusal.
    struct Answer: Sendable {
        let status: Int
        let json: JSONValue
    }

    /// Sends one call, whatever comes back.
    ///
    /// `path` is below `/api/v2/`, with its parts encoded. A reading call that the server had no time for is made again,
    /// twice.
    func send(
        _ method: String,
        _ path: String,
        query: [(String, String)] = [],
        body: [UInt8]? = nil,
        contentType: String = "application/json"
    ) async throws(CommandFailure) -> WebResponse {
        var address = target.base + "/api/v2/" + path
        if !query.isEmpty {
            address += "?" + query.map { $0.0 + "=" + Self.encoded($0.1) }.joined(separator: "&")
        }
        var headers = [WebHeader("Authorization", "Bearer " + token), WebHeader("Accept", "application/json")]
        if body != nil { headers.append(WebHeader("Content-Type", contentType)) }
        let request = WebRequest(method, address, headers: headers, body: body)
        var tries = 0
        while true {
            let response = try Self.send(request, target, tools)
            if let id = response.header("x-request-id") {
                console.detail("\(method) /api/v2/\(path): \(response.status), request \(printable(id))")
            }
            guard method == "GET", response.status == 429 || response.status == 503, tries < 2 else { return response }
            tries += 1
            await tools.pause(min(5, max(1, response.header("retry-after").flatMap(Int.init) ?? 1)))
        }
    }

    /// Makes one call.
    ///
    /// - Throws: what the server refused, as its sentence: `notFound`, `notAllowed`, `conflict`, `wrongUse`, `unavailable`.
    func call(
        _ method: String,
        _ path: String,
        query: [(String, String)] = [],
        body: JSONValue? = nil
    ) async throws(CommandFailure) -> Answer {
        let response = try await send(method, path, query: query, body: body?.serialized())
        if let refusal = refusal(response) { throw refusal }
        if response.body.isEmpty { return Answer(status: response.status, json: .null) }
        guard let json = try? JSON.parse(response.body) else {
            throw CommandFailure(.failed, "\(target.base) answered with something that is not JSON.")
        }
        return Answer(status: response.status, json: json)
    }

    func get(_ path: String, query: [(String, String)] = []) async throws(CommandFailure) -> JSONObject {
        let answer = try await call("GET", path, query: query)
        guard let object = answer.json.object else { throw strange(path) }
        return object
    }

    /// Every element of a list that pages by checkpoint (HTTP contract 11.3).
    func all(
        _ path: String,
        _ member: String,
        query: [(String, String)] = []
    ) async throws(CommandFailure) -> [JSONObject] {
        var found: [JSONObject] = []
        var from: String?
        repeat {
            let page = try await get(path, query: query + [("take", "100")] + (from.map { [("from", $0)] } ?? []))
            guard let elements = page[member]?.array else { throw strange(path) }
            found += elements.compactMap(\.object)
            let next = page["next"]?.string
            guard next == nil || next != from else { throw strange(path) }
            from = next
        } while from != nil
        return found
    }

    /// Every element of a list that pages by number alone.
    func allByNumber(_ path: String, query: [(String, String)] = []) async throws(CommandFailure) -> [JSONObject] {
        var found: [JSONObject] = []
        for page in 0..<10_000 {
            let answer = try await call("GET", path, query: query + [("page", String(page)), ("per_page", "100")])
            guard let elements = answer.json.array else { throw strange(path) }
            found += elements.compactMap(\.object)
            if elements.count < 100 { break }
        }
        return found
    }

    /// What an answer refuses; `nil` for one that does not.
    func refusal(_ response: WebResponse) -> CommandFailure? {
        guard !(200...299).contains(response.status) else { return nil }
        if response.status == 429 || response.status >= 500 { return Self.unavailable(response, target) }
        let body = (try? JSON.parse(response.body))?.object
        let message = printable(body?["message"]?.string ?? "status \(response.status)")
        let sentence = message.hasSuffix(".") ? message : message + "."
        switch response.status {
        case 401, 403: return CommandFailure(.notAllowed, sentence)
        case 404: return CommandFailure(.notFound, sentence)
        case 409: return CommandFailure(.conflict, sentence)
        case 400, 413, 415: return CommandFailure(.wrongUse, sentence)
        default: return CommandFailure(.failed, sentence)
        }
    }

    func strange(_ path: String) -> CommandFailure {
        CommandFailure(.failed, "\(target.base)/api/v2/\(path) answered with something else than it should.")
    }

    /// Percent-encoded for a path or a query (RFC 3986 §2.3).
    static func encoded(_ text: String) -> String {
        var output = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                output += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return output
    }
}

// MARK: Answers

extension Session {
    /// A list as the answer, with the members that `--fields` names.
    func answer(_ listing: Listing) throws(CommandFailure) {
        console.answer(try listing.selecting(invocation.fields), as: invocation.format)
    }

    /// One thing as the answer, with the members that `--fields` names.
    func answer(_ object: JSONObject, times: Set<String> = ["created_at", "updated_at"]) throws(CommandFailure) {
        console.answer(try Details(object, times: times).selecting(invocation.fields), as: invocation.format)
    }
}
