import Accounts
import Encodings
import HTTPServer
import Identity

/// Tickets: links that let their holder do one thing for one user (contract 11.13).
struct TicketRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                "/api/v2/tickets/password-change",
                shape: .management,
                run: api.action("create:user_tickets", passwordChange)
            ),
            Endpoint(
                .post,
                "/api/v2/tickets/email-verification",
                shape: .management,
                run: api.action("create:user_tickets", emailVerification)
            ),
        ]
    }

    private func passwordChange(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let body = try call.body()
        try ManagementCall.only(
            "user_id",
            "email",
            "connection_id",
            "result_url",
            "ttl_sec",
            "mark_email_as_verified",
            "includeEmailInRedirect",
            "client_id",
            in: body
        )
        let user: User
        if try ManagementCall.text("user_id", of: body) != nil {
            user = try await self.user(body, call)
        } else {
            let email = try ManagementCall.required("user_id", try ManagementCall.text("email", of: body))
            let connection = try ManagementCall.required(
                "connection_id",
                try ManagementCall.text("connection_id", of: body)
            )
            user = try await self.user(email: email, connection, call)
        }
        guard call.configuration.connection(user.connection)?.options.passwordsEnabled == true else {
            throw .management(400, "invalid_body", "Payload validation error: the connection has no passwords.")
        }
        return try await make(.passwordChange, "reset-password", for: user, body, call)
    }

    private func emailVerification(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let body = try call.body()
        try ManagementCall.only(
            "user_id",
            "result_url",
            "ttl_sec",
            "includeEmailInRedirect",
            "client_id",
            in: body
        )
        let user = try await user(body, call)
        guard user.identifier(.email) != nil else {
            throw .management(400, "invalid_body", "Payload validation error: the user has no email.")
        }
        return try await make(.emailVerification, "email-verification", for: user, body, call)
    }

    private func make(
        _ purpose: Ticket.Purpose,
        _ page: String,
        for user: User,
        _ body: JSONObject,
        _ call: ManagementCall
    ) async throws(APIError) -> HTTPResponse {
        var seconds: Int64 = 432_000
        if let given = body["ttl_sec"], !given.isNull {
            guard let number = given.integer, (0...2_592_000).contains(number) else {
                throw ManagementCall.invalid("ttl_sec", given)
            }
            if number > 0 { seconds = number }
        }
        var parameters = JSONObject()
        if let url = try ManagementCall.text("result_url", of: body) {
            guard url.utf8.starts(with: "https://".utf8) || Self.isOfThisMachine(url) else {
                throw ManagementCall.invalid("result_url", .string(url))
            }
            parameters.set("result_url", .string(url))
        }
        if let client = try ManagementCall.text("client_id", of: body) {
            guard call.configuration.clients[ClientID(client)] != nil else {
                throw ManagementCall.invalid("client_id", .string(client))
            }
            parameters.set("client_id", .string(client))
        }
        // What it is good for ends with the address that the user has now.
        if let address = user.identifier(.email) { parameters.set("address", .string(address.canonical)) }
        for name in ["mark_email_as_verified", "includeEmailInRedirect"] {
            if let value = try ManagementCall.bool(name, of: body) { parameters.set(name, .bool(value)) }
        }
        let secret: String
        do throws(StoreError) {
            secret = try await call.services.tickets.make(
                purpose,
                for: user,
                parameters: parameters,
                seconds: seconds,
                now: call.now,
                audit: call.event(status: 201, user: user.id)
            )
        } catch { throw APIError(error) }
        let link = "\(call.linkBase)/u/\(page)?ticket=\(secret)#"
        return .json(status: 201) { $0.value(["ticket": .string(link)]) }
    }

    /// `http://localhost`, with a port, a path or neither.
    private static func isOfThisMachine(_ url: String) -> Bool {
        let start = "http://localhost".utf8
        guard url.utf8.starts(with: start) else { return false }
        return url.utf8.dropFirst(start.count).first.map { ":/?#".utf8.contains($0) } ?? true
    }

    private func user(_ body: JSONObject, _ call: ManagementCall) async throws(APIError) -> User {
        let text = try ManagementCall.required("user_id", try ManagementCall.text("user_id", of: body))
        guard let id = UserID(text) else { throw .noUser }
        let details: UserDetails?
        do throws(StoreError) {
            details = try await call.services.people.details(of: id, tenant: call.tenant)
        } catch { throw APIError(error) }
        guard let details else { throw .noUser }
        return details.user
    }

    private func user(email: String, _ connection: String, _ call: ManagementCall) async throws(APIError) -> User {
        guard let identifier = CanonicalIdentifier.email(email) else {
            throw ManagementCall.invalid("email", .string(email))
        }
        let found: [UserDetails]
        do throws(StoreError) {
            found = try await call.services.people.users(with: identifier, of: call.tenant)
        } catch { throw APIError(error) }
        guard let user = found.first(where: { $0.user.connection == ConnectionID(connection) }) else {
            throw .noUser
        }
        return user.user
    }
}

extension ManagementCall {
    /// What links in mails and tickets begin with: the domain that `Auth0-Custom-Domain` names, else that of the request.
    var linkBase: String {
        guard let host = exchange.header("auth0-custom-domain"), !host.isEmpty,
            let domain = configuration.domain(host: host.lowercased()), domain.status == .ready
        else { return exchange.context.base }
        return "https://\(domain.host)"
    }
}
