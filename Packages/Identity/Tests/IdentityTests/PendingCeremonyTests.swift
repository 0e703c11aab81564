import Encodings
import Identity
import Testing
import WebAuthn

@Suite("A pending ceremony goes to a cache outside the process and comes back")
struct PendingCeremonyTests {
    private static let user = UserID(now: UnixTime(seconds: 5), random: Array(1...8))
    private static let registration = IssuedRegistration(
        challenge: Array(0..<32),
        rpID: "a.example",
        origins: ["https://a.example"],
        algorithms: []
    )
    private static let authentication = IssuedAuthentication(
        challenge: Array(0..<32),
        rpID: "a.example",
        origins: ["https://a.example"]
    )
    private static let account = NewAccount(
        identifiers: [
            UserIdentifier(kind: .email, canonical: "ana@a.example", entered: "Ana@A.example", isVerified: false),
            UserIdentifier(kind: .phoneNumber, canonical: "+4912", entered: "+49 12", isVerified: true),
        ],
        profile: UserProfile(
            name: "Ana \"Ö\"\u{0}",
            givenName: "Ana",
            familyName: "B",
            nickname: "an",
            picture: "https://a.example/p.png",
            userMetadata: ["a": ["b": 1.5]],
            appMetadata: ["c": nil]
        ),
        userHandle: Array(0..<32)
    )
    private static let session = SessionID(TimeOrderedID(now: UnixTime(seconds: 5), random: Array(1...10)))

    static let purposes: [PendingCeremony.Purpose] = [
        .signup(registration, account, .browser),
        .signup(registration, NewAccount(identifiers: [], profile: UserProfile(), userHandle: []), .token),
        .enroll(registration, user: user, userHandle: [9, 8], session: session, .token),
        .login(authentication, .token, named: .nobody),
        .login(authentication, .browser, named: .user(user)),
        .login(authentication, .browser, named: .unknown),
    ]

    private func pending(_ purpose: PendingCeremony.Purpose) -> PendingCeremony {
        PendingCeremony(
            id: CeremonyID(TimeOrderedID(now: UnixTime(seconds: 7), random: Array(1...10))),
            tenant: TenantID(number: .max),
            client: ClientID("client"),
            connection: ConnectionID("con_1"),
            domainHost: "login.a.example:8443",
            purpose: purpose,
            startedAt: UnixTime(milliseconds: 1_700_000_000_123),
            expiresAt: UnixTime(milliseconds: 1_700_000_300_123)
        )
    }

    @Test("Every kind comes back as it was", arguments: purposes)
    func roundTrip(_ purpose: PendingCeremony.Purpose) {
        #expect(PendingCeremony(decoding: pending(purpose).encoded) == pending(purpose))
    }

    @Test("A field more has to be written and read too")
    func fields() {
        #expect(Mirror(reflecting: pending(Self.purposes[0])).children.count == 8)
        #expect(Mirror(reflecting: Self.account).children.count == 3)
        #expect(Mirror(reflecting: Self.account.profile).children.count == 7)
        #expect(Mirror(reflecting: Self.account.identifiers[0]).children.count == 4)
    }

    @Test("Bytes that are cut short, and those of another form, are no ceremony", arguments: purposes)
    func damaged(_ purpose: PendingCeremony.Purpose) throws {
        let bytes = pending(purpose).encoded
        for count in bytes.indices { #expect(PendingCeremony(decoding: Array(bytes[..<count])) == nil) }
        var json = try #require(try JSON.parse(bytes, allowingNUL: true).object)
        json.set("v", 2)
        #expect(PendingCeremony(decoding: JSONValue.object(json).serialized()) == nil)
    }

    @Test("No flipped bit traps")
    func flipped() {
        for purpose in Self.purposes {
            let bytes = pending(purpose).encoded
            for index in bytes.indices {
                for bit in 0..<8 {
                    var spoilt = bytes
                    spoilt[index] ^= 1 << bit
                    _ = PendingCeremony(decoding: spoilt)
                }
            }
        }
    }
}
