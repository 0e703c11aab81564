import Accounts
import Encodings
import HTTPServer
import Identity
import Tokens

/// `POST /dbconnections/signup` and `/dbconnections/change_password` (contract 9.1, 9.2).
struct DatabaseRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.post, "/dbconnections/signup", cors: .clients, run: signUp),
            Endpoint(.post, "/dbconnections/change_password", cors: .clients, run: changePassword),
        ]
    }

    private func changePassword(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try exchange.parameters()
        if let name = parameters.repeated { throw .repeated(name) }
        let client = try client(parameters, exchange)
        exchange.client = client
        guard let realm = try parameters.realm() else { throw .missing("connection") }
        let email = try parameters.requiredString("email")
        let connection = try Self.connection(realm, client, exchange)
        let isSent = await services.limits.mayMail(PasswordLogin.countedName(email), &exchange)
        do throws(AccountError) {
            try await services.resetRequest.run(
                email: email,
                in: connection,
                languages: exchange.languages,
                isSent: isSent,
                client: client.id,
                at: exchange.context
            )
        } catch { throw APIError(error) }
        // Whether or not anybody has the address.
        var headers = HTTPHeaders()
        headers.add("Content-Type", "text/plain; charset=utf-8")
        let text = "We've just sent you an email to reset your password."
        return HTTPResponse(status: 200, headers: headers, body: Array(text.utf8))
    }

    private func signUp(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try exchange.parameters()
        try await services.limits.count(.signup, &exchange)
        if let name = parameters.repeated { throw .repeated(name) }
        exchange.client = try client(parameters, exchange)
        guard let client = exchange.client else { throw .missing("client_id") }
        let connection = try parameters.realm()
        guard let connection else { throw .missing("connection") }
        let password = try parameters.requiredString("password")
        do throws(AccountError) {
            let user = try await services.passwordSignUp.run(
                Self.attributes(parameters),
                metadata: parameters["user_metadata"],
                password: password,
                realm: connection,
                client: client,
                in: exchange.context
            )
            return .json(capacity: 512) { Self.write(user, to: &$0) }
        } catch {
            return try Self.refusal(error, exchange)
        }
    }

    private static func connection(
        _ realm: String,
        _ client: Client,
        _ exchange: Exchange
    ) throws(APIError) -> Connection {
        do throws(DirectoryError) {
            return try exchange.context.connection(realm: realm, for: client)
        } catch { throw APIError(AccountError.directory(error)) }
    }

    /// The client that `client_id` names: nobody proves anything here (contract 9.1).
    private func client(_ parameters: Parameters, _ exchange: Exchange) throws(APIError) -> Client {
        let id = try parameters.requiredString("client_id")
        guard let client = exchange.context.configuration.clients[ClientID(id)] else {
            throw APIError(400, "invalid_request", "Unknown client", "unknown_client")
        }
        return client
    }

    /// Everything that describes the user; what is not known is refused with the rest.
    private static func attributes(_ parameters: Parameters) -> JSONObject {
        var attributes = JSONObject()
        let others = ["client_id", "connection", "realm", "password", "user_metadata", "credential_type"]
        for member in parameters.object.members
        where !others.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            attributes.set(member.name, member.value)
        }
        return attributes
    }

    private static func write(_ user: User, to json: inout JSONWriter) {
        json.beginObject()
        json.name("_id")
        json.string(user.id.hex)
        for kind in IdentifierKind.allCases {
            guard let identifier = user.identifier(kind) else { continue }
            json.name(kind.rawValue)
            json.string(identifier.entered)
        }
        json.name("email_verified")
        json.bool(user.identifier(.email)?.isVerified ?? false)
        let profile = user.profile
        let texts = [
            ("given_name", profile.givenName), ("family_name", profile.familyName), ("name", profile.name),
            ("nickname", profile.nickname), ("picture", profile.picture),
        ]
        for case (let name, let text?) in texts {
            json.name(name)
            json.string(text)
        }
        if !profile.userMetadata.isEmpty {
            json.name("user_metadata")
            json.value(.object(profile.userMetadata))
        }
        json.endObject()
    }

    /// The shapes of contract 2.4, where they differ from the OAuth one.
    private static func refusal(_ error: AccountError, _ exchange: Exchange) throws(APIError) -> HTTPResponse {
        switch error {
        case .userExists:
            // Whether an address has an account is told only where the tenant wants it.
            let tells = exchange.context.settings.signupTellsUserExists
            return legacy(
                "BadRequestError",
                code: tells ? "user_exists" : "invalid_signup",
                ["description": .string(tells ? "The user already exists." : "Invalid sign up")]
            )
        case .passwordTooWeak(let verdict):
            return legacy("PasswordStrengthError", code: "invalid_password", PasswordRuleText.members(of: verdict))
        case .passwordTooCommon:
            return legacy("PasswordDictionaryError", code: "invalid_password", ["message": "Password is too common"])
        case .passwordHasPersonalInfo:
            return legacy(
                "PasswordNoUserInfoError",
                code: "invalid_password",
                ["message": "Password contains user information"]
            )
        case .passwordUsedBefore:
            return legacy(
                "PasswordHistoryError",
                code: "invalid_password",
                ["message": "Password has previously been used"]
            )
        default: throw APIError(error)
        }
    }

    private static func legacy(_ name: String, code: String, _ members: JSONObject) -> HTTPResponse {
        var body: JSONObject = ["name": .string(name), "code": .string(code)]
        for member in members.members { body.set(member.name, member.value) }
        body.set("statusCode", 400)
        return .json(JSONValue.object(body).serialized(), status: 400)
    }
}
