import Encodings
import Foundation
import SoftwareAuthenticator
import Testing

/// The requests that the guides show, sent to a running server one after the other, with the values that an app has then.
@Suite("docs/guides, on a running server", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct GuideTests {
    @Test(
        "Each request that a guide shows is answered as it says, and its code sends no other",
        arguments: ["web", "react-native", "ios", "android"]
    )
    func requests(_ name: String) async throws {
        let text = try String(contentsOfFile: "\(Paths.repository)/docs/guides/\(name).md", encoding: .utf8)
        let steps = GuideStep.all(in: text)
        #expect(steps.count >= 10, "\(name) shows requests")
        let shown = Set(steps.map(\.path))
        for path in Self.pathsOfCode(in: text) {
            #expect(shown.contains(path), "\(name) sends \(path) and does not show it")
        }

        let server = try await LatchkeyServer.start()
        let site = try await Site.make("acme", on: server, domain: "login.acme.example")
        try await site.setConnection([
            "options.authentication_methods": ["passkey": ["enabled": true], "password": ["enabled": true]],
            "options.passkey_options.upgrade_without_notice": true,
        ])
        try await site.set(["default_directory": "Username-Password-Authentication"])
        let app = try await site.client(
            "My app",
            type: name == "web" ? "spa" : "native",
            grants: [App.passkeyGrant, "refresh_token", "password"],
            webOrigins: name == "web" ? ["http://localhost:5173"] : []
        )
        var state = GuideState(app: app)
        for step in steps {
            let answer = try await site.send(try state.request(step))
            #expect(answer.status == step.status, "\(name): \(step.method) \(step.path)\n\(answer)")
            state.learn(answer)
        }
        try await server.stop()
    }

    /// Paths of the API that stand in the guide's snippets as text.
    private static func pathsOfCode(in text: String) -> Set<String> {
        var paths: Set<String> = []
        for block in text.matches(of: /```(?:js|ts|swift|kotlin|html)\n([\s\S]*?)```/) {
            for match in block.1.matches(of: /["`}](\/(?:register|login|api|oauth|me|passkey|logout)[a-z\/-]*)["`]/) {
                paths.insert(String(match.1))
            }
        }
        return paths
    }
}

/// A request that a guide shows, and the status that it says.
private struct GuideStep {
    let status: Int
    let method: String
    let path: String
    let headers: [(name: String, value: String)]
    let body: String?

    static func all(in text: String) -> [GuideStep] {
        text.matches(of: /<!-- answers (\d+) -->\n```http\n(\w+) (\S+)\n([\s\S]*?)```/).compactMap { match in
            let parts = match.4.split(separator: "\n\n", maxSplits: 1)
            let headers = (match.4.hasPrefix("\n") ? "" : parts.first ?? "").split(separator: "\n").compactMap { line in
                let halves = line.split(separator: ":", maxSplits: 1)
                return halves.count == 2
                    ? (name: String(halves[0]), value: halves[1].trimmingCharacters(in: .whitespaces)) : nil
            }
            guard let status = Int(match.1) else { return nil }
            return GuideStep(
                status: status,
                method: String(match.2),
                path: String(match.3),
                headers: headers,
                body: parts.count > 1 ? String(parts[1]) : nil
            )
        }
    }
}

/// What an app that follows a guide has at a point.
private struct GuideState {
    let app: App
    var authenticator = Authenticator()
    let suffix = unique("u")
    /// What stands for the words in capitals.
    var values: [String: String]
    var options: JSONObject?

    init(app: App) {
        self.app = app
        values = ["CLIENT_ID": app.id]
    }

    /// The request with its places filled in.
    mutating func request(_ step: GuideStep) throws -> Request {
        var request = Request.get(step.path)
        request.method = step.method
        for (name, value) in step.headers { request = request.with(name, filled(value)) }
        guard let body = step.body else { return request }
        var text = filled(body).replacing("@example.com", with: ".\(suffix)@example.com")
        if text.contains("\"CREDENTIAL\"") {
            let options = try #require(options)
            let credential =
                options["rp"] == nil
                ? try authenticator.get(options, origin: app.site.origin)
                : try authenticator.create(options, origin: app.site.origin)
            let written = String(decoding: JSONValue.object(credential).serialized(), as: UTF8.self)
            text = text.replacing("\"CREDENTIAL\"", with: written)
        }
        request.body = Array(text.utf8)
        return request
    }

    private func filled(_ text: String) -> String {
        values.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }

    mutating func learn(_ answer: Response) {
        let json = answer.json
        if json["challenge"] != nil { options = json }
        if let session = answer.header("x-auth-session") { values["AUTH_SESSION"] = session }
        if let token = json["token"]?.string ?? json["access_token"]?.string { values["ACCESS_TOKEN"] = token }
        if let token = json["refresh_token"]?.string { values["REFRESH_TOKEN"] = token }
        guard let offer = json["passkey_upgrade"]?.object else { return }
        options = offer["authn_params_public_key"]?.object
        values["AUTH_SESSION"] = offer["auth_session"]?.string
    }
}
