import Encodings
import HTTPServer
import Identity
import Tenancy
import Tokens

/// The tenant as one file: exported, planned, applied (contract 11.18).
struct TenantFileRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        let reading = ManagementAPI.Needs.all(Self.things.map { "read:" + $0.scope })
        return [
            Endpoint(.get, "/api/v2/tenant-file", shape: .management, run: api.action(reading, export)),
            Endpoint(.post, "/api/v2/tenant-file/plan", shape: .management, run: api.action(reading, plan)),
            Endpoint(.post, "/api/v2/tenant-file/apply", shape: .management, run: api.action(reading, apply)),
        ]
    }

    /// What the scopes call the things of each section (contract 11.16).
    private static let things: [(section: TenantFile.Section, scope: String)] = [
        (.tenant, "tenant_settings"), (.clients, "clients"), (.databases, "connections"),
        (.resourceServers, "resource_servers"), (.clientGrants, "client_grants"), (.customDomains, "custom_domains"),
    ]

    private func export(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let export: TenantExport
        do throws(TenancyError) {
            export = try TenantExport(call.configuration)
        } catch { throw APIError(management: error) }
        var document = export.file
        document.set("version", .string(export.version))
        return try call.answer(document)
    }

    private func plan(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let body = try call.body()
        try ManagementCall.only("file", "allow_delete", "who", in: body)
        let file = try Self.file(of: body)
        let allowsDeletion = try ManagementCall.bool("allow_delete", of: body) ?? false
        let naming = try ManagementCall.bool("who", of: body) ?? false
        let plan: TenantPlan
        do throws(TenantFileError) {
            plan = try await call.services.administration.plan(
                file,
                allowsDeletion: allowsDeletion,
                caller: call.caller.client.id,
                in: call.configuration,
                now: call.now
            )
        } catch { throw APIError(error) }
        let impact: PlanImpact
        do throws(TenancyError) {
            impact = try await call.services.administration.impact(
                of: plan,
                in: call.configuration,
                people: call.services.impact,
                naming: naming
            )
        } catch { throw APIError(management: error) }
        var document = Self.document(plan)
        document.set("impact", .array(impact.impacts.map { .object($0.document) }))
        document.set("all_users", .integer(Int64(impact.allUsers)))
        document.set("all_passkeys", .integer(Int64(impact.allPasskeys)))
        return try call.answer(document)
    }

    private func apply(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let body = try call.body()
        try ManagementCall.only("file", "version", "allow_delete", in: body)
        let file = try Self.file(of: body)
        let version = try ManagementCall.required("version", try ManagementCall.text("version", of: body))
        let allowsDeletion = try ManagementCall.bool("allow_delete", of: body) ?? false
        // Nothing is changed by a call that is then refused for its query.
        _ = try call.fields()
        let asking = call
        var missing: [String] = []
        let plan: TenantPlan
        do throws(TenantFileError) {
            plan = try await call.services.administration.recording(call.event(status: 200)).apply(
                file,
                version: version,
                allowsDeletion: allowsDeletion,
                caller: call.caller.client.id,
                in: call.configuration,
                now: call.now
            ) { (plan) throws(TenantFileError) in
                missing = Self.scopes(of: plan).filter { !asking.has($0) }
                if !missing.isEmpty { throw .tenancy(.conflict("scopes are missing")) }
            }
        } catch {
            if !missing.isEmpty {
                throw .insufficientScope(missing, all: true, base: call.exchange.context.base)
            }
            throw APIError(error)
        }
        var document = Self.document(plan)
        // Whom it touched was for the plan to say.
        document.set("impact", [])
        return try call.answer(document)
    }

    /// What a plan's changes need, and the scopes of the Management API that it gives away (contract 11.16).
    private static func scopes(of plan: TenantPlan) -> [String] {
        var needed: Set<String> = []
        for change in plan.changes {
            for thing in things where thing.section == change.resource {
                needed.insert("\(change.operation.rawValue):\(thing.scope)")
            }
            let member = change.path.map { $0.prefix { $0 != "." && $0 != "[" } }
            if change.resource == .clients, change.operation == .update,
                ClientKeys.members.contains(where: { member?.elementsEqual($0) == true })
            {
                needed.insert(ClientKeys.scope)
            }
        }
        return needed.union(plan.givenManagementScopes).sorted()
    }

    private static func file(of body: JSONObject) throws(APIError) -> TenantFile {
        guard let value = body["file"], !value.isNull else { throw .body(.missingMember(path: "file")) }
        guard let object = value.object else { throw ManagementCall.invalid("file", value) }
        do throws(TenantFileFaults) {
            return try TenantFile(object)
        } catch { throw APIError(.faults(error)) }
    }

    private static func document(_ plan: TenantPlan) -> JSONObject {
        var document: JSONObject = [
            "tenant": .string(plan.target.tenant.name), "version": .string(plan.version),
            "changes": .array(plan.changes.map { .object($0.document) }),
        ]
        document.set(
            "kept",
            .array(
                plan.kept.map {
                    [
                        "resource": .string($0.resource.rawValue), "name": .string($0.name),
                        "reason": .string($0.reason),
                    ]
                }
            )
        )
        document.set("skipped", .array(plan.skipped.map { .string($0) }))
        document.set("new_secrets", .array(plan.newSecrets.map { .string($0) }))
        return document
    }
}

extension APIError {
    /// The row of section 11 for a file that was not planned or applied.
    init(_ error: TenantFileError) {
        switch error {
        case .faults(let faults):
            let first = faults.faults.first?.message ?? "the file is wrong"
            self = .management(400, "invalid_body", "Payload validation error: \(first)").with {
                $0.faults = faults.faults.prefix(100).map { ($0.path, $0.message) }.map(FileFault.init)
            }
        case .drift:
            self = .management(
                409,
                "drift",
                "The tenant has changed since the plan was made. Nothing was done: make a new plan."
            )
        case .tenancy(let error): self.init(management: error)
        }
    }

    /// One fault of a tenant file, with its place in it.
    struct FileFault: Hashable {
        let path: String
        let message: String
    }
}
