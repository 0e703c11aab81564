import Encodings
import Foundation
import SoftwareAuthenticator
import Testing

/// An application of a tenant, and what it sends: the passkey API and the token endpoint (contract 5).
struct App: Sendable {
    let site: Site
    let id: String
    let secret: String?

    static let passkeyGrant = "urn:okta:params:oauth:grant-type:webauthn"

    /// A ceremony that has begun.
    struct Begun: Sendable {
        let session: String
        let options: JSONObject
    }

    /// `client_id`, and `client_secret` when there is one.
    var credentials: JSONObject {
        var object: JSONObject = ["client_id": .string(id)]
        if let secret { object["client_secret"] = .string(secret) }
        return object
    }

    func post(_ path: String, _ members: JSONObject) async throws -> Response {
        try await site.send(.json(path, credentials.merging(members)))
    }

    // MARK: Ceremonies

    func registerRequest(_ profile: JSONObject, _ more: JSONObject = [:]) -> Request {
        .json("/passkey/register", credentials.merging(["user_profile": .object(profile)]).merging(more))
    }

    func register(_ profile: JSONObject, _ more: JSONObject = [:]) async throws -> Begun {
        try begun(await site.send(registerRequest(profile, more)))
    }

    func register(email: String) async throws -> Begun { try await register(["email": .string(email)]) }

    func challenge(_ more: JSONObject = [:]) async throws -> Begun {
        try begun(await post("/passkey/challenge", more))
    }

    private func begun(_ response: Response) throws -> Begun {
        try #require(response.status == 200, "\(response)")
        return Begun(
            session: try #require(response.string("auth_session")),
            options: try #require(response["authn_params_public_key"]?.object)
        )
    }

    // MARK: Tokens

    func tokenRequest(
        _ session: String,
        _ answer: JSONObject,
        scope: String? = "openid profile email offline_access",
        _ more: JSONObject = [:]
    ) -> Request {
        var members: JSONObject = [
            "grant_type": .string(Self.passkeyGrant), "auth_session": .string(session),
            "authn_response": .object(answer),
        ]
        if let scope { members["scope"] = .string(scope) }
        return .json("/oauth/token", credentials.merging(members).merging(more))
    }

    func redeem(
        _ begun: Begun,
        _ answer: JSONObject,
        scope: String? = "openid profile email offline_access",
        _ more: JSONObject = [:]
    ) async throws -> Response {
        try await site.send(tokenRequest(begun.session, answer, scope: scope, more))
    }

    func refreshRequest(_ token: String, _ more: JSONObject = [:]) -> Request {
        .json(
            "/oauth/token",
            credentials.merging(["grant_type": "refresh_token", "refresh_token": .string(token)]).merging(more)
        )
    }

    func refresh(_ token: String, _ more: JSONObject = [:]) async throws -> Response {
        try await site.send(refreshRequest(token, more))
    }

    // MARK: Whole journeys

    /// Signs somebody up with a new passkey, and returns the token response.
    @discardableResult
    func signUp(
        _ email: String = uniqueEmail(),
        with authenticator: inout Authenticator,
        scope: String = "openid profile email offline_access",
        _ more: JSONObject = [:]
    ) async throws -> Response {
        let begun = try await register(email: email)
        let answer = try authenticator.create(begun.options, origin: site.origin)
        let response = try await redeem(begun, answer, scope: scope, more)
        try #require(response.status == 200, "\(response)")
        return response
    }

    @discardableResult
    func signIn(
        with authenticator: inout Authenticator,
        scope: String = "openid profile email offline_access",
        _ more: JSONObject = [:]
    ) async throws -> Response {
        let begun = try await challenge()
        let answer = try authenticator.get(begun.options, origin: site.origin)
        let response = try await redeem(begun, answer, scope: scope, more)
        try #require(response.status == 200, "\(response)")
        return response
    }
}

extension JSONObject {
    /// With the members of `other`, which win.
    func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for member in other.members { merged.set(member.name, member.value) }
        return merged
    }

    func without(_ name: String) -> JSONObject {
        var copy = self
        copy.remove(name)
        return copy
    }

    /// With the member at this path changed.
    func setting(_ path: [String], _ value: JSONValue?) -> JSONObject {
        guard let name = path.first else { return self }
        var copy = self
        copy[name] =
            path.count == 1 ? value : .object((self[name]?.object ?? [:]).setting(Array(path.dropFirst()), value))
        return copy
    }

    var names: Set<String> { Set(members.map(\.name)) }
}

extension Response {
    func token(_ name: String) throws -> String { try #require(string(name), "\(self)") }
}

/// A name that no other test has.
func unique(_ prefix: String = "u") -> String {
    prefix + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased().prefix(12)
}

func uniqueEmail() -> String { unique() + "@example.com" }
