import Encodings
import Testing
import WebAuthn

@Suite("Vectors of metadata BLOBs", .enabled(if: SharedVectors.areThere, SharedVectors.skipped))
struct MetadataVectorTests {
    @Test("Every case is answered as it says")
    func answers() throws {
        for vector in try SharedVectors.cases("mds3") {
            let id = try vector.text("id")
            vector.expectOnly(["id", "operation", "input", "expected"], id)
            let expected = try vector.object("expected")
            expected.expectOnly(["verdict", "reason", "no", "nextUpdate", "entries"], id)
            let answer = try VectorRunner().answer("mds3", id, try vector.object("input"))
            let verdict = try answer.text("verdict")
            switch try expected.text("verdict") {
            case "either": #expect(["accept", "reject"].contains(verdict), "\(id)")
            case let wanted: #expect(verdict == wanted, "\(id): \(answer)")
            }
            guard verdict == "accept", expected["entries"] != nil else { continue }
            #expect(answer["no"] == expected["no"], "\(id)")
            #expect(answer["nextUpdate"] == expected["nextUpdate"], "\(id)")
            let entries = try #require(answer["entries"]?.array).map { entry -> JSONValue in
                var object = entry.object ?? JSONObject()
                object.remove("compromise")
                return .object(object)
            }
            #expect(.array(entries) == expected["entries"], "\(id)")
        }
    }

    @Test(
        "Each refusal has its reason",
        arguments: [
            ("mds3-rollback", "metadata_rollback"), ("mds3-untrusted-root", "metadata_signer_untrusted"),
            ("mds3-no-x5c", "metadata_signature_invalid"), ("mds3-x5c-leaf-only", "metadata_signer_untrusted"),
            ("mds3-alg-mismatch", "metadata_signature_invalid"), ("mds3-payload-no-entries", "metadata_malformed"),
            ("mds3-two-segments", "metadata_malformed"), ("mds3-empty", "metadata_malformed"),
        ]
    )
    func reasons(_ id: String, _ reason: String) throws {
        let vector = try #require(try SharedVectors.cases("mds3").first { $0["id"]?.string == id })
        #expect(try VectorRunner().answer("mds3", id, try vector.object("input")).text("reason") == reason)
    }

    @Test("A compromise is reported, and an unknown status is none")
    func compromises() throws {
        let vector = try #require(try SharedVectors.cases("mds3").first { $0["id"]?.string == "mds3-statuses" })
        let answer = try VectorRunner().answer("mds3", "mds3-statuses", try vector.object("input"))
        let compromises = try #require(answer["entries"]?.array).map { $0.object?["compromise"]?.string }
        #expect(compromises == [nil, "ATTESTATION_KEY_COMPROMISE", "USER_VERIFICATION_BYPASS"])
    }
}
