import Encodings
import SoftwareAuthenticator
import Testing

/// Things of another tenant's user at the My Account API, each asked for with a token of our user that may do everything.
extension WallCases {
    static let account: [String: [WallProbe]] = {
        let methods = "/me/v1/authentication-methods"
        var cases: [String: [WallProbe]] = [
            "GET /me/v1/factors": foreign("GET", "/me/v1/factors"),
            "GET \(methods)": foreign("GET", methods),
            "POST \(methods)": foreign("POST", methods) + [
                WallProbe("a user's id, for a user") { ours, them in
                    let identity = String(them.user.dropFirst("auth0|".count))
                    return asked(ours, "POST", methods, ["type": "passkey", "identity_user_id": .string(identity)])
                },
                WallProbe("a directory, for a user") { ours, them in
                    asked(ours, "POST", methods, ["type": "passkey", "connection": .string(them.relyingPartyID)])
                },
            ],
            "POST \(methods)/{id}/verify": foreign("POST", methods + "/passkey%7Cnew/verify") + [
                WallProbe("a ceremony of a user, for a user") { ours, them in
                    var holder = Authenticator()
                    let begun = try await ours.app.register(email: uniqueEmail())
                    let answer = try holder.create(begun.options, origin: ours.site.origin)
                    return asked(
                        ours,
                        "POST",
                        methods + "/passkey%7Cnew/verify",
                        ["auth_session": .string(them.accountSession), "authn_response": .object(answer)]
                    )
                }
            ],
        ]
        for method in ["GET", "PATCH", "DELETE"] {
            cases["\(method) \(methods)/{id}"] =
                foreign(method, methods + "/x") + [
                    WallProbe("a passkey of another, for a user") { ours, them in
                        let path = methods + "/" + Request.escaped(them.passkey)
                        return asked(ours, method, path, method == "PATCH" ? ["name": "x"] : nil)
                    }
                ]
        }
        return cases
    }()

    /// With a token of the other tenant's user for this very API.
    private static func foreign(_ method: String, _ path: String) -> [WallProbe] {
        [
            WallProbe("an account's token") { _, them in
                request(method, path, method == "GET" || method == "DELETE" ? nil : [:])
                    .with("Authorization", "Bearer \(them.accountToken)")
            }
        ]
    }

    private static func asked(_ ours: Party, _ method: String, _ path: String, _ body: JSONObject?) -> Request {
        request(method, path, body).with("Authorization", "Bearer \(ours.ids.accountToken)")
    }

    private static func request(_ method: String, _ path: String, _ body: JSONObject?) -> Request {
        var request = body.map { Request.json(path, $0) } ?? .get(path)
        request.method = method
        return request
    }
}
