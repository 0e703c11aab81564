import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("11.6: custom domains")
struct ManagementDomainTests {
    private func make(_ manager: Administrator, _ host: String, _ more: JSONObject = [:]) async throws -> Answer {
        let made = try await manager.post(
            "custom-domains",
            .object(more.merging(["domain": .string(host), "type": "self_managed_certs"]))
        )
        try #require(made.status == 201, "\(made)")
        return made
    }

    private func id(_ answer: Answer) throws -> String { try #require(answer.string("custom_domain_id")) }

    /// Publishes the record that a domain asks for, at its name or another one.
    private func publish(_ answer: Answer, at name: String, _ house: House) throws {
        let methods = answer["verification"]?.object?["methods"]?.array
        let record = try #require(methods?.first?.object?["record"]?.string)
        house.publish(record, at: "_pk-verify." + name)
    }

    private func ready(_ manager: Administrator, _ house: House, _ host: String) async throws -> String {
        let made = try await make(manager, host)
        try publish(made, at: host, house)
        let id = try id(made)
        let verified = try await manager.post("custom-domains/\(id)/verify")
        try #require(verified.status == 200 && verified.string("status") == "ready", "\(verified)")
        return id
    }

    @Test("A domain is made, proven, read, listed, changed and deleted, and serves nothing before its proof")
    func life() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            #expect(try await manager.get("custom-domains").list.isEmpty)
            let made = try await make(
                manager,
                "id.acme.test",
                [
                    "tls_policy": "compatible", "domain_metadata": ["a": "b"],
                    "custom_client_ip_header": "x-forwarded-for",
                ]
            )
            let id = try id(made)
            #expect(id.hasPrefix("cd_") && id.utf8.count == 19)
            #expect(
                made.json.members.map(\.name) == [
                    "custom_domain_id", "domain", "primary", "is_default", "status", "verification",
                    "relying_party_identifier", "legacy_relying_party_identifiers", "related_origins", "type",
                    "tls_policy", "custom_client_ip_header", "domain_metadata", "created_at",
                ]
            )
            #expect(made.string("status") == "pending_verification" && made.string("domain") == "id.acme.test")
            #expect(made["domain_metadata"] == ["a": "b"] && made["primary"] == true && made["is_default"] == true)
            #expect(try await house.send(Ask.get("/.well-known/jwks.json").set(\.host, "id.acme.test")).status == 404)

            let early = try await manager.post("custom-domains/\(id)/verify")
            #expect(early.status == 200 && early.string("status") == "pending_verification", "\(early)")
            #expect(early["verification"]?.object?["status"] == "failed")
            #expect(early["verification"]?.object?["error_msg"]?.string?.contains("_pk-verify.id.acme.test") == true)
            try publish(made, at: "id.acme.test", house)
            let verified = try await manager.post("custom-domains/\(id)/verify")
            #expect(verified.string("status") == "ready", "\(verified)")
            #expect(verified["verification"]?.object?["last_verified_at"] != nil)
            #expect(try await house.send(Ask.get("/.well-known/jwks.json").set(\.host, "id.acme.test")).status == 200)

            let changed = try await manager.patch(
                "custom-domains/\(id)",
                ["related_origins": ["https://Shop.test/"], "domain_metadata": nil]
            )
            #expect(changed["related_origins"] == ["https://shop.test"] && changed["domain_metadata"] == [:])
            #expect(try await manager.get("custom-domains/\(id)").json == changed.json)
            house.pass(seconds: 1)
            let second = try await make(manager, "b.acme.test")
            #expect(second["is_default"] == false)
            #expect(try await manager.get("custom-domains").names("domain") == ["id.acme.test", "b.acme.test"])
            let all = try await manager.get("custom-domains?include_canonical=true&take=5")
            #expect(all.names("domain", in: "custom_domains").sorted() == ["b.acme.test", "id.acme.test", House.host])
            let page = try await manager.get("custom-domains?take=1&fields=domain")
            #expect(page["custom_domains"] == [["domain": "id.acme.test"]], "\(page)")
            let next = try #require(page.string("next"))
            let rest = try await manager.get("custom-domains?take=1&from=\(next)")
            #expect(rest.names("domain", in: "custom_domains") == ["b.acme.test"] && rest["next"] == nil)

            #expect(try await manager.delete("custom-domains/\(id)").status == 204)
            expect(
                try await manager.get("custom-domains/\(id)"),
                404,
                "inexistent_custom_domain",
                "The custom domain ID does not exist"
            )
            #expect(try await house.send(Ask.get("/.well-known/jwks.json").set(\.host, "id.acme.test")).status == 404)
        }
    }

    @Test("What is wrong is named; a taken name is a conflict; the canonical domain is not among them")
    func refusals() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = try await ready(manager, house, "id.acme.test")
            func refused(_ answer: Answer, _ word: String, status: Int = 400, code: String = "invalid_body") {
                #expect(answer.status == status && answer.string("errorCode") == code, "\(answer)")
                #expect(answer.string("message")?.contains(word) == true, "\(answer)")
            }
            func post(_ body: JSONObject) async throws -> Answer {
                try await manager.post("custom-domains", .object(body))
            }
            refused(try await post(["type": "self_managed_certs"]), "domain")
            refused(try await post(["domain": "a.test"]), "type")
            refused(try await post(["domain": "a.test", "type": "x"]), "type")
            refused(try await post(["domain": "a.test", "type": "self_managed_certs", "x": 1]), "x")
            for host in ["https://a.test", "127.0.0.1", "a..test", "*.a.test"] {
                refused(try await post(["domain": .string(host), "type": "self_managed_certs"]), "domain")
            }
            let again: JSONObject = ["domain": "ID.acme.test", "type": "self_managed_certs"]
            refused(try await post(again), "exists", status: 409, code: "conflict")
            let parent: JSONObject = [
                "domain": "c.acme.test", "type": "self_managed_certs", "relying_party_identifier": "acme.test",
            ]
            refused(try await post(parent), "once the domain is verified")
            _ = try await house.otherTenant()
            let others: JSONObject = ["domain": "login.other.example", "type": "self_managed_certs"]
            refused(try await post(others), "exists", status: 409, code: "conflict")

            for (members, word): (JSONObject, String) in [
                (["domain": "x.test"], "domain"), (["status": "ready"], "status"),
                (["related_origins": "https://a.test"], "related_origins"), (["related_origins": ["a.test"]], "origin"),
                (["relying_party_identifier": "test"], "public suffix"),
                (["relying_party_identifier": "other.test"], "parent"),
                (["relying_party_identifier": "acme.test"], "_pk-verify.acme.test"),
                (["legacy_relying_party_identifiers": ["elsewhere.test"]], "_pk-verify.elsewhere.test"),
                (["related_origins": .array((1...6).map { .string("https://a\($0).test") })], "at most 5"),
            ] {
                refused(try await manager.patch("custom-domains/\(id)", .object(members)), word)
            }
            let canonical = try #require(
                try await house.store.configuration(of: house.app.tenant)?.domains.first { $0.isCanonical }
            )
            #expect(try await manager.get("custom-domains/\(canonical.id.text)").status == 404)
            #expect(try await manager.delete("custom-domains/\(canonical.id.text)").status == 404)
            #expect(try await manager.get("custom-domains/\(id)?x=1").string("errorCode") == "invalid_query_string")
            let reader = try await Administrator(house, scope: "read:custom_domains")
            #expect(try await reader.post("custom-domains/\(id)/verify").status == 403)
        }
    }

    /// Applies the tenant's file without these custom domains, deletion allowed.
    private func applyWithout(_ hosts: [String], _ manager: Administrator) async throws -> Answer {
        let exported = try await manager.get("tenant-file")
        var file = exported.json
        let kept = (file["customDomains"]?.array ?? []).filter { domain in
            !hosts.contains { domain.object?["domain"] == .string($0) }
        }
        file.set("customDomains", .array(kept))
        let plan = try await manager.post(
            "tenant-file/plan",
            ["file": .object(file), "allow_delete": true]
        )
        let gone = (plan["changes"]?.array ?? []).filter { $0.object?["op"] == "delete" }
        #expect(gone.compactMap { $0.object?["name"]?.string } == hosts, "\(plan)")
        return try await manager.post(
            "tenant-file/apply",
            ["file": .object(file), "allow_delete": true, "version": exported["version"] ?? .null]
        )
    }

    @Test("A file takes domains away with allow_delete alone, each named, and never the first")
    func byFile() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            _ = try await ready(manager, house, "id.acme.test")
            _ = try await make(manager, "b.acme.test")
            var file = try await manager.get("tenant-file").json
            file.set("customDomains", [])
            let plan = try await manager.post("tenant-file/plan", ["file": .object(file)])
            #expect(plan["changes"] == [], "\(plan)")
            let applied = try await applyWithout(["b.acme.test", "id.acme.test"], manager)
            #expect(applied.status == 200, "\(applied)")
            #expect(try await manager.get("custom-domains").list.isEmpty)
            #expect(try await house.send(Ask.get("/.well-known/jwks.json").set(\.host, "id.acme.test")).status == 404)
            let reader = try await Administrator(
                house,
                scope: "read:tenant_settings%20read:clients%20read:connections%20read:resource_servers%20"
                    + "read:client_grants%20read:custom_domains%20create:custom_domains"
            )
            _ = try await make(manager, "c.acme.test")
            let refused = try await applyWithout(["c.acme.test"], reader)
            expect(
                refused,
                403,
                "insufficient_scope",
                "Insufficient scope, expected all of: delete:custom_domains"
            )
        }
    }

    @Test("One is the default, and the canonical domain takes that back")
    func defaults() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            #expect(try await manager.get("custom-domains/default").string("domain") == House.host)
            _ = try await ready(manager, house, "a.acme.test")
            _ = try await ready(manager, house, "b.acme.test")
            #expect(try await manager.get("custom-domains/default").string("domain") == "a.acme.test")
            let set = try await manager.patch("custom-domains/default", ["domain": "b.acme.test"])
            #expect(set.status == 200 && set["is_default"] == true && set["primary"] == true, "\(set)")
            #expect(try await manager.get("custom-domains").list.filter { $0["is_default"] == true }.count == 1)
            _ = try await manager.patch("custom-domains/default", ["domain": .string(House.host)])
            #expect(try await manager.get("custom-domains/default").string("domain") == House.host)
            #expect(try await manager.patch("custom-domains/default", ["domain": "x.test"]).status == 400)
            #expect(try await manager.patch("custom-domains/default", [:]).status == 400)
        }
    }

    @Test("A tenant moves: old passkeys sign in by rp_id, new ones are made, and the old name goes at the end")
    func move() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = try await ready(manager, house, "id.new.test")
            var ana = Person(house)
            let made = try await ana.register("ana@example.com")
            #expect(made.status == 200, "\(made)")
            let moved = try await manager.patch(
                "custom-domains/\(id)",
                ["legacy_relying_party_identifiers": ["example.com"]]
            )
            #expect(moved.status == 200, "\(moved)")

            func ask(_ path: String, _ body: JSONObject) async throws -> Answer {
                try await house.send(
                    Ask.json(path, body.merging(["client_id": .string(house.app.id.text)]))
                        .set(\.host, "id.new.test").with("Origin", "https://id.new.test")
                )
            }
            func begin(_ more: JSONObject) async throws -> Answer { try await ask("/login/options", more) }
            #expect(try await begin([:]).string("rpId") == "id.new.test")
            #expect(try await begin(["rp_id": "id.new.test"]).string("rpId") == "id.new.test")
            expect(
                try await begin(["rp_id": "other.test"]),
                400,
                "invalid_request",
                "Invalid parameter: rp_id",
                "invalid_parameter"
            )
            let native = try await ask("/passkey/challenge", ["rp_id": "example.com"])
            #expect(native["authn_params_public_key"]?.object?["rpId"] == "example.com", "\(native)")

            // Who comes back to the new place with the old passkey; its list is of that RP ID.
            let options = try await begin(["rp_id": "example.com", "username": "ana@example.com"])
            #expect(options.string("rpId") == "example.com")
            #expect(options["allowCredentials"]?.array?.count == 1)
            let answer = try ana.authenticator.get(options.json, origin: "https://id.new.test")
            let session = try #require(options.header("x-auth-session"))
            let signedIn = try await ask("/login/verify", answer.merging(["auth_session": .string(session)]))
            #expect(signedIn.status == 200, "\(signedIn)")
            func coverage() async throws -> JSONObject? {
                let answer = try await manager.get("custom-domains/\(id)/relying-parties?users=5")
                #expect(answer.string("relying_party_identifier") == "id.new.test", "\(answer)")
                return answer["legacy"]?.array?.first?.object
            }
            let before = try await coverage()
            #expect(before?["users"] == 1 && before?["covered"] == 0 && before?["covered_percent"]?.number == 0)
            #expect(before?["left_behind"]?.array?.first?.object?["name"] == "ana@example.com")
            let early = try await manager.patch("custom-domains/\(id)", ["legacy_relying_party_identifiers": []])
            #expect(early.status == 409 && early.string("message")?.contains("1 of 1 users") == true, "\(early)")

            // A passkey for the new name, in the same session.
            let bearer = try #require(signedIn.string("token"))
            let creation = try await house.send(
                Ask.json("/register/options", ["client_id": .string(house.app.id.text)]).set(\.host, "id.new.test")
                    .with("Authorization", "Bearer " + bearer)
            )
            #expect(
                creation["rp"]?.object?["id"] == "id.new.test" && creation["excludeCredentials"] == [],
                "\(creation)"
            )
            let credential = try ana.authenticator.create(creation.json, origin: "https://id.new.test")
            let enrolled = try await house.send(
                Ask.json("/register/verify", credential.merging(["client_id": .string(house.app.id.text)]))
                    .set(\.host, "id.new.test").with("Authorization", "Bearer " + bearer)
                    .with("X-Auth-Session", creation.header("x-auth-session"))
            )
            #expect(enrolled.status == 200, "\(enrolled)")
            let after = try await coverage()
            #expect(after?["covered"] == 1 && after?["covered_percent"]?.number == 100 && after?["left_behind"] == [])
            let cut = try await manager.patch("custom-domains/\(id)", ["legacy_relying_party_identifiers": []])
            #expect(cut.status == 200 && cut["legacy_relying_party_identifiers"] == [], "\(cut)")
            #expect(try await begin(["rp_id": "example.com"]).reason == "invalid_parameter")
        }
    }

    @Test("The RP ID is left only by force while it has passkeys; a ceremony that had begun under it ends")
    func force() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = try await ready(manager, house, "id.new.test")
            func ask(_ path: String, _ body: JSONObject) -> Ask {
                Ask.json(path, body.merging(["client_id": .string(house.app.id.text)])).set(\.host, "id.new.test")
            }
            var ana = Person(house)
            let options = try await house.send(ask("/register/options", ["username": "ana@example.com"]))
            let answer = try ana.authenticator.create(options.json, origin: "https://id.new.test")
            func verify(_ options: Answer, _ answer: JSONObject) async throws -> Answer {
                try await house.send(
                    ask("/register/verify", answer).with("X-Auth-Session", options.header("x-auth-session"))
                )
            }
            #expect(try await verify(options, answer).status == 200)
            let late = try await house.send(ask("/register/options", ["username": "bo@example.com"]))
            let second = try ana.authenticator.create(late.json, origin: "https://id.new.test")
            let domain = try await manager.get("custom-domains/\(id)")
            try publish(domain, at: "new.test", house)
            let body: JSONValue = ["relying_party_identifier": "new.test"]
            let refused = try await manager.patch("custom-domains/\(id)", body)
            #expect(refused.status == 409 && refused.string("errorCode") == "conflict", "\(refused)")
            #expect(try await manager.delete("custom-domains/\(id)").status == 409)
            let byFile = try await applyWithout(["id.new.test"], manager)
            #expect(byFile.status == 409 && byFile.string("errorCode") == "conflict", "\(byFile)")
            #expect(try await manager.patch("custom-domains/\(id)?force=true", body).status == 200)
            #expect(try await verify(late, second).reason == "auth_session_invalid")
            #expect(try await manager.delete("custom-domains/\(id)").status == 204)
        }
    }
}

extension JSONObject {
    /// The same with the members of `other` set.
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for member in other.members { merged.set(member.name, member.value) }
        return merged
    }
}
