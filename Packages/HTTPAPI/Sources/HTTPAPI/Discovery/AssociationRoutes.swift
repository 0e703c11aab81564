import Encodings
import HTTPServer
import Identity
import Tenancy

/// What operating systems and browsers ask an RP ID's host for before they let apps and other sites use its passkeys
/// (contract 14). A host that is an RP ID and no domain serves these paths, and no others.
/// Where passkeys are made and looked after, those learn who come to a domain itself: the pages are there.
struct AssociationRoutes: Sendable {
    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/.well-known/apple-app-site-association", cors: .everyone, isPublished: true) {
                $0.association(\.apple)
            },
            // Where older systems look.
            Endpoint(.get, "/apple-app-site-association", cors: .everyone, isPublished: true) {
                $0.association(\.apple)
            },
            Endpoint(.get, "/.well-known/assetlinks.json", cors: .everyone, isPublished: true) {
                $0.association(\.android)
            },
            Endpoint(.get, "/.well-known/webauthn", cors: .everyone, isPublished: true) {
                (exchange: inout Exchange) throws(APIError) in
                guard exchange.associations.relatedOrigins != nil else { throw .notFound }
                return exchange.association { $0.relatedOrigins ?? [] }
            },
            // Password managers look for it on the RP ID's host (W3C Passkey Endpoints).
            Endpoint(.get, "/.well-known/passkey-endpoints", cors: .everyone, isPublished: true) {
                $0.passkeyEndpoints()
            },
        ]
    }
}

extension Exchange {
    /// The files of the host that was asked: of the RP ID that it is, or else of its domain's. A related-origins list is
    /// for the host that equals the RP ID alone.
    fileprivate var associations: AssociationFiles {
        AssociationFiles(of: relyingPartyHost, in: context.configuration)
    }

    private var relyingPartyHost: String {
        let name = HostName.withoutPort(forwarded.host)
        return context.configuration.domains.contains { $0.status == .ready && $0.serves(name) }
            ? name : context.domain.relyingPartyID
    }

    /// Where passkeys are made and looked after; nowhere, as long as passkeys are off.
    fileprivate func passkeyEndpoints() -> HTTPResponse {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        if context.settings.passkeysEnabled {
            json.member("enroll", context.base + "/u/enroll-passkey")
            json.member("manage", context.base + AccountPage.path)
        }
        json.endObject()
        var response = HTTPResponse.json(json.bytes)
        response.headers.set("Content-Type", "application/json")
        return cacheable(response, tag: "\"\(context.configuration.version)\"", "public, max-age=300")
    }

    fileprivate func association(_ bytes: (AssociationFiles) -> [UInt8]) -> HTTPResponse {
        var response = HTTPResponse.json(bytes(associations))
        response.headers.set("Content-Type", "application/json")
        // All that the files are made of changes with this number.
        return cacheable(response, tag: "\"\(context.configuration.version)\"", "public, max-age=300")
    }
}
