import Encodings
import Foundation
import SoftwareAuthenticator
import Testing

/// A request that a tenant's client makes with something of another tenant's, or with something that does not exist.
struct WallProbe: Sendable {
    let name: String
    /// The request, to `ours`, with one of the things of `them`.
    let request: @Sendable (_ ours: Party, _ them: Belongings) async throws -> Request

    init(_ name: String, _ request: @escaping @Sendable (Party, Belongings) async throws -> Request) {
        self.name = name
        self.request = request
    }
}

/// What each route of the API can be asked with that belongs to another tenant. The test takes the routes from the
/// server's table: one that is not here fails it.
enum WallCases {
    static let byRoute: [String: [WallProbe]] = [
        "POST /oauth/token": token,
        "POST /oauth/revoke": revoke,
        "POST /dbconnections/signup": [
            client(
                "/dbconnections/signup",
                ["connection": "nowhere", "email": "a@example.com", "password": "Correct-horse-1"]
            )
        ],
        "POST /dbconnections/change_password": [
            client("/dbconnections/change_password", ["connection": "nowhere", "email": "a@example.com"]),
            WallProbe("a user's name") { ours, them in
                .json(
                    "/dbconnections/change_password",
                    [
                        "client_id": .string(ours.app.id), "connection": "Username-Password-Authentication",
                        "email": .string(them.username),
                    ]
                )
            },
        ],
        "POST /recovery/start": [
            client("/recovery/start", ["identifier": "a@example.com"]),
            WallProbe("a user's name") { ours, them in
                .json(
                    "/recovery/start",
                    ["client_id": .string(ours.app.id), "identifier": .string(them.username)]
                )
            },
        ],
        "POST /recovery/verify": [
            client("/recovery/verify", ["recovery_session": "x", "code": "12345678"]),
            WallProbe("a recovery under way") { ours, them in
                .json(
                    "/recovery/verify",
                    [
                        "client_id": .string(ours.app.id), "recovery_session": .string(them.recoverySession),
                        "code": "12345678",
                    ]
                )
            },
        ],
        "GET /u/reset-password": [
            WallProbe("a ticket") { _, them in .get("/u/reset-password?ticket=\(Request.escaped(them.ticket))") }
        ],
        "POST /u/reset-password": [
            WallProbe("a ticket") { _, them in
                .form("/u/reset-password", [("ticket", them.ticket), ("password", "Another-horse-2")])
            },
            WallProbe("a user's name") { _, them in .form("/u/reset-password", [("email", them.username)]) },
        ],
        "POST /u/reset-password/passkeys": [
            WallProbe("a ticket and a passkey") { _, them in
                let id = them.passkey.dropFirst("passkey|".count)
                return .form("/u/reset-password/passkeys", [("ticket", them.ticket), ("remove-\(id)", "1")])
            }
        ],
        "GET /.well-known/passkey-endpoints": published("/.well-known/passkey-endpoints"),
        "GET /latchkey.js": published("/latchkey.js"),
        "GET /.well-known/change-password": published("/.well-known/change-password"),
        "POST /passkey/register": [client("/passkey/register", ["user_profile": ["email": "a@example.com"]])],
        "POST /passkey/challenge": [client("/passkey/challenge", [:])],
        "GET /userinfo": bearer(.get("/userinfo")),
        "POST /userinfo": bearer(Request(method: "POST", target: "/userinfo")) + [
            WallProbe("an access token in the body") { _, them in
                .form("/userinfo", [("access_token", them.accessToken)])
            }
        ],
        "GET /api/me": bearer(.get("/api/me")) + cookies(.get("/api/me")),
        "POST /api/logout": bearer(.json("/api/logout", [:])) + cookies(.json("/api/logout", [:])),
        "POST /logout": bearer(.json("/logout", [:])) + cookies(.json("/logout", [:])),
        "POST /register/options": registerOptions,
        "POST /register/verify": verify("/register/verify", isSignUp: true),
        "POST /login/options": [
            client("/login/options", [:]),
            WallProbe("a user's name") { ours, them in
                .json("/login/options", ["client_id": .string(ours.app.id), "username": .string(them.username)])
            },
        ],
        "POST /login/verify": verify("/login/verify", isSignUp: false) + loginAnswers,
        "GET /.well-known/openid-configuration": published("/.well-known/openid-configuration"),
        "GET /.well-known/oauth-authorization-server": published("/.well-known/oauth-authorization-server"),
        "GET /.well-known/jwks.json": published("/.well-known/jwks.json"),
        "GET /.well-known/webauthn": published("/.well-known/webauthn"),
        "GET /.well-known/apple-app-site-association": published("/.well-known/apple-app-site-association"),
        "GET /apple-app-site-association": published("/apple-app-site-association"),
        "GET /.well-known/assetlinks.json": published("/.well-known/assetlinks.json"),
    ]
    .merging(account) { $1 }
    .merging(hosted) { $1 }
    .merging(management) { $1 }
    .merging(managedPeople) { $1 }
    .merging(conformance("")) { $1 }
    .merging(conformance("/fido2-test")) { $1 }

    // MARK: Any route

    /// What any request can name, whatever its path: hosts, tokens, cookies, a client's credentials.
    static func general(_ route: (method: String, path: String)) -> [WallProbe] {
        // One that names nothing where the path has to name something.
        let path = Self.path(route.path, naming: "nothing")
        @Sendable func request(_ body: JSONObject, _ path: String) -> Request {
            guard route.method != "GET" else { return .get(path) }
            var request = Request.json(path, body)
            request.method = route.method
            return request
        }
        @Sendable func request(_ body: JSONObject) -> Request { request(body, path) }
        let named: [WallProbe] =
            !route.path.contains("{")
            ? []
            : things.map { thing in
                WallProbe("\(thing.name) in the path, with a token of ours") { ours, them in
                    request([:], Self.path(route.path, naming: thing.value(them)))
                        .with("Authorization", "Bearer \(ours.ids.accessToken)")
                }
            }
        // What systems and browsers ask every RP ID for is for all to see.
        let hosts =
            associationFiles.contains(route.path)
            ? []
            : [
                WallProbe("a host that is only an RP ID") { _, them in
                    request([:]).with("Host", them.relyingPartyID)
                }
            ]
        return named + hosts + [
            WallProbe("a forwarded host") { _, them in request([:]).with("X-Forwarded-Host", them.host) },
            WallProbe("a bearer token") { ours, them in
                request(["client_id": .string(ours.app.id)]).with("Authorization", "Bearer \(them.accessToken)")
            },
            WallProbe("a token of ours that names a key") { ours, them in
                let token = try Belongings.withKeyID(them.keyID, ours.ids.accessToken)
                return request(["client_id": .string(ours.app.id)]).with("Authorization", "Bearer \(token)")
            },
            WallProbe("a session's cookie") { ours, them in
                request(["client_id": .string(ours.app.id)]).with("Origin", ours.webOrigin)
                    .with("Cookie", "__Host-pk_session=\(them.cookie)")
            },
            WallProbe("a client in Basic") { _, them in
                let text = "\(them.backend):\(them.secret)"
                return request(["grant_type": "refresh_token", "refresh_token": .string(them.refreshToken)])
                    .with("Authorization", "Basic " + Data(text.utf8).base64EncodedString())
            },
            WallProbe("a client") { _, them in request(["client_id": .string(them.client)]) },
        ]
    }

    private static let associationFiles = [
        "/.well-known/apple-app-site-association", "/apple-app-site-association", "/.well-known/assetlinks.json",
        "/.well-known/webauthn", "/.well-known/passkey-endpoints",
    ]

    /// What a path may name.
    private static let things: [(name: String, value: @Sendable (Belongings) -> String)] = [
        ("a user", { $0.user }), ("a client", { $0.client }), ("a passkey", { $0.credential }), ("a key", { $0.keyID }),
        ("a host", { $0.host }), ("a session", { $0.session }), ("a user's name", { $0.username }),
    ]

    private static func path(_ pattern: String, naming text: String) -> String {
        pattern.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("{") ? Request.escaped(text) : String($0) }.joined(separator: "/")
    }

    // MARK: Parts

    private static func client(_ path: String, _ body: JSONObject) -> WallProbe {
        WallProbe("a client") { _, them in .json(path, body.merging(["client_id": .string(them.client)])) }
    }

    private static func bearer(_ request: Request) -> [WallProbe] {
        [
            WallProbe("an access token") { _, them in
                request.with("Authorization", "Bearer \(them.accessToken)")
            },
            WallProbe("a refresh token for an access token") { _, them in
                request.with("Authorization", "Bearer \(them.refreshToken)")
            },
        ]
    }

    private static func cookies(_ request: Request) -> [WallProbe] {
        [
            WallProbe("a session's cookie") { ours, them in
                request.with("Origin", ours.webOrigin).with("Cookie", "__Host-pk_session=\(them.cookie)")
            }
        ]
    }

    private static func published(_ path: String) -> [WallProbe] {
        [
            WallProbe("an entity tag") { _, them in Request.get(path).with("If-None-Match", them.entityTag) },
            WallProbe("a key, a client, a host and a user in the query") { _, them in
                .get(
                    path + "?kid=\(Request.escaped(them.keyID))&client_id=\(them.client)&host=\(them.host)"
                        + "&sub=\(Request.escaped(them.user))"
                )
            },
        ]
    }

    // MARK: Tokens

    private static let token: [WallProbe] = [
        WallProbe("a client") { _, them in
            .json("/oauth/token", ["client_id": .string(them.client), "grant_type": .string(App.passkeyGrant)])
        },
        WallProbe("a client with its secret") { _, them in
            .json(
                "/oauth/token",
                [
                    "client_id": .string(them.backend), "client_secret": .string(them.secret),
                    "grant_type": "refresh_token", "refresh_token": .string(them.refreshToken),
                ]
            )
        },
        WallProbe("a refresh token") { ours, them in ours.app.refreshRequest(them.refreshToken) },
        WallProbe("a code") { ours, them in
            .json(
                "/oauth/token",
                ours.app.credentials.merging([
                    "grant_type": "authorization_code", "code": .string(them.code),
                    "redirect_uri": .string(ours.webOrigin + "/callback"),
                    "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                ])
            )
        },
        WallProbe("a login's session") { ours, them in
            ours.app.tokenRequest(them.session, try await answer(ours))
        },
        WallProbe("a sign-up's session") { ours, them in
            ours.app.tokenRequest(them.signUpSession, try await answer(ours))
        },
        WallProbe("a passkey, for a challenge of ours") { ours, them in
            let begun = try await ours.app.challenge()
            var holder = them.holder
            let answer = try holder.get(try asked(begun.options, of: holder), origin: ours.site.origin)
            return ours.app.tokenRequest(begun.session, answer)
        },
        WallProbe("a credential's id in an answer of ours") { ours, them in
            let begun = try await ours.app.challenge()
            var holder = ours.authenticator
            let answer = try holder.get(begun.options, origin: ours.site.origin)
                .merging(["id": .string(them.credential), "rawId": .string(them.credential)])
            return ours.app.tokenRequest(begun.session, answer)
        },
        WallProbe("a user handle in an answer of ours") { ours, them in
            let begun = try await ours.app.challenge()
            var holder = ours.authenticator
            let answer = try holder.get(begun.options, origin: ours.site.origin)
                .setting(["response", "userHandle"], .string(them.userHandle))
            return ours.app.tokenRequest(begun.session, answer)
        },
        WallProbe("an audience") { ours, them in
            let begun = try await ours.app.challenge()
            var holder = ours.authenticator
            let answer = try holder.get(begun.options, origin: ours.site.origin)
            let audience = JSONValue.string("https://\(them.host)/api/v2/")
            return ours.app.tokenRequest(begun.session, answer, ["audience": audience])
        },
        WallProbe("a directory") { ours, them in
            let begun = try await ours.app.challenge()
            var holder = ours.authenticator
            let answer = try holder.get(begun.options, origin: ours.site.origin)
            return ours.app.tokenRequest(begun.session, answer, ["realm": .string(them.relyingPartyID)])
        },
    ]

    private static let revoke: [WallProbe] = [
        WallProbe("a client") { _, them in
            .json("/oauth/revoke", ["client_id": .string(them.client), "token": .string(them.refreshToken)])
        },
        WallProbe("a client with its secret") { _, them in
            .json(
                "/oauth/revoke",
                [
                    "client_id": .string(them.backend), "client_secret": .string(them.secret),
                    "token": .string(them.refreshToken),
                ]
            )
        },
        WallProbe("a refresh token") { ours, them in
            .json("/oauth/revoke", ours.app.credentials.merging(["token": .string(them.refreshToken)]))
        },
        WallProbe("an access token") { ours, them in
            .json("/oauth/revoke", ours.app.credentials.merging(["token": .string(them.accessToken)]))
        },
    ]

    /// Options of ours as the passkey of another RP ID would answer them.
    private static func asked(_ options: JSONObject, of holder: Authenticator) throws -> JSONObject {
        let credential = try #require(holder.credentials.first)
        let id: JSONObject = ["type": "public-key", "id": .string(Base64URL.encode(credential.id))]
        return options.merging(["rpId": .string(credential.rpID), "allowCredentials": [.object(id)]])
    }

    /// An answer to a challenge of ours that nobody waits for.
    private static func answer(_ ours: Party) async throws -> JSONObject {
        var holder = ours.authenticator
        return try holder.get(try await ours.app.challenge().options, origin: ours.site.origin)
    }

    // MARK: Section 12

    private static let registerOptions: [WallProbe] = [
        client("/register/options", ["username": "a@example.com"]),
        WallProbe("a user's name") { ours, them in
            .json("/register/options", ["client_id": .string(ours.app.id), "username": .string(them.username)])
        },
        WallProbe("a session's cookie") { ours, them in
            Request.json("/register/options", ["client_id": .string(ours.app.id)]).with("Origin", ours.webOrigin)
                .with("Cookie", "__Host-pk_session=\(them.cookie)")
        },
        WallProbe("a bearer token") { ours, them in
            Request.json("/register/options", ["client_id": .string(ours.app.id)])
                .with("Authorization", "Bearer \(them.accessToken)")
        },
    ]

    /// A ceremony, named in each of the four ways.
    private static func verify(_ path: String, isSignUp: Bool) -> [WallProbe] {
        @Sendable func session(_ them: Belongings) -> String {
            isSignUp ? them.browserSignUpSession : them.browserSession
        }
        @Sendable func body(_ ours: Party, _ more: JSONObject = [:]) async throws -> JSONObject {
            let answer: JSONObject
            if isSignUp {
                var holder = Authenticator()
                let begun = try await ours.app.register(email: uniqueEmail())
                answer = try holder.create(begun.options, origin: ours.webOrigin)
            } else {
                answer = try await self.answer(ours)
            }
            return answer.merging(["client_id": .string(ours.app.id)]).merging(more)
        }
        return [
            WallProbe("a ceremony in the header") { ours, them in
                Request.json(path, try await body(ours)).with("X-Auth-Session", session(them))
            },
            WallProbe("a ceremony in the cookie") { ours, them in
                Request.json(path, try await body(ours)).with("Origin", ours.webOrigin)
                    .with("Cookie", "pk_ceremony=\(session(them))")
            },
            WallProbe("a ceremony in the body") { ours, them in
                .json(path, try await body(ours, ["auth_session": .string(session(them))]))
            },
            WallProbe("a ceremony by its challenge") { ours, them in
                .json(path, try await body(ours).withClientData { $0.merging(["challenge": .string(session(them))]) })
            },
            WallProbe("a client") { ours, them in
                .json(path, try await body(ours, ["client_id": .string(them.client)]))
            },
        ]
    }

    private static let loginAnswers: [WallProbe] = [
        WallProbe("a credential's id in an answer of ours") { ours, them in
            try await login(ours) { $0.merging(["id": .string(them.credential), "rawId": .string(them.credential)]) }
        },
        WallProbe("a user handle in an answer of ours") { ours, them in
            try await login(ours) { $0.setting(["response", "userHandle"], .string(them.userHandle)) }
        },
    ]

    private static func login(_ ours: Party, _ change: (JSONObject) -> JSONObject) async throws -> Request {
        let begun = try await ours.site.send(.json("/login/options", ["client_id": .string(ours.app.id)]))
        var holder = ours.authenticator
        let answer = change(try holder.get(begun.json, origin: ours.webOrigin))
        return Request.json("/login/verify", answer.merging(["client_id": .string(ours.app.id)]))
            .with("X-Auth-Session", try #require(begun.header("x-auth-session")))
    }

    // MARK: Section 13

    private static func conformance(_ prefix: String) -> [String: [WallProbe]] {
        [
            "POST \(prefix)/attestation/options": [
                WallProbe("a user's name") { _, them in
                    .json(
                        prefix + "/attestation/options",
                        ["username": .string(them.username), "displayName": "Test"]
                    )
                }
            ],
            "POST \(prefix)/attestation/result": [
                WallProbe("a ceremony's cookie") { ours, them in
                    var holder = Authenticator()
                    let begun = try await ours.app.register(email: uniqueEmail())
                    let answer = try holder.create(begun.options, origin: ours.site.origin)
                    return Request.json(prefix + "/attestation/result", answer)
                        .with("Cookie", "fido_conformance=\(them.conformanceSignUpCookie)")
                }
            ],
            "POST \(prefix)/assertion/options": [
                WallProbe("a user's name") { _, them in
                    .json(prefix + "/assertion/options", ["username": .string(them.username)])
                }
            ],
            "POST \(prefix)/assertion/result": [
                WallProbe("a ceremony's cookie") { ours, them in
                    Request.json(prefix + "/assertion/result", try await answer(ours))
                        .with("Cookie", "fido_conformance=\(them.conformanceCookie)")
                },
                WallProbe("a passkey, for a challenge of ours") { ours, them in
                    let begun = try await ours.site.send(
                        .json("/assertion/options", ["username": .string(ours.ids.username)])
                    )
                    var holder = them.conformanceHolder
                    let answer = try holder.get(try asked(begun.json, of: holder), origin: ours.site.origin)
                    return Request.json(prefix + "/assertion/result", answer)
                        .with("Cookie", "fido_conformance=\(try #require(begun.cookie("fido_conformance")))")
                },
            ],
        ]
    }
}
