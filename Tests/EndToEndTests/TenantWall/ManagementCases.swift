import Encodings
import Testing

/// Things of another tenant at the Management API, each asked for with a token of ours that may do everything.
extension WallCases {
    static let management: [String: [WallProbe]] = [
        "GET /api/v2/clients": [listed("clients", naming: "app_type") { $0.client }],
        "POST /api/v2/clients": [made("clients") { ["name": "x", "client_id": .string($0.client)] }],
        "GET /api/v2/clients/{id}": [named("GET", "clients/", "") { $0.client }],
        "PATCH /api/v2/clients/{id}": [named("PATCH", "clients/", "") { $0.client }],
        "DELETE /api/v2/clients/{id}": [named("DELETE", "clients/", "") { $0.client }],
        "POST /api/v2/clients/{id}/rotate-secret": [named("POST", "clients/", "/rotate-secret") { $0.backend }],
        "GET /api/v2/connections": [listed("connections", naming: "name") { $0.relyingPartyID }],
        "POST /api/v2/connections": [
            made("connections") { ["name": "x", "strategy": "auth0", "enabled_clients": [.string($0.client)]] }
        ],
        "GET /api/v2/connections/{id}": [named("GET", "connections/", "") { $0.connection }],
        "PATCH /api/v2/connections/{id}": [named("PATCH", "connections/", "") { $0.connection }],
        "DELETE /api/v2/connections/{id}": [named("DELETE", "connections/", "") { $0.connection }],
        "GET /api/v2/connections/{id}/clients": [named("GET", "connections/", "/clients") { $0.connection }],
        "PATCH /api/v2/connections/{id}/clients": [named("PATCH", "connections/", "/clients") { $0.connection }],
        "GET /api/v2/resource-servers": [listed("resource-servers", naming: "from") { $0.resourceServer }],
        "POST /api/v2/resource-servers": [
            made("resource-servers") { ["identifier": "urn:x", "id": .string($0.resourceServer)] }
        ],
        "GET /api/v2/resource-servers/{id}": apis("GET"),
        "PATCH /api/v2/resource-servers/{id}": apis("PATCH"),
        "DELETE /api/v2/resource-servers/{id}": apis("DELETE"),
        "GET /api/v2/client-grants": [
            listed("client-grants", naming: "client_id") { $0.client },
            listed("client-grants", naming: "audience") { "https://\($0.host)/api/v2/" },
        ],
        "POST /api/v2/client-grants": [
            made("client-grants") { ["client_id": .string($0.client), "audience": "x", "scope": []] },
            made("client-grants") {
                ["client_id": "x", "audience": .string("https://\($0.host)/api/v2/"), "scope": []]
            },
        ],
        "GET /api/v2/client-grants/{id}": [named("GET", "client-grants/", "") { $0.grant }],
        "PATCH /api/v2/client-grants/{id}": [named("PATCH", "client-grants/", "") { $0.grant }],
        "DELETE /api/v2/client-grants/{id}": [named("DELETE", "client-grants/", "") { $0.grant }],
        "GET /api/v2/custom-domains": [listed("custom-domains", naming: "fields") { $0.customDomain }],
        // That a name is taken is told: there is one of it for all tenants.
        "POST /api/v2/custom-domains": [
            made("custom-domains") {
                ["domain": "x", "type": "self_managed_certs", "custom_domain_id": .string($0.customDomain)]
            }
        ],
        "GET /api/v2/custom-domains/default": [
            listed("custom-domains/default", naming: "fields") { $0.customDomain }
        ],
        "PATCH /api/v2/custom-domains/default": [
            WallProbe("a domain's name, for an administrator") { ours, them in
                managing(ours, "PATCH", "custom-domains/default", ["domain": .string(them.host)])
            }
        ],
        "GET /api/v2/custom-domains/{id}": [named("GET", "custom-domains/", "") { $0.customDomain }],
        "PATCH /api/v2/custom-domains/{id}": [named("PATCH", "custom-domains/", "") { $0.customDomain }],
        "DELETE /api/v2/custom-domains/{id}": [named("DELETE", "custom-domains/", "") { $0.customDomain }],
        "POST /api/v2/custom-domains/{id}/verify": [
            named("POST", "custom-domains/", "/verify") { $0.customDomain }
        ],
        "GET /api/v2/custom-domains/{id}/relying-parties": [
            named("GET", "custom-domains/", "/relying-parties") { $0.customDomain }
        ],
        "GET /api/v2/keys/signing": [listed("keys/signing", naming: "kid") { $0.keyID }],
        "GET /api/v2/keys/signing/{kid}": [named("GET", "keys/signing/", "") { $0.keyID }],
        "POST /api/v2/keys/signing/rotate": [
            WallProbe("a key in the query") { ours, them in
                managing(ours, "POST", "keys/signing/rotate?kid=" + Request.escaped(them.keyID))
            }
        ],
        "PUT /api/v2/keys/signing/{kid}/revoke": [named("PUT", "keys/signing/", "/revoke") { $0.keyID }],
        "GET /api/v2/tenant-file": [listed("tenant-file", naming: "fields") { $0.host }],
        "POST /api/v2/tenant-file/plan": [
            file("plan") { ["clientGrants": [["client_id": .string($0.client), "audience": "/me/", "scope": []]]] },
            file("plan") { ["tenant": ["default_browser_client": .string($0.client)]] },
            file("plan") { ["customDomains": [["domain": .string($0.host), "type": "self_managed_certs"]]] },
        ],
        "POST /api/v2/tenant-file/apply": [
            file("apply") {
                ["databases": [["name": "x", "strategy": "auth0", "enabled_clients": [.string($0.client)]]]]
            }
        ],
        "GET /api/v2/tenants/settings": [listed("tenants/settings", naming: "fields") { $0.host }],
        "PATCH /api/v2/tenants/settings": [
            WallProbe("a client and a directory") { ours, them in
                managing(ours, "PATCH", "tenants/settings", ["default_browser_client": .string(them.client)])
            }
        ],
    ]

    /// People and their things.
    static let managedPeople: [String: [WallProbe]] = {
        var cases: [String: [WallProbe]] = [
            "GET /api/v2/users": [
                listed("users", naming: "q") { "user_id:\"\($0.user)\" OR email:\"\($0.username)\"" },
                listed("users", naming: "connection") { $0.connection },
            ],
            "POST /api/v2/users": [
                made("users") { ["connection": .string($0.connection), "email": .string($0.username)] },
                made("users") {
                    ["connection": "none", "user_id": .string($0.user), "email": .string($0.username)]
                },
            ],
            "GET /api/v2/users-by-email": [listed("users-by-email", naming: "email") { $0.username }],
            "GET /api/v2/user-blocks": [listed("user-blocks", naming: "identifier") { $0.username }],
            "DELETE /api/v2/user-blocks": [
                WallProbe("a name in the query, for an administrator") { ours, them in
                    managing(ours, "DELETE", "user-blocks?identifier=" + Request.escaped(them.username))
                }
            ],
            "GET /api/v2/refresh-tokens": [listed("refresh-tokens", naming: "user_id") { $0.user }],
            "POST /api/v2/refresh-tokens/revoke": [
                made("refresh-tokens/revoke") { ["user_id": .string($0.user)] },
                made("refresh-tokens/revoke") { ["ids": [.string($0.family)]] },
            ],
            "GET /api/v2/device-credentials": [listed("device-credentials", naming: "user_id") { $0.user }],
            "DELETE /api/v2/device-credentials/{id}": [named("DELETE", "device-credentials/", "") { $0.family }],
            "GET /api/v2/users/{id}/logs": [named("GET", "users/", "/logs") { $0.user }],
            "GET /api/v2/logs": [
                listed("logs", naming: "q") { "user_id:\"\($0.user)\"" },
                // The own log goes on from there, in which stands what was asked before.
                WallProbe("an entry in the query, for an administrator") { ours, them in
                    managing(ours, "GET", "logs?take=1&fields=type&from=" + Request.escaped(them.log))
                },
            ],
            "GET /api/v2/logs/{id}": [named("GET", "logs/", "") { $0.log }],
            "GET /api/v2/jobs/{id}": [named("GET", "jobs/", "") { $0.job }],
            "GET /api/v2/jobs/{id}/errors": [named("GET", "jobs/", "/errors") { $0.job }],
            "GET /api/v2/jobs/{id}/result": [named("GET", "jobs/", "/result?key=x") { $0.job }],
            "POST /api/v2/jobs/users-exports": [
                made("jobs/users-exports") { ["connection_id": .string($0.connection)] }
            ],
            "POST /api/v2/jobs/users-imports": [
                WallProbe("a directory in a form, for an administrator") { ours, them in
                    let form =
                        "--b\r\nContent-Disposition: form-data; name=\"users\"\r\n\r\n[]\r\n--b\r\n"
                        + "Content-Disposition: form-data; name=\"connection_id\"\r\n\r\n\(them.connection)\r\n--b--\r\n"
                    var request = managing(ours, "POST", "jobs/users-imports")
                    request.body = Array(form.utf8)
                    return request.with("Content-Type", "multipart/form-data; boundary=b")
                }
            ],
            "POST /api/v2/tickets/password-change": [
                made("tickets/password-change") { ["user_id": .string($0.user)] },
                made("tickets/password-change") {
                    ["email": .string($0.username), "connection_id": .string($0.connection)]
                },
            ],
            "POST /api/v2/tickets/email-verification": [
                made("tickets/email-verification") { ["user_id": .string($0.user)] }
            ],
            "POST /api/v2/sessions/{id}/revoke": [named("POST", "sessions/", "/revoke") { $0.managedSession }],
            "POST /api/v2/users/{id}/revoke-access": [named("POST", "users/", "/revoke-access") { $0.user }],
        ]
        for method in ["GET", "PATCH", "DELETE"] {
            cases["\(method) /api/v2/users/{id}"] = [named(method, "users/", "") { $0.user }]
            cases["\(method) /api/v2/users/{id}/authentication-methods/{method_id}"] = [
                WallProbe("a passkey of another, for an administrator") { ours, them in
                    let path = "users/\(Request.escaped(ours.ids.user))/authentication-methods/"
                    return managing(
                        ours,
                        method,
                        path + Request.escaped(them.passkey),
                        method == "PATCH" ? ["name": "x"] : nil
                    )
                }
            ]
        }
        for method in ["GET", "DELETE"] {
            cases["\(method) /api/v2/user-blocks/{id}"] = [named(method, "user-blocks/", "") { $0.user }]
            cases["\(method) /api/v2/sessions/{id}"] = [named(method, "sessions/", "") { $0.managedSession }]
            cases["\(method) /api/v2/refresh-tokens/{id}"] = [named(method, "refresh-tokens/", "") { $0.family }]
            for things in ["sessions", "refresh-tokens"] {
                cases["\(method) /api/v2/users/{id}/\(things)"] = [named(method, "users/", "/" + things) { $0.user }]
            }
        }
        for method in ["GET", "POST", "PUT", "DELETE"] {
            cases["\(method) /api/v2/users/{id}/authentication-methods"] = [
                named(method, "users/", "/authentication-methods") { $0.user }
            ]
        }
        return cases
    }()

    private static func managing(_ ours: Party, _ method: String, _ path: String, _ body: JSONObject? = nil) -> Request
    {
        var request = body.map { Request.json("/api/v2/" + path, $0) } ?? .get("/api/v2/" + path)
        request.method = method
        return request.with("Authorization", "Bearer \(ours.managementToken)")
    }

    private static func file(_ verb: String, _ file: @escaping @Sendable (Belongings) -> JSONObject) -> WallProbe {
        WallProbe("a thing in a tenant file, for an administrator") { ours, them in
            var body: JSONObject = ["file": .object(file(them))]
            if verb == "apply" { body.set("version", "x") }
            return managing(ours, "POST", "tenant-file/\(verb)", body)
        }
    }

    private static func named(
        _ method: String,
        _ before: String,
        _ after: String,
        _ thing: @escaping @Sendable (Belongings) -> String
    ) -> WallProbe {
        WallProbe("a thing in the path, for an administrator") { ours, them in
            managing(ours, method, before + Request.escaped(thing(them)) + after, method == "PATCH" ? [:] : nil)
        }
    }

    private static func listed(
        _ list: String,
        naming parameter: String,
        _ thing: @escaping @Sendable (Belongings) -> String
    ) -> WallProbe {
        WallProbe("a thing in the query, for an administrator") { ours, them in
            managing(ours, "GET", "\(list)?\(parameter)=\(Request.escaped(thing(them)))")
        }
    }

    private static func made(_ list: String, _ body: @escaping @Sendable (Belongings) -> JSONObject) -> WallProbe {
        WallProbe("a thing in the body, for an administrator") { ours, them in
            managing(ours, "POST", list, body(them))
        }
    }

    private static func apis(_ method: String) -> [WallProbe] {
        [
            named(method, "resource-servers/", "") { $0.resourceServer },
            named(method, "resource-servers/", "") { "https://\($0.host)/api/v2/" },
        ]
    }
}
