import Encodings
import Identity
import PublicSuffix
import Testing

@testable import Tenancy

@Suite("14: the files by which systems and browsers know a tenant's apps and sites")
struct AssociationTests {
    private static let now = UnixTime(seconds: 1_800_000_000)
    private static let tenant = TenantID(number: 1)
    private static let one = (0..<32).map { format(UInt8($0)) }.joined(separator: ":")
    private static let two = (0..<32).map { format(UInt8(0xE0 + $0 % 16)) }.joined(separator: ":")

    private static func format(_ byte: UInt8) -> String { Hex.encode([byte]).uppercased() }

    private static func client(
        _ id: String,
        _ mobile: JSONObject,
        webOrigins: [JSONValue] = [],
        isFirstParty: Bool = true
    ) throws -> Client {
        try Client(
            document: [
                "name": .string(id), "mobile": .object(mobile), "web_origins": .array(webOrigins),
                "is_first_party": .bool(isFirstParty),
            ],
            id: ClientID(id),
            tenant: tenant,
            secretHash: nil,
            createdAt: now,
            updatedAt: now
        )
    }

    private static func domain(
        _ host: String,
        _ id: String,
        legacy: [String] = [],
        origins: [String] = [],
        status: DomainStatus = .ready
    ) -> Domain {
        Domain(
            id: DomainID(host),
            tenant: tenant,
            host: host,
            isCanonical: false,
            status: status,
            relyingPartyID: id,
            legacyRelyingPartyIDs: legacy,
            relatedOrigins: origins,
            createdAt: now
        )
    }

    private static let ios: JSONObject = ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"]

    /// Several clients with the same and with other apps, in no order.
    private static func clients() throws -> [Client] {
        [
            try client("b", ["ios": ["team_id": "ZZZZZ12345", "app_bundle_identifier": "com.acme.zoo"]]),
            try client(
                "a",
                [
                    "ios": .object(ios),
                    "android": [
                        "app_package_name": "com.acme.app",
                        "sha256_cert_fingerprints": [.string(two.lowercased()), .string(one), .string(one)],
                    ],
                ],
                webOrigins: ["https://shop.acme.test", "https://*.acme.test", "https://other.test"]
            ),
            try client(
                "c",
                [
                    "ios": .object(ios),
                    "android": [
                        "app_package_name": "com.acme.app", "sha256_cert_fingerprints": [.string(one), .string(two)],
                    ],
                ]
            ),
            try client(
                "d",
                ["android": ["app_package_name": "com.acme.a", "sha256_cert_fingerprints": [.string(two)]]]
            ),
            try client(
                "e",
                ["ios": ["team_id": "THIRD12345", "app_bundle_identifier": "com.third.app"]],
                isFirstParty: false
            ),
        ]
    }

    @Test(
        "The files have exactly these bytes, whoever made the clients and in whatever order",
        arguments: [true, false]
    )
    func golden(isReversed: Bool) throws {
        let clients = isReversed ? Array(try Self.clients().reversed()) : try Self.clients()
        let domains = [
            Self.domain("login.acme.test", "acme.test", origins: ["https://shop.test", "https://acme.example"]),
            Self.domain("id.acme.test:8443", "acme.test"), Self.domain("b.acme.test", "b.acme.test"),
            Self.domain("p.acme.test", "acme.test", status: .pendingVerification),
        ]
        let files = AssociationFiles(of: "acme.test", clients: clients, domains: domains)
        func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
        #expect(
            text(files.apple)
                == #"{"applinks":{"apps":[],"details":["#
                + #"{"appID":"ABCDE12345.com.acme.app","paths":["/ios/com.acme.app/*","/macos/com.acme.app/*"]},"#
                + #"{"appID":"ZZZZZ12345.com.acme.zoo","paths":["/ios/com.acme.zoo/*","/macos/com.acme.zoo/*"]}]},"#
                + #""webcredentials":{"apps":["ABCDE12345.com.acme.app","ZZZZZ12345.com.acme.zoo"]}}"#
        )
        func app(_ name: String, _ fingerprints: String...) -> String {
            #"{"relation":["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"],"#
                + #""target":{"namespace":"android_app","package_name":"\#(name)","sha256_cert_fingerprints":["#
                + fingerprints.map { "\"\($0)\"" }.joined(separator: ",") + "]}}"
        }
        func site(_ origin: String) -> String {
            #"{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":"\#(origin)"}}"#
        }
        #expect(
            text(files.android)
                == "["
                + [
                    app("com.acme.a", Self.two), app("com.acme.app", Self.one, Self.two),
                    site("https://id.acme.test:8443"), site("https://login.acme.test"), site("https://shop.acme.test"),
                ].joined(separator: ",") + "]"
        )
        #expect(text(files.relatedOrigins) == #"{"origins":["https://shop.test","https://acme.example"]}"#)
    }

    @Test("Without apps they are the empty ones, and without related origins there is no list")
    func empty() throws {
        let files = AssociationFiles(
            of: "acme.test",
            clients: [try Self.client("web", [:], webOrigins: ["https://acme.test"])],
            domains: [Self.domain("acme.test", "acme.test")]
        )
        #expect(
            String(decoding: files.apple, as: UTF8.self)
                == #"{"applinks":{"apps":[],"details":[]},"webcredentials":{"apps":[]}}"#
        )
        #expect(files.android == Array("[]".utf8))
        #expect(files.relatedOrigins == nil)
    }

    @Test("An old RP ID lists the domains that its tenant moved to, before all others")
    func moves() {
        let domains = [
            Self.domain("login.old.test", "old.test", origins: ["https://shop.test", "https://id.new.test"]),
            Self.domain("id.new.test", "new.test", legacy: ["old.test"]),
            Self.domain("later.test", "later.test", legacy: ["old.test"], status: .pendingVerification),
            Self.domain("login.old.test:1", "login.old.test", legacy: ["old.test"]),
        ]
        #expect(RelatedOrigins.served(for: "old.test", by: domains) == ["https://id.new.test", "https://shop.test"])
        #expect(RelatedOrigins.served(for: "new.test", by: domains).isEmpty)
    }

    @Test("The linter knows what clients pass over, and what is only untidy")
    func lint() throws {
        let suffixes = try PublicSuffixList()
        func findings(_ origins: [String]) -> [(String, Bool)] {
            RelatedOrigins.lint(origins, relyingPartyID: "acme.com", suffixes: suffixes)
                .map { ($0.origin, $0.isFault) }
        }
        // Names of one label under several suffixes cost one place.
        #expect(
            findings([
                "https://acme.co.uk", "https://acme.de", "https://www.acme.fr", "https://b.com", "https://c.com",
                "https://d.com", "https://e.com", "https://shop.e.co.uk",
            ]).isEmpty
        )
        let odd = findings([
            "https://b.com", "https://co.uk", "https://login.acme.com", "https://b.com", "http://c.com",
            "https://c.com/x",
        ])
        #expect(
            odd.map(\.0) == [
                "https://co.uk", "https://login.acme.com", "https://b.com", "http://c.com", "https://c.com/x",
            ]
        )
        #expect(odd.map(\.1) == [true, false, false, true, true])
        let six = (1...6).map { "https://a\($0).com" }
        #expect(findings(six).map(\.0) == ["https://a6.com"])
        // The order decides who is left out.
        #expect(findings(six.reversed()).map(\.0) == ["https://a1.com"])
    }

    @Test("The folder for another web server has the same bytes, and lines for nginx and Caddy that name each path")
    func folder() throws {
        let files = AssociationFiles(
            of: "acme.test",
            clients: try Self.clients(),
            domains: [Self.domain("id.new.test", "new.test", legacy: ["acme.test"])]
        )
        let folder = AssociationFolder(files, host: "acme.test", folder: "/srv/acme", server: "id.new.test")
        #expect(
            folder.files.map(\.path) == [
                ".well-known/apple-app-site-association", ".well-known/assetlinks.json", ".well-known/webauthn",
                "nginx.conf", "Caddyfile",
            ]
        )
        #expect(folder.files[0].bytes == files.apple && folder.files[1].bytes == files.android)
        #expect(folder.files[2].bytes == files.relatedOrigins)
        for file in folder.files.suffix(2) {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for path in folder.files.prefix(3).map(\.path) { #expect(text.contains("/" + path), "\(text)") }
            #expect(text.contains("/srv/acme") && text.contains("https://id.new.test") && text.contains("acme.test"))
        }
        let none = AssociationFiles(of: "acme.test", clients: try Self.clients(), domains: [])
        let short = AssociationFolder(none, host: "acme.test", folder: "/srv/acme", server: "login.acme.test")
        #expect(!short.files.contains { $0.path.contains("webauthn") })
    }

    // MARK: What a host serves

    private func check() throws -> AssociationCheck {
        AssociationCheck(
            host: "acme.test",
            clients: try Self.clients().filter { $0.id.text == "a" },
            origins: ["https://id.new.test"],
            suffixes: try PublicSuffixList()
        )
    }

    private func served(
        _ text: String,
        status: Int = 200,
        type: String? = "application/json",
        location: String? = nil
    ) -> FetchedFile {
        .answer(status: status, contentType: type, location: location, body: Array(text.utf8))
    }

    @Test("What the tenant itself serves is good")
    func good() throws {
        let check = try check()
        let files = AssociationFiles(
            of: "acme.test",
            clients: try Self.clients(),
            domains: [Self.domain("id.new.test", "new.test", legacy: ["acme.test"])]
        )
        let bodies = [files.apple, files.android, try #require(files.relatedOrigins)]
        #expect(check.paths.count == 3)
        for (path, body) in zip(check.paths, bodies) {
            let file = FetchedFile.answer(
                status: 200,
                contentType: "Application/JSON; charset=utf-8",
                location: nil,
                body: body
            )
            #expect(check.findings(at: path, file).isEmpty, "\(check.findings(at: path, file))")
        }
    }

    @Test("Whatever is wrong is said, with what to do")
    func bad() throws {
        let check = try check()
        func problems(_ path: String, _ file: FetchedFile) -> String {
            let findings = check.findings(at: path, file)
            for finding in findings {
                #expect(finding.address == "https://acme.test" + path)
                #expect(finding.problem.hasSuffix(".") && finding.remedy.hasSuffix("."), "\(finding)")
            }
            return findings.map(\.problem).joined(separator: " ")
        }
        let (apple, android, origins) = (
            AssociationFiles.Path.apple, AssociationFiles.Path.android, AssociationFiles.Path.relatedOrigins
        )
        #expect(problems(apple, .unreachable(reason: "Could not resolve host")).contains("Could not resolve host"))
        #expect(problems(apple, .tooLarge(limit: 5)).contains("more than 5 bytes"))
        #expect(problems(apple, served("", status: 301, location: "https://www.acme.test/")).contains("www.acme.test"))
        #expect(problems(apple, served("{}", status: 404)).contains("status 404"))
        #expect(problems(apple, served("{}", type: "text/plain")).contains("text/plain"))
        #expect(problems(apple, served("{}", type: nil)).contains("missing"))
        #expect(problems(apple, served("<html>")).contains("a page"))
        #expect(problems(apple, served(#"{"a":"# + String(repeating: " ", count: 140_000) + "1}")).contains("128 KiB"))
        #expect(problems(apple, served("{}")) == "webcredentials.apps does not name ABCDE12345.com.acme.app.")
        #expect(
            problems(apple, served(#"{"webcredentials":{"apps":["ABCDE12345.com.acme.App"]}}"#)).contains("does not")
        )
        #expect(problems(android, served("[]")).contains("com.acme.app the relation"))
        func statement(_ relation: String, _ fingerprints: String) -> FetchedFile {
            served(
                #"[{"relation":["delegate_permission/common.\#(relation)"],"target":{"namespace":"android_app","#
                    + #""package_name":"com.acme.app","sha256_cert_fingerprints":[\#(fingerprints)]}}]"#
            )
        }
        #expect(problems(android, statement("handle_all_urls", "\"\(Self.one)\"")).contains("get_login_creds"))
        let lower = problems(android, statement("get_login_creds", "\"\(Self.one)\",\"\(Self.two.lowercased())\""))
        #expect(lower == "The fingerprint \(Self.two) of com.acme.app is not in upper case.")
        #expect(
            problems(android, statement("get_login_creds", "\"\(Self.one)\"")).contains("lacks the fingerprint E0:")
        )
        #expect(problems(origins, served(#"{"origins":[]}"#)) == "It does not list https://id.new.test.")
        let late = (1...5).map { "\"https://a\($0).com\"" }.joined(separator: ",")
        #expect(
            problems(origins, served(#"{"origins":[\#(late),"https://id.new.test"]}"#)).contains("after 5 other labels")
        )
    }
}
