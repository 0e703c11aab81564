import Encodings
import HTTPServer
import Identity
import Tenancy

/// Custom domains (contract 11.6); the canonical domain is the operator's, and not among them.
struct CustomDomainRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                "/api/v2/custom-domains",
                shape: .management,
                run: api.action("read:custom_domains", list)
            ),
            Endpoint(
                .post,
                "/api/v2/custom-domains",
                shape: .management,
                run: api.action("create:custom_domains", create)
            ),
            Endpoint(
                .get,
                "/api/v2/custom-domains/default",
                shape: .management,
                run: api.action("read:custom_domains", readDefault)
            ),
            Endpoint(
                .patch,
                "/api/v2/custom-domains/default",
                shape: .management,
                run: api.action("update:custom_domains", setDefault)
            ),
            Endpoint(
                .get,
                "/api/v2/custom-domains/{id}",
                shape: .management,
                run: api.action("read:custom_domains", read)
            ),
            Endpoint(
                .patch,
                "/api/v2/custom-domains/{id}",
                shape: .management,
                run: api.action("update:custom_domains", update)
            ),
            Endpoint(
                .delete,
                "/api/v2/custom-domains/{id}",
                shape: .management,
                run: api.action("delete:custom_domains", delete)
            ),
            Endpoint(
                .post,
                "/api/v2/custom-domains/{id}/verify",
                shape: .management,
                run: api.action("create:custom_domains", verify)
            ),
            Endpoint(
                .get,
                "/api/v2/custom-domains/{id}/relying-parties",
                shape: .management,
                run: api.action("read:custom_domains", coverage)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        // Ours: the canonical domain serves passkeys as well, and tools have to know its RP ID.
        let withCanonical = try call.query.bool("include_canonical") ?? false
        let domains = call.configuration.domains.filter { withCanonical || !$0.isCanonical }
        // Auth0 gives them all at once to who does not page.
        guard call.query.text("from") != nil || call.query.text("take") != nil else {
            let fields = try call.fields()
            let sorted = domains.sorted { Self.place($0) < Self.place($1) }
            return .json { json in
                json.value(.array(sorted.map { .object(fields.selected(from: $0.document)) }))
            }
        }
        return try call.page(domains, "custom_domains", .checkpoint, place: Self.place) { $0.document }
    }

    private func create(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        var body = try call.body()
        let host = try ManagementCall.required("domain", try ManagementCall.text("domain", of: body))
        _ = try ManagementCall.required("type", try ManagementCall.text("type", of: body))
        body.remove("domain")
        let (document, configuration, now) = (body, call.configuration, call.now)
        let domain = try await call.changing(status: 201) { (administration) throws(TenancyError) in
            try await administration.createDomain(host, document, in: configuration, now: now)
        }
        return try call.answer(domain.document, status: 201)
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(try domain(call).document)
    }

    private func update(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let old = try domain(call)
        let patch = DocumentPatch(try call.body())
        let isForced = try call.query.bool("force") ?? false
        let (configuration, now) = (call.configuration, call.now)
        let domain = try await call.changing(missing: .noCustomDomain) { (administration) throws(TenancyError) in
            try await administration.setDomain(old.id, patch, isForced: isForced, in: configuration, now: now)
        }
        return try call.answer(domain.document)
    }

    private func delete(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let old = try domain(call)
        let isForced = try call.query.bool("force") ?? false
        let configuration = call.configuration
        try await call.changing(status: 204, missing: .noCustomDomain) { (administration) throws(TenancyError) in
            try await administration.removeDomain(old.id, isForced: isForced, in: configuration)
        }
        return try call.nothing()
    }

    private func verify(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let old = try domain(call)
        let (configuration, now) = (call.configuration, call.now)
        let domain = try await call.changing(missing: .noCustomDomain) { (administration) throws(TenancyError) in
            try await administration.verifyDomain(old.id, in: configuration, now: now)
        }
        return try call.answer(domain.document)
    }

    /// How far the users of each RP ID of before have come (ours: what `rp status` shows).
    private func coverage(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let domain = try domain(call)
        let limit = try call.query.integer("users", 0...100) ?? 0
        let fields = try call.fields()
        var legacy: [JSONValue] = []
        do throws(TenancyError) {
            for name in domain.legacyRelyingPartyIDs {
                let coverage = try await call.services.administration.coverage(of: name, on: domain)
                var row: JSONObject = [
                    "relying_party_identifier": .string(name), "users": .integer(coverage.users),
                    "covered": .integer(coverage.covered),
                    "covered_percent": .number(Double(coverage.basisPoints) / 100),
                ]
                if limit > 0 {
                    let left = try await call.services.administration.usersLeftBehind(
                        under: name,
                        on: domain,
                        limit: limit
                    )
                    row.set("left_behind", .array(left.map { .object(Self.person($0, call)) }))
                }
                legacy.append(.object(row))
            }
        } catch { throw APIError(management: error) }
        let document: JSONObject = [
            "relying_party_identifier": .string(domain.relyingPartyID), "legacy": .array(legacy),
        ]
        return .json { $0.value(.object(fields.selected(from: document))) }
    }

    private static func person(_ user: User, _ call: ManagementCall) -> JSONObject {
        let precedence = call.configuration.connection(user.connection)?.options.precedence ?? IdentifierKind.allCases
        return ["user_id": .string(user.id.subject), "name": .string(user.displayIdentifier(precedence))]
    }

    private func readDefault(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let domains = call.configuration.domains
        guard let domain = domains.first(where: \.isDefault) ?? domains.first(where: \.isCanonical) else {
            throw .noCustomDomain
        }
        return try call.answer(domain.document)
    }

    private func setDefault(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let body = try call.body()
        try ManagementCall.only("domain", in: body)
        let host = try ManagementCall.required("domain", try ManagementCall.text("domain", of: body))
        let (configuration, now) = (call.configuration, call.now)
        let domain = try await call.changing { (administration) throws(TenancyError) in
            try await administration.setDefaultDomain(host, in: configuration, now: now)
        }
        return try call.answer(domain.document)
    }

    private func domain(_ call: ManagementCall) throws(APIError) -> Domain {
        let id = DomainID(call.path("id"))
        guard let domain = call.configuration.domains.first(where: { $0.id == id && !$0.isCanonical }) else {
            throw .noCustomDomain
        }
        return domain
    }

    private static func place(_ domain: Domain) -> PagePlace {
        PagePlace(createdAt: domain.createdAt, id: domain.id.text)
    }
}
