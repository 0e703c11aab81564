import Encodings
import HTTPServer
import Identity
import Tenancy
import Tokens

/// One request to the Management API, let in, and the tenant as it is now.
struct ManagementCall: Sendable {
    let services: APIServices
    let exchange: Exchange
    let caller: ManagementAccess.Caller
    /// Not older than this request, whichever server the last change was made on.
    let configuration: TenantConfiguration
    var query: ManagementQuery
    /// Which members are answered with, once the query was read to its end.
    private var selection: FieldSelection?

    init(
        services: APIServices,
        exchange: Exchange,
        caller: ManagementAccess.Caller,
        configuration: TenantConfiguration,
        query: ManagementQuery
    ) {
        self.services = services
        self.exchange = exchange
        self.caller = caller
        self.configuration = configuration
        self.query = query
    }

    var tenant: TenantID { configuration.tenant.id }
    var now: UnixTime { exchange.context.now }

    func has(_ scope: String) -> Bool { caller.scope.contains(scope) }

    /// The part of the path that the pattern calls `{name}`, decoded.
    func path(_ name: String) -> String { exchange.request.parameters[name] ?? "" }

    /// The body, a JSON object with a bounded number of members: each member is looked for among all.
    func body() throws(APIError) -> JSONObject {
        let object = try exchange.jsonBody()
        guard object.count <= 500 else {
            throw .management(400, "invalid_body", "Payload validation error: more than 500 members.")
        }
        return object
    }

    /// A member of a body that is a short list of texts; `nil` when it is absent or `null`.
    static func texts(_ name: String, of body: JSONObject, atMost maximum: Int) throws(APIError) -> [String]? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let elements = value.array, elements.count <= maximum else { throw invalid(name, value) }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else { throw invalid(name, element) }
            texts.append(text)
        }
        return texts
    }

    static func text(_ name: String, of body: JSONObject) throws(APIError) -> String? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let text = value.string, (1...600).contains(text.utf8.count) else { throw invalid(name, value) }
        return text
    }

    static func bool(_ name: String, of body: JSONObject) throws(APIError) -> Bool? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let bool = value.bool else { throw invalid(name, value) }
        return bool
    }

    static func required<Value>(_ name: String, _ value: Value?) throws(APIError) -> Value {
        guard let value else { throw .body(.missingMember(path: name)) }
        return value
    }

    /// - Throws: `invalid_body` for a member that is none of `names`.
    static func only(_ names: String..., in body: JSONObject) throws(APIError) {
        for member in body.members where !names.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            throw .body(.unknownMember(path: String(member.name.prefix(100))))
        }
    }

    static func invalid(_ name: String, _ value: JSONValue) -> APIError {
        let shown = String(decoding: value.serialized().prefix(100), as: UTF8.self)
        return .management(
            400,
            "invalid_body",
            "Payload validation error: 'Invalid value \(shown)' on property \(name)."
        )
    }

    // MARK: Changes

    /// Runs a change that an administrator asks for, and writes it down in the same transaction.
    ///
    /// - Parameters:
    ///   - status: what a success is answered with.
    ///   - missing: the refusal when the thing that the path names is not there.
    ///   - change: gets the administration of the tenant.
    /// - Returns: what `change` returns.
    /// - Throws: `missing`, or the row of section 11 for what was refused.
    mutating func changing<Value>(
        status: Int = 200,
        missing: APIError? = nil,
        _ change: (TenantAdministration) async throws(TenancyError) -> Value
    ) async throws(APIError) -> Value {
        // Nothing is changed by a call that is then refused for its query.
        _ = try fields()
        let event = event(status: status)
        do throws(TenancyError) {
            return try await change(services.administration.recording(event))
        } catch .notFound(_, let name) where missing != nil && name.utf8.elementsEqual(path("id").utf8) {
            throw missing ?? .nothingThere
        } catch { throw APIError(management: error) }
    }

    /// The record of a change that was made.
    func event(status: Int, user: UserID? = nil) -> AuditEvent {
        Self.event("sapi", status, caller, exchange, user: user)
    }

    /// The record of a call: who, and what was asked, without query and body.
    static func event(
        _ type: String,
        _ status: Int,
        _ caller: ManagementAccess.Caller,
        _ exchange: Exchange,
        user: UserID? = nil
    ) -> AuditEvent {
        AuditEvent(
            tenant: exchange.context.tenant,
            types: [type],
            at: exchange.context.now,
            user: user,
            client: caller.client.id,
            device: exchange.context.device,
            details: [
                "request": [
                    "method": .string(exchange.request.method.description),
                    "path": .string(String(decoding: exchange.request.path.utf8.prefix(512), as: UTF8.self)),
                ],
                "response": ["statusCode": .integer(Int64(status))],
            ]
        )
    }

    /// The audience by which clients ask for an API: of the tenant's own ones it lies under the domain of the request.
    func audience(_ identifier: String) -> String {
        SystemAPI(rawValue: identifier) == nil ? identifier : exchange.context.base + identifier
    }

    // MARK: Answers

    /// Reads the query to its end, at the first call.
    mutating func fields() throws(APIError) -> FieldSelection {
        if let selection { return selection }
        let read = try query.fields()
        try query.end()
        selection = read
        return read
    }

    /// One thing, with the members that `fields` asks for.
    mutating func answer(_ document: JSONObject, status: Int = 200) throws(APIError) -> HTTPResponse {
        let fields = try fields()
        return .json(status: status) { $0.value(.object(fields.selected(from: document))) }
    }

    /// An answer without a body.
    mutating func nothing(status: Int = 204) throws(APIError) -> HTTPResponse {
        _ = try fields()
        return HTTPResponse(status: status)
    }
}
