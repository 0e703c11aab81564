import Identity
import PublicSuffix
import Settings
import Tenancy
import Transfer

/// One tenant, by its configuration and as the world sees its names.
struct TenantCheck: Sendable {
    private let tenant: TenantConfiguration
    private let settings: Settings
    private let store: any CredentialDatabase
    private let outside: Outside
    private let now: @Sendable () -> UnixTime

    init(
        _ tenant: TenantConfiguration,
        _ settings: Settings,
        _ store: any CredentialDatabase,
        _ outside: Outside,
        _ now: @escaping @Sendable () -> UnixTime
    ) {
        self.tenant = tenant
        self.settings = settings
        self.store = store
        self.outside = outside
        self.now = now
    }

    func findings() async throws -> [Finding] {
        let name = tenant.tenant.name
        guard tenant.tenant.suspendedAt == nil else {
            return [
                Finding(
                    .tenant,
                    .skipped,
                    name,
                    "it is suspended: everything of it answers 403",
                    remedy: "\(AdminProgram.name) tenant resume \(name)"
                )
            ]
        }
        let ready = tenant.domains.filter { $0.status == .ready }
        var found = [Finding(.tenant, .ok, name, "\(ready.count) of \(tenant.domains.count) names are ready")]
        found += tenant.domains.filter { $0.status != .ready }.map { domain in
            Finding(
                .tenant,
                .warning,
                domain.host,
                domain.verification.problem ?? "it waits for its proof",
                remedy: "\(AdminProgram.name) domain verify \(domain.host) --tenant \(name), or its TXT record."
            )
        }
        found += originFindings()
        let suffixes = try Deployment.publicSuffixes(settings)
        found += relatedOriginFindings(suffixes)
        if ready.contains(where: { !$0.isLoopbackName }) { found += proxySettingFindings() }
        guard !outside.isOff else { return found }
        let keys = try await store.signingKeys(of: tenant.tenant.id)
        for domain in ready { found += PublicNameCheck(domain, keys, outside, now).findings() }
        return found + associationFindings(ready, suffixes)
    }

    /// Pages of applications that no passkey can be used on.
    private func originFindings() -> [Finding] {
        let uncovered = OriginCheck.uncovered(in: tenant)
        guard !uncovered.isEmpty else {
            return [Finding(.origins, .ok, tenant.tenant.name, "every page of its applications may use an RP ID")]
        }
        return uncovered.map { found in
            let isLocal = found.isLoopback
            return Finding(
                .origins,
                isLocal ? .warning : .failed,
                found.origin,
                "a page of \(found.client) that is neither under an RP ID (\(found.relyingPartyIDs.joined(separator: ", "))) "
                    + "nor a related origin: no passkey works there",
                remedy: isLocal
                    ? "Develop with a tenant whose RP ID is localhost, or take it out of the application."
                    : "\(AdminProgram.name) domain set DOMAIN --origin \(found.origin), or take it out of the application."
            )
        }
    }

    private func relatedOriginFindings(_ suffixes: PublicSuffixList) -> [Finding] {
        relyingPartyIDs(tenant.domains.filter { $0.status == .ready }).flatMap { id in
            RelatedOrigins.lint(
                RelatedOrigins.served(for: id, by: tenant.domains),
                relyingPartyID: id,
                suffixes: suffixes
            )
            .map { finding in
                Finding(
                    .origins,
                    finding.isFault ? .failed : .warning,
                    "https://\(id)\(AssociationFiles.Path.relatedOrigins)",
                    "\(finding.origin) \(finding.sentence)"
                )
            }
        }
    }

    /// A public name, and nobody who may speak for clients.
    private func proxySettingFindings() -> [Finding] {
        guard settings.trustedProxies.value.isEmpty, settings.tlsCertificate.value == nil else { return [] }
        return [
            Finding(
                .proxyHeaders,
                .warning,
                "trusted_proxies",
                "nobody is trusted, and TLS is not ended here: behind a proxy everybody comes from its address, over plain HTTP",
                remedy: #"Name the proxy: trusted_proxies: [127.0.0.1/32, "::1/128"]"#
            )
        ]
    }

    private func associationFindings(_ ready: [Domain], _ suffixes: PublicSuffixList) -> [Finding] {
        relyingPartyIDs(ready).filter { !HostName.isLoopback($0) }.flatMap { id -> [Finding] in
            let check = AssociationCheck(
                host: id,
                clients: tenant.clients.values.filter(\.isFirstParty),
                origins: RelatedOrigins.served(for: id, by: tenant.domains),
                suffixes: suffixes
            )
            let own = AssociationFiles(of: id, in: tenant)
            return check.paths.flatMap { path in
                let file = fetched(outside.get("https://\(id)\(path)"))
                let wrong = check.findings(at: path, file)
                guard wrong.isEmpty else {
                    return wrong.map { Finding(.association, .failed, $0.address, $0.problem, remedy: $0.remedy) }
                }
                return [sameness(of: file, to: own.bytes(at: path), "https://\(id)\(path)")]
            }
        }
    }

    /// Whether a host that somebody else serves publishes the same bytes.
    private func sameness(of file: FetchedFile, to own: [UInt8]?, _ address: String) -> Finding {
        if case .answer(_, _, _, let body) = file, body == own {
            return Finding(.association, .ok, address, "it names every app, as this server writes it")
        }
        return Finding(
            .association,
            .warning,
            address,
            "it names every app, and is not as this server writes it",
            remedy: "Where nobody added to it, write it anew: latchkey-tenant device files DIR"
        )
    }

    private func fetched(_ result: Result<WebResponse, TransferError>) -> FetchedFile {
        switch result {
        case .success(let answer):
            .answer(
                status: answer.status,
                contentType: answer.header("content-type"),
                location: answer.header("location"),
                body: answer.body
            )
        case .failure(.tooLarge(let limit)): .tooLarge(limit: limit)
        case .failure(let error): .unreachable(reason: "\(error)")
        }
    }

    /// Each once, in the order of the domains.
    private func relyingPartyIDs(_ domains: [Domain]) -> [String] {
        var ids: [String] = []
        for id in domains.flatMap(\.relyingPartyIDs) where !ids.contains(id) { ids.append(id) }
        return ids
    }
}

extension AssociationFiles {
    fileprivate func bytes(at path: String) -> [UInt8]? {
        switch path {
        case Path.apple: apple
        case Path.android: android
        default: relatedOrigins
        }
    }
}
