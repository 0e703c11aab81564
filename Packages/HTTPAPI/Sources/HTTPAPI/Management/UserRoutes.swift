import Accounts
import Encodings
import HTTPServer
import Identity

/// Users (contract 11.9).
struct UserRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/api/v2/users", shape: .management, run: api.action("read:users", list)),
            Endpoint(.post, "/api/v2/users", shape: .management, run: api.action("create:users", create)),
            Endpoint(.get, "/api/v2/users/{id}", shape: .management, run: api.action("read:users", read)),
            Endpoint(
                .patch,
                "/api/v2/users/{id}",
                shape: .management,
                run: api.action(.any(["update:users", "update:users_app_metadata"]), update)
            ),
            Endpoint(.delete, "/api/v2/users/{id}", shape: .management, run: api.action("delete:users", delete)),
            Endpoint(.get, "/api/v2/users-by-email", shape: .management, run: api.action("read:users", listByEmail)),
            Endpoint(.get, "/api/v2/user-blocks", shape: .management, run: api.action(Self.seesBlocks, blocksByName)),
            Endpoint(
                .delete,
                "/api/v2/user-blocks",
                shape: .management,
                run: api.action(Self.endsBlocks, unblockByName)
            ),
            Endpoint(
                .get,
                "/api/v2/user-blocks/{id}",
                shape: .management,
                run: api.action(Self.seesBlocks, blocks)
            ),
            Endpoint(
                .delete,
                "/api/v2/user-blocks/{id}",
                shape: .management,
                run: api.action(Self.endsBlocks, unblock)
            ),
        ]
    }

    private static let seesBlocks = ManagementAPI.Needs.any(["read:users", "read:user_custom_blocks"])
    private static let endsBlocks = ManagementAPI.Needs.any(["update:users", "delete:user_custom_blocks"])

    // MARK: Lists

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let text = call.query.text("q")
        if let engine = call.query.text("search_engine"), engine != "v3" {
            throw call.query.invalid("search_engine", engine)
        }
        // Auth0's hint to its own search.
        _ = call.query.text("primary_order")
        let order: UserOrder
        switch call.query.text("sort") {
        case nil, "created_at:1": order = .oldestFirst
        case "created_at:-1": order = .newestFirst
        case let other?: throw call.query.invalid("sort", other)
        }
        var filters: [UserFilter] = []
        if let name = call.query.text("connection") {
            let id = call.configuration.connection(named: name)?.id
            filters.append(.condition(id.map { .isIn($0) } ?? .nobody))
        }
        if let text {
            do throws(SearchError) { filters.append(try UserFilter(searching: text)) } catch {
                throw .query("Invalid value on property q: \(APIError.bounded(error.message))")
            }
        }
        guard case .offset(let page, let perPage, let totals) = try Paging(&call.query, [.offset]) else {
            throw .internalError
        }
        // With a whole page beyond it, nobody would be reached that a search does not find better.
        guard page * perPage <= 1000 else {
            throw .query("You can only page through the first 1000 records")
        }
        let fields = try call.fields()
        let search = UserSearch(
            filter: filters.isEmpty ? nil : .all(filters),
            order: order,
            skip: page * perPage,
            limit: perPage,
            counts: totals
        )
        let found: FoundUsers
        do throws(StoreError) { found = try await call.services.people.find(search, of: call.tenant) } catch {
            throw APIError(error)
        }
        let shown = call
        let users = JSONValue.array(
            found.users.map { .object(fields.selected(from: Self.document($0, in: shown.configuration))) }
        )
        guard totals else { return .json { $0.value(users) } }
        return .json {
            $0.value([
                "start": .integer(Int64(page * perPage)), "limit": .integer(Int64(perPage)),
                "length": .integer(Int64(found.users.count)), "total": .integer(Int64(found.total ?? 0)),
                "users": users,
            ])
        }
    }

    private func listByEmail(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let email = call.query.text("email") else { throw .query("Missing required property: email") }
        let fields = try call.fields()
        var users: [UserDetails] = []
        if let identifier = CanonicalIdentifier.email(email) {
            do throws(StoreError) {
                users = try await call.services.people.users(with: identifier, of: call.tenant)
            } catch { throw APIError(error) }
        }
        let configuration = call.configuration
        let list = users.map { JSONValue.object(fields.selected(from: Self.document($0, in: configuration))) }
        return .json { $0.value(.array(list)) }
    }

    // MARK: One user

    private func create(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let body = try call.body()
        let name = try ManagementCall.required("connection", try ManagementCall.text("connection", of: body))
        guard let connection = call.configuration.connection(named: name) else {
            throw ManagementCall.invalid("connection", .string(name))
        }
        let shown = call
        let created = try await Self.administered { () async throws(UserAdministrationError) in
            try await shown.services.users.create(body, in: connection, now: shown.now) {
                shown.event(status: 201, user: $0)
            }
        }
        return try call.answer(Self.document(created, in: call.configuration), status: 201)
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let details = try await call.user()
        return try call.answer(Self.document(details, in: call.configuration))
    }

    private func update(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let id = try call.userID()
        let body = try call.body()
        if !call.has("update:users"), let other = body.members.first(where: { $0.name != "app_metadata" }) {
            throw .management(
                403,
                "insufficient_scope",
                "Insufficient scope for \(APIError.bounded(other.name)), expected any of: update:users"
            )
        }
        let shown = call
        let changed = try await Self.administered { () async throws(UserAdministrationError) in
            try await shown.services.users.change(
                id,
                body,
                in: shown.configuration,
                now: shown.now,
                audit: shown.event(status: 200, user: id)
            )
        }
        return try call.answer(Self.document(changed, in: call.configuration))
    }

    /// Of somebody who is gone already there is nothing left to do.
    private func delete(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        if let id = UserID(call.path("id")) {
            do throws(StoreError) {
                _ = try await call.services.people.remove(
                    id,
                    tenant: call.tenant,
                    audit: call.event(status: 204, user: id)
                )
            } catch { throw APIError(error) }
        }
        return try call.nothing()
    }

    // MARK: Locked passwords

    private func blocks(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let user = try await call.user().user
        let limit = call.services.limits.limits().passwordIdentifier
        let locked: [UserIdentifier]
        do throws(StoreError) { locked = try await call.services.users.locks(of: user, limit: limit) } catch {
            throw APIError(error)
        }
        return try call.answer(Self.blocked(locked))
    }

    private func unblock(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        _ = try call.fields()
        let user = try await call.user().user
        do throws(StoreError) {
            try await call.services.users.unlock(user, audit: call.event(status: 204, user: user.id))
        } catch { throw APIError(error) }
        return try call.nothing()
    }

    private func blocksByName(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let name = call.query.text("identifier") else { throw .query("Missing required property: identifier") }
        _ = call.query.text("consider_brute_force_enablement")
        let limit = call.services.limits.limits().passwordIdentifier
        let locked: [UserIdentifier]
        do throws(StoreError) {
            locked = try await call.services.users.locks(of: name, in: call.configuration, limit: limit)
        } catch { throw APIError(error) }
        return try call.answer(Self.blocked(locked))
    }

    private func unblockByName(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let name = call.query.text("identifier") else { throw .query("Missing required property: identifier") }
        _ = try call.fields()
        do throws(StoreError) {
            try await call.services.users.unlock(name, in: call.configuration, audit: call.event(status: 204))
        } catch { throw APIError(error) }
        return try call.nothing()
    }

    /// Locked are names, from wherever they are tried.
    private static func blocked(_ identifiers: [UserIdentifier]) -> JSONObject {
        ["blocked_for": .array(identifiers.map { ["identifier": .string($0.entered)] })]
    }

    // MARK: Shapes

    static func document(_ details: UserDetails, in configuration: TenantConfiguration) -> JSONObject {
        let user = details.user
        let connection = configuration.connection(user.connection)
        var document: JSONObject = ["user_id": .string(user.id.subject)]
        user.writeIdentifiers(to: &document)
        let shown = user.displayIdentifier(connection?.options.precedence ?? [])
        let local = user.identifier(.email).map { identifier in
            String(decoding: Array(identifier.entered.utf8.prefix { $0 != UInt8(ascii: "@") }), as: UTF8.self)
        }
        user.writeProfile(to: &document, name: shown, nickname: local ?? shown)
        user.writeHistory(to: &document)
        if let address = details.lastAddress { document.set("last_ip", .string(address)) }
        if let changed = details.passwordChangedAt, changed > user.createdAt {
            document.set("last_password_reset", .string(changed.rfc3339))
        }
        document.set(
            "identities",
            [
                [
                    "connection": .string(connection?.name ?? user.connection.text), "user_id": .string(user.id.hex),
                    "provider": "auth0", "isSocial": false,
                ]
            ]
        )
        user.writeMetadata(to: &document)
        return document
    }

    static func administered<Value>(
        _ body: () async throws(UserAdministrationError) -> Value
    ) async throws(APIError) -> Value {
        do throws(UserAdministrationError) { return try await body() } catch { throw APIError(management: error) }
    }
}

extension ManagementCall {
    /// The user that `{id}` names.
    func userID() throws(APIError) -> UserID {
        guard let id = UserID(path("id")) else { throw .noUser }
        return id
    }

    /// The user that `{id}` names, as it is now.
    func user() async throws(APIError) -> UserDetails {
        let id = try userID()
        let details: UserDetails?
        do throws(StoreError) { details = try await services.people.details(of: id, tenant: tenant) } catch {
            throw APIError(error)
        }
        guard let details else { throw .noUser }
        return details
    }
}

extension APIError {
    /// The row of section 11 for a user who was not made or changed.
    init(management error: UserAdministrationError) {
        switch error {
        case .document(let error): self = .body(error)
        case .notBuilt(let sentence): self = .management(400, "operation_not_supported", sentence)
        case .noUser: self = .noUser
        case .userExists: self = .management(409, "auth0_idp_error", "The user already exists.")
        case .passwordsOff:
            self = .management(400, "invalid_body", "Payload validation error: the connection has no passwords.")
        case .changedMeanwhile: self = .changedMeanwhile
        case .account(.passwordTooWeak): self = .password("PasswordStrengthError: Password is too weak")
        case .account(.passwordTooCommon): self = .password("PasswordDictionaryError: Password is too common")
        case .account(.passwordHasPersonalInfo):
            self = .password("PasswordNoUserInfoError: Password contains user information")
        case .account(.passwordUsedBefore):
            self = .password("PasswordHistoryError: Password has previously been used")
        case .account(.invalid(let name)):
            self = .management(400, "invalid_body", "Payload validation error: 'Invalid value on property \(name)'.")
        case .account(let error): self.init(error)
        case .store(let error): self.init(error)
        }
    }

    private static func password(_ message: String) -> APIError { .management(400, "invalid_body", message) }
}
