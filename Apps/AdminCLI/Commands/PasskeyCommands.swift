import Encodings
import Identity
import Terminal

/// `passkey list|revoke`.
enum PasskeyCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "passkey",
            "look at a user's passkeys and take them away",
            group: AdminProgram.Group.people,
            flags: [AdminProgram.tenantFlag],
            commands: [list(tools), revoke(tools)]
        )
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list a user's passkeys, newest first",
            words: [Word("USER", "an id, mail address, phone number or user name")],
            flags: [.output(ofList: true)],
            examples: ["latchkey-admin passkey list ana@example.com"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let user = try await deployment.user(invocation.word("USER") ?? "", in: tenant)
                let passkeys = try await deployment.store.passkeys(
                    of: user.id,
                    relyingPartyID: nil,
                    tenant: tenant.tenant.id
                )
                let models = try await PasskeyModels(of: passkeys, in: deployment.store)
                // JSON has the rest: the AAGUID, the icon, how it was attested.
                let columns = [
                    Column("id", title: "ID"), Column("relying_party_identifier", title: "RP ID"),
                    Column("authenticator"), Column("credential_device_type", title: "DEVICE"),
                    Column("credential_backed_up", title: "SYNCED"), Column("discoverable"),
                    Column("suspended"), Column("enrolled_by", title: "BY"),
                    Column("created_at", title: "CREATED", .time), Column("last_auth_at", title: "LAST USED", .time),
                ]
                var rows: [JSONObject] = []
                for passkey in passkeys { rows.append(Shape.passkey(passkey, try await models.model(of: passkey))) }
                console.answer(Listing(columns, rows: rows), as: invocation.format)
                return .done
            }
        }
    }

    private static func revoke(_ tools: AdminTools) -> Command {
        Command(
            "revoke",
            "remove a passkey for good, and end the refresh tokens of its sign-ins",
            words: [Word("PASSKEY", "its id, dev_…")],
            flags: [
                Flag("last", "remove it also when its user has no other way in"), .yes, .output(),
            ],
            examples: [
                "latchkey-admin passkey revoke dev_0aB3cD4eF5gH6iJ7",
                "latchkey-admin passkey revoke dev_0aB3cD4eF5gH6iJ7 --last --yes",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let given = invocation.word("PASSKEY") ?? ""
                let id = given.hasPrefix("passkey|") ? String(given.dropFirst(8)) : given
                try console.confirm(
                    typing: id,
                    what: [
                        "1 passkey of tenant \(tenant.tenant.name) goes, and the refresh tokens of its sign-ins with it.",
                        "The person's device keeps its half, which signs in nowhere then.",
                    ],
                    invocation.answers
                )
                let outcome = try await deployment.store.remove(
                    PasskeyID(id),
                    tenant: tenant.tenant.id,
                    keepingLast: !invocation.isSet("last"),
                    audit: deployment.event(id, of: tenant.tenant.id)
                )
                switch outcome {
                case .removed:
                    console.answer(Details(["id": .string(id), "revoked": true]), as: invocation.format)
                    return .done
                case .notFound: throw CommandFailure.notFound("passkey", id)
                case .lastSignInMethod:
                    throw CommandFailure(
                        .conflict,
                        "passkey \(quoted(id)) is its user's last way in. Add --last to remove it all the same."
                    )
                }
            }
        }
    }
}
