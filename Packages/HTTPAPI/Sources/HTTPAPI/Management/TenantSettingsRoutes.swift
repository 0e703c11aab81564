import Encodings
import HTTPServer
import Identity
import Tenancy

/// The tenant's settings (contract 11.13).
struct TenantSettingsRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                "/api/v2/tenants/settings",
                shape: .management,
                run: api.action("read:tenant_settings", read)
            ),
            Endpoint(
                .patch,
                "/api/v2/tenants/settings",
                shape: .management,
                run: api.action("update:tenant_settings", update)
            ),
        ]
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        try call.answer(call.configuration.tenant.settings.document)
    }

    private func update(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let patch = DocumentPatch(try call.body())
        let (configuration, now) = (call.configuration, call.now)
        let settings = try await call.changing { (administration) throws(TenancyError) in
            try await administration.setSettings(patch, in: configuration, now: now)
        }
        return try call.answer(settings.document)
    }
}
