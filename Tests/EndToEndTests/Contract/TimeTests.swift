import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// A server whose clock the test moves forward, by a library that answers for the system.
@Suite(
    "What ends by time",
    .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"),
    .enabled(if: FileManager.default.fileExists(atPath: MovedClock.library), "needs the Debian package faketime")
)
struct TimeTests {
    @Test("A ceremony, an access token, a session and a refresh token each end at their time")
    func ends() async throws {
        let clock = try MovedClock()
        let server = try await LatchkeyServer.start(clock.environment)
        let site = try await Site.make("acme", on: server, domain: "login.acme.example")
        let app = try await site.client("App")
        var visitor = Visitor(app, origin: site.origin)
        var authenticator = Authenticator()
        let tokens = try await app.signUp(with: &authenticator)
        let bearer = Request.get("/userinfo").with("Authorization", "Bearer \(try tokens.token("access_token"))")
        #expect(try await visitor.register(uniqueEmail()).status == 200)

        // timeout and 30 s of grace: 90 s.
        let late = try await app.challenge()
        let onTime = try await app.challenge()
        try clock.move(to: 85)
        #expect(try await app.redeem(onTime, try authenticator.get(onTime.options, origin: site.origin)).status == 200)
        try clock.move(to: 95)
        expect(try await app.redeem(late, try authenticator.get(late.options, origin: site.origin)), is: .session)

        // A login that autofill waits for: 15 minutes.
        let options = try await visitor.post("/login/options", visitor.client.merging(["mediation": "conditional"]))
        try clock.move(to: 95 + 14 * 60)
        let answer = try visitor.authenticator.get(options.json, origin: site.origin)
        let session = options.header("x-auth-session")
        #expect(try await visitor.post("/login/verify", answer.merging(visitor.client), session: session).status == 200)

        // The fresh proof: 900 s since the last authentication.
        #expect(try await visitor.post("/register/options", visitor.client).status == 200)
        try clock.move(to: 95 + 30 * 60)
        let stale = try await visitor.post("/register/options", visitor.client)
        #expect(stale.string("error") == "insufficient_user_authentication", "\(stale)")

        // An access token: a day.
        try clock.move(to: 86300)
        #expect(try await site.send(bearer).status == 200)
        try clock.move(to: 86500)
        #expect(try await site.send(bearer).status == 401)
        #expect(try await visitor.me().status == 200, "the cookie's session goes on")

        // A session that nobody uses: 72 hours.
        try clock.move(to: 86500 + 73 * 3600)
        expect(try await visitor.me(), is: Refusal(401, "invalid_token", "Not signed in", "no_session"))

        // A refresh token that nobody uses: 15 days.
        let token = try tokens.token("refresh_token")
        let fresh = try await app.refresh(token)
        #expect(fresh.status == 200, "\(fresh)")
        try clock.move(to: 86500 + 73 * 3600 + 16 * 86400)
        expect(try await app.refresh(try fresh.token("refresh_token")), is: .refreshToken)
        try await app.signIn(with: &authenticator)
        try await server.stop()
    }

    @Test("The absolute end of a refresh token stands, however often it is used")
    func absoluteEnd() async throws {
        let clock = try MovedClock()
        let server = try await LatchkeyServer.start(clock.environment)
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var authenticator = Authenticator()
        var token = try await app.signUp(with: &authenticator).token("refresh_token")
        for day in [10, 20, 29] {
            try clock.move(to: day * 86400)
            let response = try await app.refresh(token)
            try #require(response.status == 200, "day \(day): \(response)")
            token = try response.token("refresh_token")
        }
        try clock.move(to: 30 * 86400 + 60)
        expect(try await app.refresh(token), is: .refreshToken)
        try await server.stop()
    }

    @Test("Inside the leeway, and outside")
    func leeway() async throws {
        let clock = try MovedClock()
        let server = try await LatchkeyServer.start(clock.environment)
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        // The rest of the ten seconds is for the machine, which may be busy.
        for (second, isInside) in [(2, true), (12, false)] {
            var authenticator = Authenticator()
            let parent = try await app.signUp(with: &authenticator).token("refresh_token")
            let child = try await app.refresh(parent).token("refresh_token")
            try clock.move(by: second)
            if isInside {
                #expect(try await app.refresh(parent).status == 200)
                #expect(try await app.refresh(child).status == 200)
            } else {
                expect(try await app.refresh(parent), is: .refreshToken)
                expect(try await app.refresh(child), is: .refreshToken)
            }
        }
        try await server.stop()
    }
}

/// The clock of one server: as far ahead of the system's as a file says.
final class MovedClock {
    static let library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
    private let folder: TemporaryFolder
    private var seconds = 0

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("+0\n", to: "offset")
    }

    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library, "FAKETIME_TIMESTAMP_FILE": folder.file("offset"), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
        ]
    }

    func move(to seconds: Int) throws {
        self.seconds = seconds
        try folder.write("+\(seconds)\n", to: "offset")
    }

    func move(by seconds: Int) throws { try move(to: self.seconds + seconds) }
}
