internal import Encodings
public import Identity

/// The files by which operating systems and browsers know that apps and sites belong to an RP ID (HTTP contract 14), in the
/// bytes that its host has to serve.
public struct AssociationFiles: Hashable, Sendable {
    /// `apple-app-site-association`.
    public let apple: [UInt8]
    /// `assetlinks.json`.
    public let android: [UInt8]
    /// `webauthn`; `nil` when no other origin may use the RP ID: then there is no file.
    public let relatedOrigins: [UInt8]?

    /// Where each of them lies; every one is `application/json`.
    public enum Path {
        public static let apple = "/.well-known/apple-app-site-association"
        public static let android = "/.well-known/assetlinks.json"
        public static let relatedOrigins = "/.well-known/webauthn"
    }

    /// - Parameters:
    ///   - relyingPartyID: whose host serves them.
    ///   - clients: of the tenant; those of third parties do not count.
    ///   - domains: of the tenant.
    public init(of relyingPartyID: String, clients: some Sequence<Client>, domains: [Domain]) {
        let own = clients.filter(\.isFirstParty)
        apple = Self.appleFile(own)
        android = Self.androidFile(own, Self.sites(of: relyingPartyID, own, domains))
        let origins = RelatedOrigins.served(for: relyingPartyID, by: domains)
        relatedOrigins = origins.isEmpty ? nil : Self.originsFile(origins)
    }

    public init(of relyingPartyID: String, in configuration: TenantConfiguration) {
        self.init(of: relyingPartyID, clients: configuration.clients.values, domains: configuration.domains)
    }

    private static func appleFile(_ clients: [Client]) -> [UInt8] {
        var bundles: [String: String] = [:]
        for app in clients.compactMap(\.mobile.ios) { bundles[app.appID] = app.bundleIdentifier }
        let apps = bundles.keys.sorted(by: precedes)
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.name("applinks")
        json.beginObject()
        json.texts("apps", [])
        json.name("details")
        json.beginArray()
        for app in apps {
            let bundle = bundles[app] ?? ""
            json.beginObject()
            json.name("appID")
            json.string(app)
            json.texts("paths", ["/ios/\(bundle)/*", "/macos/\(bundle)/*"])
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.name("webcredentials")
        json.beginObject()
        json.texts("apps", apps)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// With no app there is nobody to share sign-ins with, and no statement.
    private static func androidFile(_ clients: [Client], _ sites: [String]) -> [UInt8] {
        let apps = Set(clients.compactMap(\.mobile.android).map(Statement.init)).sorted()
        var json = JSONWriter(capacity: 512)
        json.beginArray()
        for app in apps {
            json.beginObject()
            json.texts("relation", [handlesURLs, getsLoginCredentials])
            json.name("target")
            json.beginObject()
            json.name("namespace")
            json.string("android_app")
            json.name("package_name")
            json.string(app.packageName)
            json.texts("sha256_cert_fingerprints", app.fingerprints)
            json.endObject()
            json.endObject()
        }
        for site in apps.isEmpty ? [] : sites {
            json.beginObject()
            json.texts("relation", [getsLoginCredentials])
            json.name("target")
            json.beginObject()
            json.name("namespace")
            json.string("web")
            json.name("site")
            json.string(site)
            json.endObject()
            json.endObject()
        }
        json.endArray()
        return json.bytes
    }

    static let handlesURLs = "delegate_permission/common.handle_all_urls"
    static let getsLoginCredentials = "delegate_permission/common.get_login_creds"

    private struct Statement: Hashable, Comparable {
        let packageName: String
        /// Sorted, each once.
        let fingerprints: [String]

        init(_ app: MobileSettings.AndroidApp) {
            packageName = app.packageName
            fingerprints = Set(app.fingerprintTexts).sorted(by: precedes)
        }

        static func < (one: Statement, other: Statement) -> Bool {
            if one.packageName != other.packageName { return precedes(one.packageName, other.packageName) }
            return precedes(one.fingerprints.joined(), other.fingerprints.joined())
        }
    }

    /// The web origins that share the RP ID: its ready domains, and the clients' own pages under it.
    private static func sites(of relyingPartyID: String, _ clients: [Client], _ domains: [Domain]) -> [String] {
        let hosts = domains.filter {
            $0.status == .ready && $0.relyingPartyID.hasSameBytes(as: relyingPartyID) && !$0.isLoopbackName
        }
        let pages = clients.flatMap(\.webOrigins).filter { text in
            guard let origin = try? WebOrigin(text) else { return false }
            return origin.scheme == "https" && RelatedOrigins.isUnder(relyingPartyID, origin.host)
        }
        return Set(hosts.map { "https://" + $0.host } + pages).sorted(by: precedes)
    }

    private static func originsFile(_ origins: [String]) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.texts("origins", origins)
        json.endObject()
        return json.bytes
    }
}

extension MobileSettings.IOSApp {
    /// As Apple's files name it: `ABCDE12345.com.acme.app`.
    public var appID: String { "\(teamID).\(bundleIdentifier)" }
}

extension MobileSettings.AndroidApp {
    /// As Google's files name them: `D8:A0:…`, in upper case.
    public var fingerprintTexts: [String] {
        fingerprints.map { bytes in bytes.map { Hex.encode([$0]).uppercased() }.joined(separator: ":") }
    }
}

/// By bytes, so that the files are the same everywhere.
private func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
}

extension JSONWriter {
    fileprivate mutating func texts(_ name: String, _ values: [String]) {
        self.name(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
