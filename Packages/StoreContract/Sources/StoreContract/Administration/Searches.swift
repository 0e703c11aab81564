import Encodings
import Identity

extension CredentialDatabaseContract {
    static let searches = [
        promise("Users are found in the order they were made, part by part, and counted") { scene in
            var made: [UserID] = []
            for index in 0..<7 {
                made.append(try await scene.made("u\(index)", at: scene.later(Int64(index) * 10)).id)
            }
            func ids(_ search: UserSearch) async throws -> [UserID] {
                try await scene.store.find(search, of: scene.tenant).users.map(\.user.id)
            }
            try requireEqual(try await ids(UserSearch(limit: 100)), made, "all")
            try requireEqual(
                try await ids(UserSearch(order: .newestFirst, skip: 2, limit: 3)),
                Array(made.reversed()[2..<5]),
                "a part, newest first"
            )
            let counted = try await scene.store.find(UserSearch(skip: 6, limit: 3, counts: true), of: scene.tenant)
            try requireEqual(counted.total, 7, "the count")
            try requireEqual(counted.users.map(\.user.id), [made[6]], "the last part")
            try requireEqual(try await ids(UserSearch(skip: 7, limit: 3)), [], "what is behind the end")
            try requireEqual(
                try await scene.store.find(UserSearch(limit: 3), of: scene.tenant).total,
                nil,
                "a count that was not asked for"
            )
        },
        promise("Each field of a search finds its users and no others") { scene in
            let long = String(repeating: "ü", count: 150)
            let ana = try await scene.made(
                "Ana",
                [scene.email("ana-search@example.com", isVerified: true), scene.username("ana")],
                user: [
                    "plan": "gold", "age": 41, "deep": ["er": true], "n": 10, "teams": ["red", "blue", "red", 7, "7"],
                    "long": .string(long),
                ],
                app: ["role": "boss"],
                at: scene.now
            )
            let bob = try await scene.made(
                "Bob Ünal",
                [scene.email("bob-search@example.com"), scene.phone("+46701234567")],
                user: ["plan": "silver", "age": 9, "n": "x", "ratio": .number(-1.5), "nothing": .null],
                blockedAt: scene.now,
                at: scene.later(86_400_000)
            )
            let nameless = try await scene.made(nil, [scene.username("zoe")], at: scene.later(2 * 86_400_000))
            let cases: [(query: String, found: [User])] = [
                ("email:ana-search@example.com", [ana]), ("email:\"ANA-Search@Example.com\"", [ana]),
                ("email:ana*", [ana]), ("email:*", [ana, bob]), ("NOT email:*", [nameless]), ("email:none", []),
                ("username:ana OR username:zoe", [ana, nameless]), ("phone_number:\"+46701234567\"", [bob]),
                ("phone_number:\\+4670*", [bob]), ("name:ana", [ana]), ("name:\"bob Ünal\"", [bob]),
                ("name:BOB*", [bob]), ("name:zoe", [nameless]), ("name:[b TO c]", [bob]),
                ("user_id:\"\(ana.id.subject)\"", [ana]), ("user_id:\(bob.id.hex)", [bob]),
                ("user_id:auth0*", [ana, bob, nameless]), ("user_id:\(ana.id.hex.prefix(23))*", [ana]),
                ("blocked:true", [bob]), ("blocked:false", [ana, nameless]), ("email_verified:true", [ana]),
                ("email_verified:false", [bob, nameless]), ("created_at:[* TO 2027-01-15]", [ana]),
                ("created_at:[2027-01-16 TO *]", [bob, nameless]),
                ("created_at:[2027-01-16T00:00:00Z TO 2027-01-16T23:59:59.999Z]", [bob]),
                ("last_login:*", []), ("logins_count:0", [ana, bob, nameless]), ("logins_count:[1 TO *]", []),
                ("user_metadata.plan:gold", [ana]), ("user_metadata.plan:*", [ana, bob]),
                ("user_metadata.plan:s*", [bob]), ("user_metadata.age:41", [ana]),
                ("user_metadata.age:[10 TO 50]", [ana]), ("user_metadata.n:[1 TO 50]", [ana]),
                ("user_metadata.teams:blue", [ana]), ("user_metadata.teams:7", [ana]),
                ("user_metadata.teams:[7 TO 7]", [ana]), ("user_metadata.teams:green", []),
                ("user_metadata.long:\(long.prefix(100))*", [ana]), ("user_metadata.long:\(long.prefix(100))", []),
                ("user_metadata.ratio:[-2 TO -1]", [bob]), ("user_metadata.ratio:[-1 TO 5]", []),
                ("user_metadata.ratio:[-9 TO -2]", []), ("user_metadata.nothing:*", []),
                ("user_metadata.deep.er:true", [ana]), ("NOT user_metadata.plan:gold", [bob, nameless]),
                ("app_metadata.role:boss", [ana]), ("user_metadata.role:boss", []),
                ("identities.connection:\"\(Connection.defaultName)\"", [ana, bob, nameless]),
                ("identities.connection:other", []),
                ("(name:ana OR name:bob*) AND NOT blocked:true", [ana]),
                ("NOT (email:ana* OR blocked:true)", [nameless]),
            ]
            for (query, expected) in cases {
                let filter = try UserFilter(searching: query)
                let found = try await scene.store.find(
                    UserSearch(filter: filter, limit: 100, counts: true),
                    of: scene.tenant
                )
                try requireEqual(found.users.map(\.user.id), expected.map(\.id), "what \(query) finds")
                try requireEqual(found.total, expected.count, "how many \(query) counts")
            }
        },
        promise("Where many match, a list is walked in its order and counted whole; what changed is found anew") {
            scene in
            var made: [User] = []
            for index in 0..<620 {
                made.append(
                    try await scene.made(
                        index == 600 ? nil : "Many \(index)",
                        [scene.username("many-\(index)")],
                        user: ["kind": "many", "index": .integer(Int64(index))],
                        app: index % 2 == 0 ? ["even": true] : [:],
                        at: scene.later(Int64(index))
                    )
                )
            }
            func find(_ query: String, order: UserOrder = .oldestFirst) async throws -> FoundUsers {
                let filter = try UserFilter(searching: query)
                return try await scene.store.find(
                    UserSearch(filter: filter, order: order, skip: 1, limit: 2, counts: true),
                    of: scene.tenant
                )
            }
            for (query, count, first) in [
                ("user_metadata.kind:many", 620, 1), ("username:many*", 620, 1), ("name:many*", 620, 1),
                ("user_metadata.index:[10 TO 615]", 606, 11), ("user_metadata.kind:many AND username:many-5*", 111, 50),
                ("user_metadata.kind:many AND NOT app_metadata.even:true", 310, 3),
                ("NOT user_metadata.kind:many", 0, -1), ("name:many* AND user_metadata.index:[598 TO 602]", 5, 599),
            ] {
                let found = try await find(query)
                try requireEqual(found.total, count, "how many \(query) counts")
                let expected = first < 0 ? [] : [made[first].id]
                try requireEqual(
                    Array(found.users.map(\.user.id).prefix(1)),
                    expected,
                    "the second that \(query) finds"
                )
            }
            try requireEqual(
                try await find("username:many*", order: .newestFirst).users.map(\.user.id),
                [made[618].id, made[617].id],
                "the second and third, newest first"
            )
            var changed = made[3]
            changed.profile.userMetadata = ["kind": "other"]
            changed.updatedAt = changed.updatedAt.adding(milliseconds: 1)
            let isChanged = try await scene.store.change(
                UserChange(old: made[3], new: changed),
                audit: scene.audit("sapi")
            )
            try require(isChanged, "the user is changed")
            try require(
                try await scene.store.remove(made[5].id, tenant: scene.tenant, audit: scene.audit("sapi")),
                "a user is removed"
            )
            for (query, count) in [
                ("user_metadata.kind:many", 618), ("user_metadata.kind:other", 1), ("user_metadata.index:3", 0),
                ("user_metadata.index:5", 0),
            ] {
                try requireEqual(try await find(query).total, count, "how many \(query) counts then")
            }
        },
        promise("A search by sign-ins counts those with passkeys too") { scene in
            let person = try await scene.signUp()
            let session = scene.session(of: person.user.id, at: scene.later(5000))
            _ = try await scene.store.finishLogin(
                scene.use(person.number, signCount: 0, at: scene.later(5000)),
                login: scene.login(session)
            )
            for (query, count) in [
                ("logins_count:2", 1), ("logins_count:[3 TO *]", 0), ("last_login:*", 1),
                ("last_login:[\(scene.later(5000).rfc3339) TO *]", 1),
                ("last_login:[* TO \(scene.later(4999).rfc3339)]", 0),
            ] {
                let search = UserSearch(filter: try UserFilter(searching: query), limit: 10, counts: true)
                try requireEqual(
                    try await scene.store.find(search, of: scene.tenant).total,
                    count,
                    "how many \(query) counts"
                )
            }
            let details = try requireSome(
                try await scene.store.details(of: person.user.id, tenant: scene.tenant),
                "the details"
            )
            try requireEqual(details.lastAddress, scene.device.address, "the last address")
            try requireEqual(details.passwordChangedAt, nil, "the time of a password that there is not")
            try requireEqual(details.user.loginsCount, 2, "the sign-ins")
        },
        promise("An address finds everybody who has it, in each user directory") { scene in
            let user = try await scene.made("Ana", [scene.email("ana-every@example.com")], at: scene.now)
            let identifier = try requireSome(user.identifiers.first, "the identifier")
            try requireEqual(
                try await scene.store.users(with: identifier, of: scene.tenant).map(\.user.id),
                [user.id],
                "who has the address"
            )
            let other = try await Scene(scene.store).tenant
            try requireEqual(try await scene.store.users(with: identifier, of: other), [], "who has it elsewhere")
            try requireEqual(
                try await scene.store.find(UserSearch(limit: 10, counts: true), of: other),
                FoundUsers(users: [], total: 0),
                "the users of another tenant"
            )
            try requireEqual(try await scene.store.details(of: user.id, tenant: other), nil, "the details elsewhere")
        },
    ]
}

extension Scene {
    func email(_ text: String, isVerified: Bool) -> UserIdentifier {
        UserIdentifier(kind: .email, canonical: text, entered: text, isVerified: isVerified)
    }

    func username(_ text: String) -> UserIdentifier {
        UserIdentifier(kind: .username, canonical: text, entered: text, isVerified: true)
    }

    func phone(_ text: String) -> UserIdentifier {
        UserIdentifier(kind: .phoneNumber, canonical: text, entered: text, isVerified: false)
    }

    /// Makes a user as an administrator does.
    func made(
        _ name: String?,
        _ identifiers: [UserIdentifier]? = nil,
        user metadata: JSONObject = [:],
        app: JSONObject = [:],
        blockedAt: UnixTime? = nil,
        handle: [UInt8] = randomBytes(32),
        password: PasswordRecord? = nil,
        passkeys: (UserID) -> [Passkey] = { _ in [] },
        at time: UnixTime
    ) async throws(StoreError) -> User {
        let user = User(
            id: UserID(now: time, random: randomBytes(8)),
            tenant: tenant,
            connection: connection,
            identifiers: identifiers ?? [email()],
            profile: UserProfile(name: name, userMetadata: metadata, appMetadata: app),
            blockedAt: blockedAt,
            createdAt: time,
            updatedAt: time
        )
        try await store.add(
            NewUser(user: user, userHandle: handle, password: password, passkeys: passkeys(user.id)),
            audit: audit("sapi", user: user.id)
        )
        return user
    }
}
