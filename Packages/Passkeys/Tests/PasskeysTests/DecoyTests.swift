import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 12.3: names cannot be probed")
struct DecoyTests {
    private let decoys = DecoyCredentials(key: House.decoyKey)

    private func list(_ name: String, rpID: String = "login.example.com") -> [CredentialDescriptor] {
        decoys.list(for: name, in: House().connection, relyingPartyID: rpID)
    }

    @Test("A made-up list is the same each time, also after a restart, and another for each name and place")
    func stable() {
        let list = list("nobody@example.com")
        let again = DecoyCredentials(key: House.decoyKey)
        #expect(
            again.list(for: "nobody@example.com", in: House().connection, relyingPartyID: "login.example.com") == list
        )
        #expect(self.list("other@example.com") != list)
        #expect(self.list("nobody@example.com", rpID: "example.com") != list)
        let other = DecoyCredentials(key: [UInt8](repeating: 8, count: 32))
        #expect(
            other.list(for: "nobody@example.com", in: House().connection, relyingPartyID: "login.example.com") != list
        )
    }

    @Test("Made-up ids look like those of real providers")
    func plausible() {
        var lengths: Set<Int> = []
        var counts: Set<Int> = []
        for number in 0..<200 {
            let list = list("user\(number)@example.com")
            counts.insert(list.count)
            for descriptor in list {
                lengths.insert(descriptor.id.count)
                #expect(descriptor.transports.contains("internal"))
            }
        }
        #expect(lengths == [16, 20, 32])
        #expect(counts == [1, 2])
    }

    @Test("A made-up id is known again; one with a flipped bit, and random bytes, are not")
    func recognized() {
        for number in 0..<20 {
            for descriptor in list("user\(number)@example.com") {
                #expect(decoys.recognizes(descriptor.id))
                for bit in 0..<descriptor.id.count * 8 {
                    var spoiled = descriptor.id
                    spoiled[bit / 8] ^= 1 << UInt8(bit % 8)
                    #expect(!decoys.recognizes(spoiled))
                }
            }
        }
        #expect(!decoys.recognizes([]))
        #expect(!decoys.recognizes([UInt8](repeating: 0, count: 32)))
        #expect(!decoys.recognizes([UInt8](repeating: 0, count: 1023)))
    }

    @Test("A name with a passkey, one without and an unknown one get answers of one look, by the same reads")
    func sameLook() async throws {
        let house = House()
        var phone = Authenticator()
        var tablet = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        try await house.signUp("bare@example.com", &tablet)
        house.store.change { state in
            state.passkeys.removeAll { $0.record.id == tablet.credentials.first?.id }
        }
        for name in ["ana@example.com", "bare@example.com", "nobody@example.com", "no name at all", ""] {
            let before = house.store.now.reads
            let begun = try await house.beginLogin(name)
            #expect(house.store.now.reads - before == 2)
            let json = begun.options.json
            #expect(
                json.members.map(\.name) == [
                    "challenge", "timeout", "rpId", "allowCredentials", "userVerification", "hints", "extensions",
                ]
            )
            let list = try #require(json["allowCredentials"]?.array)
            #expect(!list.isEmpty)
            for entry in list {
                #expect(entry.object?.members.map(\.name) == ["type", "id", "transports"])
            }
        }
    }

    @Test("A made-up id is answered like a wrong signature, in its own ceremony and in any other")
    func answeredAsWrongSignature() async throws {
        let house = House()
        let decoy = try #require(try await house.beginLogin("nobody@example.com").options.allowCredentials?.first)
        var phone = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        // The authenticator claims the made-up id, everything else being right.
        let mine = try #require(phone.credentials.first)
        phone.credentials = [
            SoftwareCredential(
                id: decoy.id,
                rpID: mine.rpID,
                userHandle: mine.userHandle,
                algorithm: mine.algorithm,
                key: mine.key
            )
        ]
        for name in ["nobody@example.com", nil] {
            let refused = await refusal { _ = try await house.verifyLogin(&phone, username: name) }
            #expect(refused?.error.reason == .signatureInvalid)
            #expect(refused?.unknownCredential == nil)
        }
    }
}
