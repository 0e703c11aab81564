internal import Identity

extension TenantConfiguration {
    /// The API that `audience` names; a system API by the base of any of the tenant's domains.
    func resourceServer(audience: String) -> ResourceServer? {
        for api in SystemAPI.allCases
        where bases.contains(where: { audience.utf8.elementsEqual(($0 + api.rawValue).utf8) }) {
            return resourceServers.first { $0.system == api }
        }
        return resourceServers.first { $0.system == nil && $0.identifier.utf8.elementsEqual(audience.utf8) }
    }

    /// The base of every ready domain of the tenant: tokens of each are good on all. A loopback name is served over
    /// both schemes.
    var bases: [String] {
        domains.filter { $0.status == .ready }.flatMap { domain in
            domain.isLoopbackName ? ["http://" + domain.host, "https://" + domain.host] : ["https://" + domain.host]
        }
    }
}
