import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 4.1, 4.2 and 12: what options say")
struct OptionsTests {
    @Test("The token API sends the members that its clients decode, and no others")
    func tokenCreation() async throws {
        let begun = try await House().beginSignUp("ana@example.com")
        let json = begun.options.json
        #expect(
            json.members.map(\.name).sorted() == [
                "authenticatorSelection", "challenge", "pubKeyCredParams", "rp", "timeout", "user",
            ]
        )
        #expect(json["rp"] == ["id": "login.example.com", "name": "login.example.com"])
        #expect(json["timeout"] == 60000)
        #expect(json["authenticatorSelection"] == ["residentKey": "required", "userVerification": "preferred"])
        #expect(json["pubKeyCredParams"]?.array?.compactMap { $0.object?["alg"]?.integer } == [-8, -7, -257])
        let user = try #require(json["user"]?.object)
        #expect(user["name"] == "ana@example.com")
        #expect(user["displayName"] == "ana@example.com")
        let handle = try Base64URL.decode(try #require(user["id"]?.string))
        #expect(handle.count == 32)
        #expect(try Base64URL.decode(try #require(json["challenge"]?.string)).count == 32)
        // The session is another secret than the challenge.
        #expect(begun.session != json["challenge"]?.string)
        #expect(try Base64URL.decode(begun.session).count == 32)
    }

    @Test("The browser API sends all members of Level 3, and the challenge is the session")
    func browserCreation() async throws {
        let begun = try await House().beginSignUp("ana@example.com", at: .browser)
        let json = begun.options.json
        #expect(json["timeout"] == 300_000)
        #expect(json["excludeCredentials"] == [])
        #expect(json["hints"] == [])
        #expect(json["attestation"] == "none")
        #expect(json["extensions"] == ["credProps": true])
        #expect(
            json["authenticatorSelection"] == [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ]
        )
        #expect(json["challenge"]?.string == begun.session)
    }

    @Test("A connection's policy is in the options")
    func policy() async throws {
        let house = House {
            $0.tenant.relyingPartyNameSource = .friendlyName
            $0.tenant.friendlyName = "Acme"
            $0.options.passkey.algorithms = [-7]
            $0.options.passkey.attestation = .direct
            $0.options.passkey.authenticatorAttachment = .crossPlatform
            $0.options.passkey.userVerification = .discouraged
            $0.options.passkey.residentKey = .preferred
            $0.options.passkey.timeoutMilliseconds = 15000
            $0.options.passkey.hints = ["security-key"]
            $0.options.passkey.extensions = ["minPinLength": true]
        }
        let json = try await house.beginSignUp("ana@example.com").options.json
        #expect(json["rp"]?.object?["name"] == "Acme")
        #expect(json["attestation"] == "direct")
        #expect(json["hints"] == ["security-key"])
        #expect(json["extensions"] == ["minPinLength": true])
        #expect(json["timeout"] == 15000)
        #expect(
            json["authenticatorSelection"] == [
                "authenticatorAttachment": "cross-platform", "residentKey": "preferred",
                "userVerification": "discouraged",
            ]
        )
        let browser = try await house.beginSignUp("bo@example.com", at: .browser).options.json
        #expect(browser["extensions"] == ["minPinLength": true, "credProps": true])
        #expect(browser["authenticatorSelection"]?.object?["requireResidentKey"] == nil)
    }

    @Test("A sign-in's options name no credential where nobody was named")
    func request() async throws {
        let house = House()
        let token = try await house.beginLogin().options.json
        #expect(token.members.map(\.name).sorted() == ["challenge", "rpId", "timeout", "userVerification"])
        let browser = try await house.login.begin(
            at: .browser,
            realm: nil,
            client: house.client,
            in: house.context
        )
        #expect(browser.options.json["allowCredentials"] == [])
        #expect(browser.options.json["hints"] == [])
        #expect(browser.options.json["userVerification"] == "required")
        #expect(browser.options.json["challenge"]?.string == browser.session)
    }

    @Test("A session lives as long as the options and 30 s more, in autofill 15 minutes")
    func lifetimes() async throws {
        let house = House()
        let start = house.setting.now
        #expect(try await house.beginSignUp("ana@example.com").expiresAt == start.adding(seconds: 90))
        #expect(try await house.beginSignUp("ana@example.com", at: .browser).expiresAt == start.adding(seconds: 330))
        let conditional = try await house.login.begin(
            conditional: true,
            at: .browser,
            realm: nil,
            client: house.client,
            in: house.context
        )
        #expect(conditional.expiresAt == start.adding(seconds: 900))
    }

    @Test("The display name is the profile's, otherwise the identifier that comes first")
    func names() {
        let email = UserIdentifier(kind: .email, canonical: "a@b.example", entered: "A@b.example", isVerified: false)
        let phone = UserIdentifier(kind: .phoneNumber, canonical: "+46", entered: "+46", isVerified: false)
        let plain = AccountNames(identifiers: [phone, email], profile: UserProfile(), precedence: [.email])
        #expect(plain.name == "A@b.example")
        #expect(plain.displayName == "A@b.example")
        let named = AccountNames(
            identifiers: [email, phone],
            profile: UserProfile(name: "Ana"),
            precedence: [.phoneNumber, .email]
        )
        #expect(named.name == "+46")
        #expect(named.displayName == "Ana")
    }
}

@Suite("HTTP contract 3.4: the origins that may answer")
struct ExpectedOriginsTests {
    private func origins(
        _ domain: Domain,
        others: [Domain] = [],
        for relyingPartyID: String? = nil,
        _ change: (inout Client) -> Void = { _ in }
    ) -> [String] {
        let house = House {
            $0.domain = domain
            $0.otherDomains = others
            change(&$0.client)
        }
        return ExpectedOrigins.of(house.client, on: domain, for: relyingPartyID, in: house.context.configuration)
    }

    @Test("Under a legacy RP ID its own set answers as well as the domain's, and nobody else's")
    func legacy() {
        var domain = House.domain("id.new.test")
        domain.legacyRelyingPartyIDs = ["old.test"]
        domain.relatedOrigins = ["https://shop.test"]
        var old = House.domain("login.old.test", rpID: "old.test")
        old.relatedOrigins = ["https://partner.test"]
        let others = [old, House.domain("third.test")]
        func found(_ id: String?) -> [String] {
            origins(domain, others: others, for: id) {
                $0.webOrigins = ["https://app.old.test", "https://app.new.test", "https://app.id.new.test"]
                $0.mobile = MobileSettings(ios: .init(teamID: "ABCDE12345", bundleIdentifier: "com.example.app"))
            }
        }
        let own = ["https://id.new.test", "https://app.id.new.test", "https://shop.test"]
        #expect(Set(found(nil)) == Set(own))
        #expect(found("id.new.test") == found(nil))
        #expect(
            Set(found("old.test"))
                == Set(
                    own + [
                        "https://login.old.test", "https://app.old.test", "https://old.test", "https://partner.test",
                    ]
                )
        )
    }

    @Test("The domain's own host, and other ready ones with the RP ID")
    func hosts() {
        let pending = Domain(
            id: DomainID("cd_p"),
            tenant: House.tenant,
            host: "new.example.com",
            isCanonical: false,
            status: .pendingVerification,
            relyingPartyID: "example.com",
            createdAt: UnixTime(seconds: 0)
        )
        let found = origins(
            House.domain("login.example.com:8443", rpID: "example.com"),
            others: [
                House.domain("auth.example.com", rpID: "example.com"), House.domain("login.example.net"), pending,
            ]
        )
        #expect(found == ["https://login.example.com:8443", "https://auth.example.com"])
    }

    @Test("The client's own origins count only below the RP ID, over https, without a wildcard")
    func webOrigins() {
        let found = origins(House.domain("login.example.com", rpID: "example.com")) {
            $0.webOrigins = [
                "https://app.example.com", "https://example.com:8443", "http://app.example.com",
                "https://*.example.com", "https://evilexample.com", "https://example.com.evil.test",
                "https://evil.test/example.com", "https://user@evil.test",
            ]
            $0.allowedOrigins = ["https://app.example.com", "https://shop.example.com"]
        }
        #expect(
            found == [
                "https://login.example.com", "https://app.example.com", "https://example.com:8443",
                "https://shop.example.com",
            ]
        )
    }

    @Test("Apps: the RP ID for iOS, the certificate's hash for Android")
    func apps() {
        let found = origins(House.domain("login.example.com", rpID: "example.com")) {
            $0.mobile = MobileSettings(
                ios: .init(teamID: "ABCDE12345", bundleIdentifier: "com.example.app"),
                android: .init(packageName: "com.example.app", fingerprints: [[UInt8](repeating: 0xff, count: 32)])
            )
        }
        #expect(
            found == [
                "https://login.example.com", "https://example.com",
                "android:apk-key-hash:__________________________________________8",
            ]
        )
    }

    @Test("On localhost plain http counts too, with its port")
    func localhost() {
        let found = origins(House.domain("localhost:8080")) { $0.webOrigins = ["http://localhost:3000"] }
        #expect(found == ["https://localhost:8080", "http://localhost:8080", "http://localhost:3000"])
        let name = origins(House.domain("app.localhost:8080")) { $0.webOrigins = ["http://notlocalhost:3000"] }
        #expect(name == ["https://app.localhost:8080", "http://app.localhost:8080"])
    }

    @Test("Related origins are added as they are")
    func related() {
        var domain = House.domain("login.example.com")
        domain.relatedOrigins = ["https://shop.example"]
        #expect(origins(domain) == ["https://login.example.com", "https://shop.example"])
    }
}
