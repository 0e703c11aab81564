import Encodings
import SoftwareAuthenticator
import Testing

/// Design §4: nothing of one tenant is known in another, and asking tells nothing.
@Suite("The wall between tenants", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct TenantWallTests {
    @Test("At every route that is served, another tenant's things are answered as things that do not exist")
    func everyRoute() async throws {
        let server = try await LatchkeyServer.start()
        let ours = try await Party.make("ours", on: server)
        let theirs = try await Party.make("theirs", on: server)
        let routes = try await ServedRoutes.all()
        let names = Set(routes.map { "\($0.method) \($0.path)" })
        #expect(names.count >= 21)
        for name in names.sorted() where WallCases.byRoute[name]?.isEmpty != false {
            Issue.record("\(name) has no case: say in WallCases.byRoute which things of another tenant it can name")
        }
        let gone = Set(WallCases.byRoute.keys).subtracting(names).sorted()
        #expect(gone.isEmpty, "these routes are not served")

        var asked = 0
        for route in routes {
            let name = "\(route.method) \(route.path)"
            for probe in WallCases.byRoute[name, default: []] + WallCases.general(route) {
                let real = try await answer(probe, theirs.ids, ours)
                let madeUp = try await answer(probe, try theirs.ids.madeUp(), ours)
                #expect(real == madeUp, "\(name): \(probe.name)")
                asked += 1
            }
        }
        #expect(asked >= names.count * 8)
        try await expectUntouched(theirs)
        try await server.stop()
    }

    /// What can be told of an answer, without what differs each time.
    private struct Told: Hashable, CustomStringConvertible {
        let status: Int
        let headers: [String]
        let body: String

        var description: String { "\(status) \(headers.joined(separator: " | "))\n\(body)" }
    }

    private func answer(_ probe: WallProbe, _ them: Belongings, _ ours: Party) async throws -> Told {
        let request = try await probe.request(ours, them)
        let response = try await ours.site.send(request)
        let sent = String(decoding: request.bytes(host: ours.site.host), as: UTF8.self)
        for text in them.texts where !sent.contains(text) {
            #expect(!response.description.contains(text), "\(probe.name): \(text) leaked\n\(response)")
        }
        return told(response, but: them.texts)
    }

    /// What `response` tells, but for `texts`: what was asked with, which an answer may repeat.
    private func told(_ response: Response, but texts: [String]) -> Told {
        let volatile = ["date", "x-request-id", "x-ceremony-id", "x-auth-session", "set-cookie", "content-length"]
        let headers = response.headers.map { header in
            let name = header.name.lowercased()
            // A sign-in that begins has a text of its own each time.
            if name == "location", let start = header.value.firstRange(of: "/u/login?state=") {
                return "location: \(header.value[..<start.upperBound])*"
            }
            guard volatile.contains(name) else { return "\(name): \(Self.without(texts, header.value))" }
            // Of a cookie, everything but its value.
            let rest = name == "set-cookie" ? header.value.drop { $0 != ";" } : ""
            let cookie = name == "set-cookie" ? header.value.prefix { $0 != "=" } : ""
            return "\(name): \(cookie)*\(rest)"
        }
        // What happened lately to our own user is written down a moment later.
        var body = response.text.replacing(/<ul class="events">[\s\S]*?<\/ul>/, with: "*")
        if let object = try? JSON.parse(response.body[...]).object {
            body = String(decoding: JSONValue.object(Self.steady(object)).serialized(), as: UTF8.self)
        }
        return Told(status: response.status, headers: headers.sorted(), body: Self.without(texts, body))
    }

    private static func without(_ texts: [String], _ told: String) -> String {
        texts.reduce(told) { $0.replacing($1, with: "*") }
    }

    /// Without ids and challenges, which are new each time, and with one made-up passkey for however many.
    private static func steady(_ object: JSONObject) -> JSONObject {
        var copy = JSONObject()
        for member in object.members {
            switch (member.name, member.value) {
            case ("trace_id", .string), ("challenge", .string), ("auth_session", .string), ("id", .string),
                ("recovery_session", .string),
                // Of a key that was made in vain: what the request itself said.
                ("credentialId", .string):
                copy.set(member.name, "*")
            case ("allowCredentials", .array(let list)):
                copy.set(member.name, list.isEmpty ? [] : ["*"])
            case (_, .object(let inner)):
                copy.set(member.name, .object(steady(inner)))
            default: copy.set(member.name, member.value)
            }
        }
        return copy
    }

    /// Whatever was tried with them, everything of theirs is as it was.
    private func expectUntouched(_ theirs: Party) async throws {
        let ids = theirs.ids
        let me = try await theirs.site.send(
            Request.get("/api/me").with("Origin", theirs.webOrigin).with("Cookie", "__Host-pk_session=\(ids.cookie)")
        )
        #expect(me.status == 200, "the session\n\(me)")
        let info = Request.get("/userinfo").with("Authorization", "Bearer \(ids.accessToken)")
        #expect(try await theirs.site.send(info).status == 200, "the access token")
        #expect(try await theirs.app.refresh(ids.refreshToken).status == 200, "the refresh token")
        for session in [ids.session, ids.signUpSession] {
            let taken = try await theirs.site.send(theirs.app.tokenRequest(session, ["id": "x"]))
            #expect(taken.string("reason") != "auth_session_invalid", "the ceremony still waits\n\(taken)")
        }
    }
}
