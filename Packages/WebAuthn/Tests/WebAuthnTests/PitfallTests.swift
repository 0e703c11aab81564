import Encodings
import Testing
import WebAuthn

@Suite("Known pitfalls of one ceremony", .enabled(if: SharedVectors.areThere, SharedVectors.skipped))
struct PitfallTests {
    private static let members: Set<String> = [
        "id", "operation", "rpId", "origins", "topOrigins", "challenge", "requireUserVerification", "conditionalCreate",
        "pubKeyCredParams", "allowCredentials", "userIdentified", "attestationPreference", "storedCredential",
        "credential", "expect", "expectRecord", "reason", "kind", "firmness", "sources",
    ]
    /// The refusal that the cases of a kind must meet, by kind.
    private static let usual: [String: String] = [
        "ext-ed-flag": "invalid_authn_response",
        "userhandle-empty": "user_handle_mismatch",
        "android-origin": "origin_mismatch",
        "origin-lookalike": "origin_mismatch",
        "rpid-parent-port": "rp_id_mismatch",
        "clientdata-malformed": "invalid_authn_response",
        "cross-origin": "cross_origin",
        "base64url": "invalid_authn_response",
        "none-attstmt": "invalid_authn_response",
        "cbor-bomb": "invalid_authn_response",
        "credid-length": "invalid_authn_response",
        "ec-key": "invalid_authn_response",
        "rsa-key": "invalid_authn_response",
        "alg-offered": "algorithm_not_allowed",
        "up-uv-flags": "user_verification_missing",
        "conditional-create": "user_presence_missing",
        "backup-flags": "backup_flags_invalid",
        "sign-count": "counter_regression",
        "packed-attestation": "attestation_invalid",
        "challenge-type-binding": "challenge_mismatch",
        "truncated-authdata": "invalid_authn_response",
    ]
    /// The same for single cases that differ from their kind.
    private static let single: [String: String] = [
        "uh-absent-discoverable": "invalid_authn_response",
        "uh-empty-discoverable": "invalid_authn_response",
        "android-rpidhash-of-facet": "rp_id_mismatch",
        "rpid-localhost-other-port": "origin_mismatch",
        "cdbad-type-case": "type_mismatch",
        "cross-allowed-origin-bad": "origin_mismatch",
        "cross-string": "invalid_authn_response",
        "cross-number": "invalid_authn_response",
        "b64-challenge-padded": "challenge_mismatch",
        "b64-challenge-std-c": "challenge_mismatch",
        "none-filled": "attestation_invalid",
        "none-sig": "attestation_invalid",
        "none-fmt-case": "authenticator_not_allowed",
        "rsa-e-1-forged": "signature_invalid",
        "rsa-sig-short": "signature_invalid",
        "rsa-sig-sha1-oid": "signature_invalid",
        "rsa-sig-pss": "signature_invalid",
        "alg-text": "invalid_authn_response",
        "up-missing": "user_presence_missing",
        "up-missing-uv-off": "user_presence_missing",
        "up-reg-missing": "user_presence_missing",
        "uv-flag-tampered": "signature_invalid",
        "cond-uv-required": "user_verification_missing",
        "type-create-at-login": "type_mismatch",
        "type-payment": "type_mismatch",
        "type-u2f": "type_mismatch",
        "type-get-at-reg": "type_mismatch",
    ]

    @Test("All cases are answered as they say, for the reason that they name")
    func answers() throws {
        let cases = try SharedVectors.cases("pitfalls")
        #expect(cases.count == 292)
        for pitfall in cases {
            let id = try pitfall.text("id")
            pitfall.expectOnly(Self.members, id)
            let answer = try VectorRunner().answer("ceremony", id, pitfall)
            let verdict = try answer.text("verdict")
            #expect(verdict == (try pitfall.text("expect")), "\(id): \(answer)")
            if verdict == "accept" {
                let record = try answer.object("record")
                for member in pitfall["expectRecord"]?.object?.members ?? [] {
                    #expect(record[member.name] == member.value, "\(id): \(member.name)")
                }
            } else {
                let reason = try Self.single[id] ?? Self.usual[pitfall.text("kind")]
                #expect(answer["reason"]?.string == reason, "\(id): \(answer)")
                let steps = CeremonyReason(rawValue: reason ?? "")?.steps ?? []
                #expect(steps.contains(try answer.text("step")), "\(id): \(answer)")
            }
        }
    }

    @Test("The stored key is the COSE item's own bytes, whatever stands after it")
    func storedKey() throws {
        for pitfall in try SharedVectors.cases("pitfalls") where try pitfall.text("id").hasPrefix("ext-reg-at-ed") {
            let id = try pitfall.text("id")
            let answer = try VectorRunner().answer("ceremony", id, pitfall)
            guard try answer.text("verdict") == "accept" else { continue }
            let key = try Base64URL.decode(try answer.object("record").text("publicKey"))
            #expect(throws: Never.self, "\(id)") { try Decoding.cbor(key) }
        }
    }
}
