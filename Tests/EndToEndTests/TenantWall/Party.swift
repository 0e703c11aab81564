import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// A tenant with somebody in it, and everything of theirs that a request may name.
struct Party: Sendable {
    /// A public client, and a page that uses it.
    let app: App
    let webOrigin: String
    let ids: Belongings
    /// Holds the passkey of the one user.
    let authenticator: Authenticator
    /// A token of a client of the tenant that may do everything over the Management API.
    let managementToken: String

    var site: Site { app.site }

    static func make(_ name: String, on server: LatchkeyServer) async throws -> Party {
        let site = try await Site.make(name, on: server, domain: "login.\(name).example", rpID: "\(name).example")
        try await site.set(["conformance_api": true])
        // With passwords, for the links that lead to a new one.
        try await site.setConnection(
            ["options.authentication_methods": ["passkey": ["enabled": true], "password": ["enabled": true]]]
        )
        let webOrigin = "https://app.\(name).example"
        let callback = webOrigin + "/callback"
        let app = try await site.client(
            "Application of \(name)",
            grants: [App.passkeyGrant, "refresh_token", "authorization_code"],
            webOrigins: [webOrigin],
            members: ["callbacks": [.string(callback)]]
        )
        let backend = try await site.client("Backend of \(name)", type: "regular_web")
        let email = uniqueEmail()
        var browser = Visitor(app, origin: webOrigin)
        try #require(try await browser.register(email).status == 200)
        let me = try await browser.me()
        let tokens = try await app.signIn(with: &browser.authenticator)
        let credential = try #require(browser.authenticator.credentials.first)

        var conformance = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
        let begun = try await site.send(
            .json("/attestation/options", ["username": .string(email), "displayName": "Test", "attestation": "none"])
        )
        let created = try conformance.create(begun.json, origin: site.origin)
        let cookie = try #require(begun.cookie("fido_conformance"))
        let registered = try await site.send(
            .json("/attestation/result", created).with("Cookie", "fido_conformance=\(cookie)")
        )
        try #require(registered.status == 200, "\(registered)")

        let keys = try await site.send(.get("/.well-known/jwks.json"))
        let managementToken = try await managementToken(site)
        func first(_ list: String) async throws -> String {
            let answer = try await site.send(
                .get("/api/v2/" + list).with("Authorization", "Bearer " + managementToken)
            )
            let things = try #require(try JSON.parse(answer.body[...]).array, "\(answer)")
            return try #require(things.first?.object?["id"]?.string)
        }
        let accountToken = try await accountToken(of: "Application of \(name)", app, &browser.authenticator)
        let user = try #require(me["user"]?.object?["id"]?.string)
        /// The first of a list of things of the user.
        func firstOfUser(_ list: String, _ member: String) async throws -> String {
            let answer = try await site.send(
                .get("/api/v2/users/\(Request.escaped(user))/\(list)")
                    .with("Authorization", "Bearer " + managementToken)
            )
            let things = try #require(answer.json[member]?.array, "\(answer)")
            let first = things.first?.object
            return try #require(first?["id"]?.string ?? first?["log_id"]?.string)
        }
        let signedIn = try #require(browser.cookies["__Host-pk_session"])
        let hosted = try await hosted(site, app.id, callback, signedIn)
        return Party(
            app: app,
            webOrigin: webOrigin,
            ids: Belongings(
                host: site.host,
                relyingPartyID: site.relyingPartyID,
                client: app.id,
                backend: backend.id,
                secret: try #require(backend.secret),
                username: email,
                user: user,
                passkey: try await firstOfUser("authentication-methods?include_totals=true", "authenticators"),
                managedSession: try await firstOfUser("sessions", "sessions"),
                family: try await firstOfUser("refresh-tokens", "tokens"),
                log: try await firstOfUser("logs?include_totals=true", "logs"),
                job: try await job(site, managementToken),
                userHandle: Base64URL.encode(credential.userHandle),
                credential: Base64URL.encode(credential.id),
                connection: try await first("connections"),
                resourceServer: try await first("resource-servers"),
                grant: try await first("client-grants"),
                customDomain: try await customDomain(site, managementToken),
                keyID: try #require(keys["keys"]?.array?.first?.object?["kid"]?.string),
                entityTag: try #require(keys.header("etag")),
                accessToken: try tokens.token("access_token"),
                accountToken: accountToken,
                accountSession: try await accountSession(site, accountToken),
                ticket: try await ticket(user, site, managementToken),
                refreshToken: try tokens.token("refresh_token"),
                cookie: signedIn,
                transactionCookie: hosted.cookie,
                transaction: hosted.transaction,
                formToken: hosted.token,
                code: hosted.code,
                enrollmentTicket: try await enrollmentTicket(site, email),
                recoverySession: try await recoverySession(app, email),
                session: try await app.challenge().session,
                signUpSession: try await app.register(email: uniqueEmail()).session,
                browserSession: try await begin("/login/options", app),
                browserSignUpSession: try await begin("/register/options", app, ["username": .string(uniqueEmail())]),
                conformanceCookie: try await conformanceCookie(site, "/assertion/options", email),
                conformanceSignUpCookie: try await conformanceCookie(site, "/attestation/options", uniqueEmail()),
                holder: browser.authenticator,
                conformanceHolder: conformance
            ),
            authenticator: browser.authenticator,
            managementToken: managementToken
        )
    }

    /// A hosted sign-in under way: its browser, its state, what its page's form carries, and a code.
    private struct Hosted {
        let cookie: String
        let transaction: String
        let token: String
        let code: String
    }

    private static func hosted(
        _ site: Site,
        _ client: String,
        _ callback: String,
        _ session: String
    ) async throws -> Hosted {
        let target =
            "/authorize?client_id=\(client)&response_type=code&redirect_uri=\(Request.escaped(callback))"
            + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&scope=openid"
        let begun = try await site.send(.get(target))
        let cookie = try #require(begun.cookie("__Host-pk_tx"), "\(begun)")
        let location = try #require(begun.header("location"))
        let page = try await site.send(Request.get(location).with("Cookie", "__Host-pk_tx=\(cookie)"))
        let marks = "name=\"csrf_token\" value=\""
        let token = try #require(
            page.text.firstRange(of: marks).map { page.text[$0.upperBound...].prefix { $0 != "\"" } }
        )
        let answered = try await site.send(Request.get(target).with("Cookie", "__Host-pk_session=\(session)"))
        let redirect = try #require(answered.header("location"), "\(answered)")
        let code = try #require(redirect.split(separator: "code=").last?.prefix { $0 != "&" }, "\(answered)")
        return Hosted(
            cookie: cookie,
            transaction: String(location.drop { $0 != "=" }.dropFirst()),
            token: String(token),
            code: String(code)
        )
    }

    private static func enrollmentTicket(_ site: Site, _ user: String) async throws -> String {
        let made = try await site.server.adminJSON(["enroll-link", "--tenant", site.tenant, user])
        let link = try #require(made["link"]?.string, "\(made)")
        return String(try #require(link.split(separator: "ticket=").last))
    }

    private static func recoverySession(_ app: App, _ user: String) async throws -> String {
        let asked: JSONObject = ["client_id": .string(app.id), "identifier": .string(user)]
        let started = try await app.site.send(.json("/recovery/start", asked))
        return try #require(started.string("recovery_session"), "\(started)")
    }

    private static func customDomain(_ site: Site, _ token: String) async throws -> String {
        let request = Request.json(
            "/api/v2/custom-domains",
            ["domain": .string("custom.\(unique()).example"), "type": "self_managed_certs"]
        )
        let made = try await site.send(request.with("Authorization", "Bearer " + token))
        return try #require(made.string("custom_domain_id"), "\(made)")
    }

    private static func managementToken(_ site: Site) async throws -> String {
        let manager = try await site.client("Manager", type: "non_interactive", grants: ["client_credentials"])
        _ = try await site.server.adminJSON(
            ["grant", "create", "--tenant", site.tenant, "--client", "Manager", "--audience", "management"]
        )
        let request = Request.json(
            "/oauth/token",
            [
                "grant_type": "client_credentials", "client_id": .string(manager.id),
                "client_secret": .string(try #require(manager.secret)),
                "audience": .string(site.origin + "/api/v2/"),
            ]
        )
        // The server learns of what another process changed within five seconds.
        var token: String?
        _ = try await eventually(seconds: 90) {
            token = try await site.send(request).string("access_token")
            return token != nil
        }
        return try #require(token)
    }

    /// A token of the user for their own account, by the app, whose users may have one from now on.
    private static func accountToken(
        of client: String,
        _ app: App,
        _ authenticator: inout Authenticator
    ) async throws -> String {
        let site = app.site
        _ = try await site.server.adminJSON(
            ["grant", "create", "--tenant", site.tenant, "--client", client, "--audience", "my-account"]
        )
        let scopes = ["create", "read", "update", "delete"].map { "\($0):me:authentication_methods" }
        let scope = "openid read:me:factors " + scopes.joined(separator: " ")
        // The server learns of what another process changed within five seconds.
        var token: String?
        var holder = authenticator
        _ = try await eventually(seconds: 90) {
            let begun = try await app.challenge()
            let answer = try holder.get(begun.options, origin: site.origin)
            let audience: JSONObject = ["audience": .string(site.origin + "/me/")]
            token = try await app.redeem(begun, answer, scope: scope, audience).string("access_token")
            return token != nil
        }
        authenticator = holder
        return try #require(token)
    }

    /// A passkey that is about to be added.
    private static func accountSession(_ site: Site, _ token: String) async throws -> String {
        let started = try await site.send(
            .json("/me/v1/authentication-methods", ["type": "passkey"]).with("Authorization", "Bearer " + token)
        )
        return try #require(started.string("auth_session"), "\(started)")
    }

    /// The secret of a link for a new password.
    private static func ticket(_ user: String, _ site: Site, _ token: String) async throws -> String {
        let request = Request.json("/api/v2/tickets/password-change", ["user_id": .string(user)])
        let made = try await site.send(request.with("Authorization", "Bearer " + token))
        let link = try #require(made.string("ticket"), "\(made)")
        return String(link.drop { $0 != "=" }.dropFirst().prefix { $0 != "#" })
    }

    /// An export that was asked for.
    private static func job(_ site: Site, _ token: String) async throws -> String {
        let made = try await site.send(
            .json("/api/v2/jobs/users-exports", [:]).with("Authorization", "Bearer " + token)
        )
        return try #require(made.string("id"), "\(made)")
    }

    private static func begin(_ path: String, _ app: App, _ more: JSONObject = [:]) async throws -> String {
        let client: JSONObject = ["client_id": .string(app.id)]
        let begun = try await app.site.send(.json(path, client.merging(more)))
        return try #require(begun.header("x-auth-session"), "\(begun)")
    }

    private static func conformanceCookie(_ site: Site, _ path: String, _ username: String) async throws -> String {
        let begun = try await site.send(.json(path, ["username": .string(username), "displayName": "Test"]))
        return try #require(begun.cookie("fido_conformance"), "\(begun)")
    }
}

/// What a request may name of a tenant. ``madeUp()`` has the same looks, and there is none of it.
struct Belongings: Sendable {
    var host: String
    var relyingPartyID: String
    var client: String
    var backend: String
    var secret: String
    var username: String
    var user: String
    /// What the Management API calls a passkey, a session and a refresh token of theirs.
    var passkey: String
    var managedSession: String
    var family: String
    var log: String
    var job: String
    var userHandle: String
    var credential: String
    var connection: String
    var resourceServer: String
    var grant: String
    var customDomain: String
    var keyID: String
    var entityTag: String
    var accessToken: String
    /// For their own account, and a passkey that is about to be added to it.
    var accountToken: String
    var accountSession: String
    /// For a new password of theirs.
    var ticket: String
    var refreshToken: String
    var cookie: String
    /// A hosted sign-in that is under way: its browser's cookie, the text that stands for it, what its forms carry, and a
    /// code.
    var transactionCookie: String
    var transaction: String
    var formToken: String
    var code: String
    /// Of a link that lets its holder make a passkey.
    var enrollmentTicket: String
    /// Of a recovery that waits for its code.
    var recoverySession: String
    /// Ceremonies that wait for their answer: `/passkey/challenge`, `/passkey/register`, and those of section 12.
    var session: String
    var signUpSession: String
    var browserSession: String
    var browserSignUpSession: String
    /// Those of section 13.
    var conformanceCookie: String
    var conformanceSignUpCookie: String
    /// Authenticators with a passkey of this RP ID.
    var holder: Authenticator
    var conformanceHolder: Authenticator

    /// Things with the same looks that nobody has.
    func madeUp() throws -> Belongings {
        var other = self
        other.host = "login.\(unique()).example"
        other.relyingPartyID = "\(unique()).example"
        other.client = Self.shuffled(client)
        other.backend = Self.shuffled(backend)
        other.secret = Self.shuffled(secret)
        other.username = uniqueEmail()
        other.user =
            "auth0|" + user.dropFirst("auth0|".count).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        other.passkey = "passkey|dev_" + Self.shuffled(String(passkey.dropFirst("passkey|dev_".count)))
        // The first characters are the time when it was made.
        other.managedSession = managedSession.prefix(12) + Self.shuffled(String(managedSession.dropFirst(12)))
        other.enrollmentTicket = Self.shuffled(enrollmentTicket)
        other.recoverySession = Self.shuffled(recoverySession)
        other.family = family.prefix(8) + Self.shuffled(String(family.dropFirst(8)))
        other.log = log.prefix(8) + Self.shuffled(String(log.dropFirst(8)))
        other.job = "job_" + Self.shuffled(String(job.dropFirst(4)))
        other.userHandle = Self.shuffled(userHandle)
        other.credential = Self.shuffled(credential)
        other.connection = "con_" + Self.shuffled(String(connection.dropFirst(4)))
        other.resourceServer = "rs_" + Self.shuffled(String(resourceServer.dropFirst(3)))
        other.grant = "cgr_" + Self.shuffled(String(grant.dropFirst(4)))
        other.customDomain = "cd_" + Self.shuffled(String(customDomain.dropFirst(3)))
        other.keyID = Self.shuffled(keyID)
        other.entityTag = "\"" + Self.shuffled(entityTag.filter { $0 != "\"" }) + "\""
        other.accessToken = try Self.withKeyID(Self.shuffled(keyID), accessToken)
        other.accountToken = try Self.withKeyID(Self.shuffled(keyID), accountToken)
        other.ticket = Self.shuffled(ticket)
        other.accountSession = Self.shuffled(accountSession)
        // The first characters are the time when it was made.
        other.refreshToken = refreshToken.prefix(12) + Self.shuffled(String(refreshToken.dropFirst(12)))
        other.cookie = Self.shuffled(cookie)
        other.transactionCookie = Self.shuffled(transactionCookie)
        other.transaction = Self.shuffled(transaction)
        other.formToken = Self.shuffled(formToken)
        other.code = Self.shuffled(code)
        other.session = Self.shuffled(session)
        other.signUpSession = Self.shuffled(signUpSession)
        other.browserSession = Self.shuffled(browserSession)
        other.browserSignUpSession = Self.shuffled(browserSignUpSession)
        other.conformanceCookie = Self.shuffled(conformanceCookie)
        other.conformanceSignUpCookie = Self.shuffled(conformanceSignUpCookie)
        other.holder = try Self.holder(like: holder)
        other.conformanceHolder = try Self.holder(like: conformanceHolder)
        return other
    }

    /// Every one of the texts; a foreign one in an answer that was not asked with it is a leak.
    var texts: [String] {
        [
            host, relyingPartyID, client, backend, secret, username, user, passkey, managedSession, family, log, job,
            userHandle, credential, connection,
            resourceServer, grant, customDomain, keyID, accessToken, accountToken, accountSession, ticket,
            enrollmentTicket, recoverySession,
            refreshToken,
            cookie,
            transactionCookie, transaction, formToken, code, session, signUpSession,
            browserSession,
            browserSignUpSession, conformanceCookie,
            conformanceSignUpCookie,
        ]
    }

    /// The same length, and of the same characters, letter for letter and digit for digit. The last stays: in base64url
    /// it may have bits that have to be zero.
    private static func shuffled(_ text: String) -> String {
        let others = text.dropLast().map { character in
            switch character {
            case "a"..."z": "abcdefghijklmnopqrstuvwxyz".randomElement() ?? character
            case "A"..."Z": "ABCDEFGHIJKLMNOPQRSTUVWXYZ".randomElement() ?? character
            case "0"..."9": "0123456789".randomElement() ?? character
            default: character
            }
        }
        return String(others) + text.suffix(1)
    }

    /// The token with another key's id in its head.
    static func withKeyID(_ id: String, _ token: String) throws -> String {
        var parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        var head = try #require(try JSON.parse(try Base64URL.decode(parts[0])).object)
        head["kid"] = .string(id)
        parts[0] = Base64URL.encode(JSONValue.object(head).serialized())
        return parts.joined(separator: ".")
    }

    /// An authenticator with a passkey for the same RP ID that no server knows.
    private static func holder(like one: Authenticator) throws -> Authenticator {
        var other = Authenticator(one.profile)
        let known = try #require(one.credentials.first)
        let options: JSONObject = [
            "rp": ["id": .string(known.rpID), "name": "x"],
            "user": [
                "id": .string(Base64URL.encode([UInt8](repeating: 7, count: 32))), "name": "x", "displayName": "x",
            ],
            "challenge": "AAAAAAAAAAAAAAAAAAAAAA", "pubKeyCredParams": [["type": "public-key", "alg": -7]],
            "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
        ]
        _ = try other.create(options, origin: "https://\(known.rpID)")
        return other
    }
}
