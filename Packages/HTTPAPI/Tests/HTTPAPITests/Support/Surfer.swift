import Cryptography
import Encodings
import HTTPServer
import Identity
import SoftwareAuthenticator
import Testing
import Tokens

@testable import HTTPAPI

/// A browser with a cookie jar and without JavaScript, on the hosted pages.
struct Surfer {
    let house: House
    var client: Client
    private(set) var cookies: [String: String] = [:]

    static let callback = "https://app.example.com/callback"
    /// What the requests of ``authorize(_:)`` prove at the token endpoint.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = Base64URL.encode(SHA256.hash(Array(verifier.utf8)))

    init(_ house: House, _ client: Client? = nil) {
        self.house = house
        self.client = client ?? house.app
    }

    /// Makes every client of the house one that signs in on the hosted pages.
    static func prepare(_ view: inout ConfigurationLens.View) {
        view.client = { client in
            client.callbacks = [callback, "http://127.0.0.1/native", "com.example.app:/callback"]
            client.grantTypes.append(.authorizationCode)
            client.allowedLogoutURLs = ["https://app.example.com/out"]
        }
    }

    mutating func send(_ ask: Ask) async throws -> Answer {
        let jar = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let answer = try await house.send(ask.with("Cookie", jar.isEmpty ? nil : jar))
        for line in answer.values("set-cookie") {
            let pair = line.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let value = String(pair[pair.index(after: equals)...])
            cookies[String(pair[..<equals])] = line.contains("Max-Age=0") ? nil : value
        }
        return answer
    }

    mutating func forget(_ cookie: String) { cookies[cookie] = nil }

    /// The parameters of a request that is right.
    var request: [(String, String)] {
        [
            ("client_id", client.id.text), ("response_type", "code"), ("redirect_uri", Self.callback),
            ("scope", "openid profile email offline_access"), ("state", "s t&"), ("nonce", "n-1"),
            ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
        ]
    }

    /// The same with some parameters in another form; `nil` leaves one out.
    func request(_ changes: [String: String?]) -> String {
        var parameters = request.filter { changes[$0.0] == nil }
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            if let value { parameters.append((name, value)) }
        }
        return parameters.map { "\($0.0)=\(CallbackURL.encoded($0.1))" }.joined(separator: "&")
    }

    mutating func authorize(_ changes: [String: String?] = [:]) async throws -> Answer {
        try await send(.get("/authorize?" + request(changes)))
    }

    /// Fills the one form of a page in and sends it.
    mutating func submit(_ page: Answer, _ fields: [String: String], to path: String) async throws -> Answer {
        var pairs = page.hiddenFields
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { pairs.append((name, value)) }
        let body = pairs.map { "\(CallbackURL.encoded($0.0))=\(CallbackURL.encoded($0.1))" }.joined(separator: "&")
        return try await send(.form(path, body))
    }

    /// From `/authorize` by password as far as the answer that leads back to the application.
    mutating func signIn(_ email: String, _ changes: [String: String?] = [:]) async throws -> Answer {
        let start = try await authorize(changes)
        let page = try await send(.get(try #require(start.header("location"), "\(start)")))
        try #require(page.status == 200, "\(page)")
        let done = try await submit(page, ["username": email, "password": Person.password], to: "/u/login")
        try #require(done.status == 302, "\(done)")
        return try await send(.get(try #require(done.header("location"))))
    }

    /// Exchanges a code.
    func exchange(_ code: String?, _ changes: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = [
            "grant_type": "authorization_code", "client_id": .string(client.id.text), "code": .string(code ?? ""),
            "redirect_uri": .string(Self.callback), "code_verifier": .string(Self.verifier),
        ]
        if client.isConfidential { body["client_secret"] = .string(house.secret) }
        for member in changes.members { body[member.name] = member.value }
        return try await house.send(.json("/oauth/token", body))
    }
}

/// What the script of a page knows from it.
struct PageScript {
    let state: String
    let token: String

    init(_ page: Answer) {
        state = page.attribute("data-state")
        token = page.attribute("data-csrf")
    }

    /// A call as the page's script makes it, or one for `other` than the page's sign-in.
    func call(_ path: String, _ body: JSONObject, session: String? = nil, state other: String? = nil) -> Ask {
        let state = other ?? state
        // The account page belongs to no sign-in.
        return Ask.json(state.isEmpty ? path : "\(path)?state=\(state)", body).with("X-CSRF-Token", token)
            .with("X-Auth-Session", session)
    }
}

extension Answer {
    func attribute(_ name: String) -> String {
        guard let start = text.firstRange(of: "\(name)=\"") else { return "" }
        return String(text[start.upperBound...].prefix { $0 != "\"" })
    }
}

extension Answer {
    /// The parameters of the query that it redirects to.
    var answered: [String: String] {
        guard let query = header("location")?.split(separator: "?", maxSplits: 1).last else { return [:] }
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard halves.count == 2, let name = FormText.decode(Array(halves[0].utf8)[...]),
                let value = FormText.decode(Array(halves[1].utf8)[...])
            else { continue }
            parameters[name] = value
        }
        return parameters
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The hidden inputs of its form.
    var hiddenFields: [(String, String)] {
        text.components(between: "<input type=\"hidden\" name=\"", and: ">").compactMap { input in
            guard let name = input.split(separator: "\"").first,
                let value = input.components(between: "value=\"", and: "\"").first
            else { return nil }
            return (String(name), value)
        }
    }
}

extension String {
    /// What stands between each `start` and the next `end`.
    fileprivate func components(between start: String, and end: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let opening = rest.firstRange(of: start) {
            rest = rest[opening.upperBound...]
            guard let closing = rest.firstRange(of: end) else { break }
            found.append(String(rest[..<closing.lowerBound]))
            rest = rest[closing.upperBound...]
        }
        return found
    }
}
