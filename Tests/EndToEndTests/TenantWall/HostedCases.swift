import Encodings
import Testing

extension WallCases {
    /// Sections 8.1 to 8.3.
    static let hosted: [String: [WallProbe]] = [
        "GET /authorize": authorize { .get("/authorize?" + $0) },
        "POST /authorize": authorize { form("/authorize", $0) },
        "GET /authorize/resume": visits { .get("/authorize/resume?state=\($0.transaction)") },
        "GET /u/login": visits { .get("/u/login?state=\($0.transaction)") },
        "POST /u/login": visits {
            form("/u/login", "state=\($0.transaction)&csrf_token=\($0.formToken)&username=a&password=b")
        },
        "GET /u/signup": visits { .get("/u/signup?state=\($0.transaction)") },
        "POST /u/signup": visits {
            form("/u/signup", "state=\($0.transaction)&csrf_token=\($0.formToken)&email=a&password=b")
        },
        "GET /u/upgrade": visits { .get("/u/upgrade?state=\($0.transaction)") },
        "POST /u/upgrade": visits { form("/u/upgrade", "state=\($0.transaction)&csrf_token=\($0.formToken)") },
        "GET /u/consent": visits { .get("/u/consent?state=\($0.transaction)") },
        "POST /u/consent": visits {
            form("/u/consent", "state=\($0.transaction)&csrf_token=\($0.formToken)&decision=allow")
        },
        "GET /u/assets/{name}": [
            WallProbe("a client in the name") { _, them in .get("/u/assets/\(them.client)") }
        ],
        "POST /u/passkey/login/options": calls("/u/passkey/login/options"),
        "POST /u/passkey/login/verify": calls("/u/passkey/login/verify", ["response": ["clientDataJSON": "x"]]),
        "POST /u/passkey/register/options": calls("/u/passkey/register/options") + [
            WallProbe("a session's cookie on the account page") { _, them in
                Request.json("/u/passkey/register/options", [:]).with("X-CSRF-Token", them.formToken)
                    .with("Cookie", signedIn(them))
            }
        ],
        "POST /u/passkey/register/verify": calls("/u/passkey/register/verify", ["response": ["clientDataJSON": "x"]]),
        "GET /u/enroll-passkey": [
            WallProbe("a link") { _, them in .get("/u/enroll-passkey?ticket=\(them.enrollmentTicket)") }
        ],
        "POST /u/enroll-passkey/options": [
            WallProbe("a link") { _, them in
                .json("/u/enroll-passkey/options", ["ticket": .string(them.enrollmentTicket)])
            }
        ],
        "POST /u/enroll-passkey/verify": [
            WallProbe("a link") { _, them in
                .json(
                    "/u/enroll-passkey/verify",
                    ["ticket": .string(them.enrollmentTicket), "response": ["clientDataJSON": "x"]]
                ).with("X-Auth-Session", them.browserSession)
            }
        ],
        "GET /u/passkeys": [
            WallProbe("a session's cookie") { _, them in
                Request.get("/u/passkeys").with("Cookie", signedIn(them))
            }
        ],
        "GET /u/passkeys/proof": [
            WallProbe("a session's cookie") { _, them in
                Request.get("/u/passkeys/proof").with("Cookie", signedIn(them))
            }
        ],
        "POST /u/passkeys/rename": account("/u/passkeys/rename") { "passkey=\(passkey(of: $0))&name=x" },
        "POST /u/passkeys/remove": account("/u/passkeys/remove") { "passkey=\(passkey(of: $0))" },
        "POST /u/passkeys/sessions": account("/u/passkeys/sessions") { "session=\($0.managedSession)" },
        "POST /u/passkeys/password": account("/u/passkeys/password") { _ in "password=Another-horse-2" },
        "POST /u/passkeys/retire-password": account("/u/passkeys/retire-password") { _ in "" },
        "GET /u/recover": visits { .get("/u/recover?state=\($0.transaction)") },
        "POST /u/recover": visits {
            form("/u/recover", "state=\($0.transaction)&csrf_token=\($0.formToken)&username=a")
        },
        "GET /u/recover/code": recoveries { .get("/u/recover/code?state=\($0.transaction)&code=12345678") },
        "POST /u/recover/code": recoveries { form("/u/recover/code", "state=\($0.transaction)&code=12345678") },
        "POST /u/recover/options": recoveries { _ in .json("/u/recover/options", ["code": "12345678"]) },
        "POST /u/recover/verify": recoveries { them in
            Request.json(
                "/u/recover/verify",
                ["recovery_code": "AAAAA-AAAAA-AAAAA-AAAAA", "response": ["clientDataJSON": "x"]]
            ).with("X-Auth-Session", them.browserSession)
        },
        "GET /u/review-passkeys": [
            WallProbe("a link, and a sign-in under way") { _, them in
                Request.get("/u/review-passkeys?ticket=\(them.ticket)&state=\(them.transaction)")
                    .with("Cookie", "__Host-pk_tx=\(them.transactionCookie)")
            }
        ],
        "GET /u/not-me": [WallProbe("a link") { _, them in .get("/u/not-me?ticket=\(them.enrollmentTicket)") }],
        "POST /u/not-me": [
            WallProbe("a link") { _, them in form("/u/not-me", "ticket=\(them.enrollmentTicket)") }
        ],
        "GET /v2/logout": [
            WallProbe("a client") { _, them in .get("/v2/logout?client_id=\(them.client)") },
            WallProbe("a session's cookie") { _, them in
                Request.get("/v2/logout").with("Cookie", "__Host-pk_session=\(them.cookie)")
            },
        ],
        "GET /oidc/logout": endSession { .get("/oidc/logout?" + $0) },
        "POST /oidc/logout": endSession { form("/oidc/logout", $0) },
    ]

    private static func form(_ path: String, _ body: String) -> Request {
        var request = Request(method: "POST", target: path)
        request.body = Array(body.utf8)
        return request.with("Content-Type", "application/x-www-form-urlencoded")
    }

    /// A request of ours with a client, a session or an audience of theirs.
    private static func authorize(_ request: @escaping @Sendable (String) -> Request) -> [WallProbe] {
        @Sendable func query(_ client: String, _ ours: Party, _ more: String = "") -> String {
            "client_id=\(client)&redirect_uri=\(Request.escaped(ours.webOrigin + "/callback"))&response_type=code"
                + "&prompt=none&code_challenge_method=S256"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\(more)"
        }
        return [
            WallProbe("a client") { ours, them in request(query(them.client, ours)) },
            WallProbe("a session's cookie") { ours, them in
                request(query(ours.app.id, ours)).with(
                    "Cookie",
                    "__Host-pk_session=\(them.cookie); __Host-pk_tx=\(them.transactionCookie)"
                )
            },
            WallProbe("an audience") { ours, them in
                request(query(ours.app.id, ours, "&audience=\(Request.escaped("https://\(them.host)/api/v2/"))"))
            },
            WallProbe("a token of theirs as a hint") { ours, them in
                request(query(ours.app.id, ours, "&id_token_hint=\(them.accessToken)"))
            },
        ]
    }

    /// A page of a sign-in that was begun there, with its browser's cookie, and with that and the session's.
    private static func visits(_ request: @escaping @Sendable (Belongings) -> Request) -> [WallProbe] {
        [
            WallProbe("a sign-in under way") { _, them in
                request(them).with("Cookie", "__Host-pk_tx=\(them.transactionCookie)")
            },
            WallProbe("a sign-in under way of somebody signed in") { _, them in
                request(them).with(
                    "Cookie",
                    "__Host-pk_tx=\(them.transactionCookie); __Host-pk_session=\(them.cookie)"
                )
            },
        ]
    }

    private static func signedIn(_ them: Belongings) -> String {
        "__Host-pk_tx=\(them.transactionCookie); __Host-pk_session=\(them.cookie)"
    }

    private static func passkey(of them: Belongings) -> String {
        String(them.passkey.dropFirst("passkey|".utf8.count))
    }

    /// A form of the account page: with everything of theirs, and by who is signed in here with a thing of theirs.
    private static func account(
        _ path: String,
        _ fields: @escaping @Sendable (Belongings) -> String
    ) -> [WallProbe] {
        [
            WallProbe("a form of theirs") { _, them in
                form(path, "csrf_token=\(them.formToken)&\(fields(them))").with("Cookie", signedIn(them))
            },
            WallProbe("a thing of theirs in a form of ours") { ours, them in
                form(path, "csrf_token=\(ours.ids.formToken)&\(fields(them))").with("Cookie", signedIn(ours.ids))
            },
        ]
    }

    /// A recovery that waits for its code, in its browser.
    private static func recoveries(_ request: @escaping @Sendable (Belongings) -> Request) -> [WallProbe] {
        [
            WallProbe("a recovery under way") { _, them in
                request(them).with(
                    "Cookie",
                    "__Host-pk_recovery=\(them.recoverySession); __Host-pk_tx=\(them.transactionCookie)"
                )
            }
        ]
    }

    private static func calls(_ path: String, _ body: JSONObject = [:]) -> [WallProbe] {
        visits { them in
            Request.json("\(path)?state=\(them.transaction)", body).with("X-CSRF-Token", them.formToken)
                .with("X-Auth-Session", them.browserSession)
        }
    }

    private static func endSession(_ request: @escaping @Sendable (String) -> Request) -> [WallProbe] {
        [
            WallProbe("a client") { _, them in request("client_id=\(them.client)") },
            WallProbe("a token of theirs as a hint") { _, them in request("id_token_hint=\(them.accessToken)") },
            WallProbe("a session's cookie") { _, them in
                request("state=x").with("Cookie", "__Host-pk_session=\(them.cookie)")
            },
        ]
    }
}
