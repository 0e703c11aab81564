public import Identity

/// Whether the pages of applications may use the tenant's RP IDs (WebAuthn L3 §7.1 step 9, HTTP contract 3.4).
public enum OriginCheck {
    /// A page on which no passkey works.
    public struct Finding: Hashable, Sendable {
        /// The application's name.
        public let client: String
        /// As it stands in the application.
        public let origin: String
        /// `http://localhost:5173`: a developer's own machine.
        public let isLoopback: Bool
        /// The RP IDs of the tenant's ready domains.
        public let relyingPartyIDs: [String]
    }

    /// The web origins of applications with the passkey grant that no RP ID covers: under none of them, and related to
    /// none; in the order of the applications' names.
    public static func uncovered(in configuration: TenantConfiguration) -> [Finding] {
        let ready = configuration.domains.filter { $0.status == .ready }
        var ids: [String] = []
        for id in ready.flatMap(\.relyingPartyIDs) where !ids.contains(id) { ids.append(id) }
        let related = ids.flatMap { RelatedOrigins.served(for: $0, by: configuration.domains) }
        let clients = configuration.clients.values.filter { $0.allows(.webAuthn) }
            .sorted { ($0.name, $0.id.text) < ($1.name, $1.id.text) }
        return clients.flatMap { client in
            client.webOrigins.compactMap { text in
                let origin = try? WebOrigin(text, allowingPattern: true)
                // The web view of an application has a scheme and a host of its own.
                if let origin, !["https", "http"].contains(origin.scheme) { return nil }
                let isCovered =
                    related.contains { $0.utf8.elementsEqual(text.utf8) }
                    || origin.map { origin in ids.contains { RelatedOrigins.isUnder($0, origin.host) } } ?? false
                guard !isCovered else { return nil }
                return Finding(
                    client: client.name,
                    origin: text,
                    isLoopback: origin.map { HostName.isLoopback($0.host) } ?? false,
                    relyingPartyIDs: ids
                )
            }
        }
    }
}
