import Encodings
import WebAuthn

extension PendingCeremony {
    /// The ceremony as bytes, for a cache outside the process: one JSON document with the number of its form.
    public var encoded: [UInt8] {
        var json = JSONWriter(capacity: 768)
        json.beginObject()
        json.name("v")
        json.integer(Self.form)
        json.name("id")
        json.string(id.text)
        json.name("tenant")
        json.integer(tenant.number)
        json.name("client")
        json.string(client.text)
        json.name("connection")
        json.string(connection.text)
        json.name("host")
        json.string(domainHost)
        json.name("from")
        json.integer(startedAt.milliseconds)
        json.name("until")
        json.integer(expiresAt.milliseconds)
        write(purpose, to: &json)
        json.endObject()
        return json.bytes
    }

    /// Reads what ``encoded`` gave; `nil` for anything else, as for the form of another version.
    public init?(decoding bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes, allowingNUL: true).object, json["v"]?.integer == Int64(Self.form),
            let id = json["id"]?.string.flatMap({ CeremonyID($0) }), let tenant = json["tenant"]?.integer,
            let client = json["client"]?.string, let connection = json["connection"]?.string,
            let host = json["host"]?.string, let from = json["from"]?.integer, let until = json["until"]?.integer,
            let surface = json["surface"]?.string.flatMap(CeremonySurface.init(rawValue:)),
            let purpose = Self.purpose(json, surface)
        else { return nil }
        self.init(
            id: id,
            tenant: TenantID(number: tenant),
            client: ClientID(client),
            connection: ConnectionID(connection),
            domainHost: host,
            purpose: purpose,
            startedAt: UnixTime(milliseconds: from),
            expiresAt: UnixTime(milliseconds: until)
        )
    }

    private static let form = 1

    private func write(_ purpose: Purpose, to json: inout JSONWriter) {
        switch purpose {
        case .signup(let issued, let account, let surface):
            json.name("signup")
            issued.write(to: &json)
            json.name("account")
            json.value(.object(account.document))
            json.member("surface", surface.rawValue)
        case .enroll(let issued, let user, let userHandle, let session, let surface):
            json.name("enroll")
            issued.write(to: &json)
            json.member("user", user.hex)
            json.name("handle")
            json.base64URL(userHandle)
            json.member("session", session.text)
            json.member("surface", surface.rawValue)
        case .recover(let issued, let user, let userHandle, let proof, let surface):
            json.name("recover")
            issued.write(to: &json)
            json.member("user", user.hex)
            json.name("handle")
            json.base64URL(userHandle)
            json.member("proof", proof.kind.rawValue)
            json.name("proof_hash")
            json.base64URL(proof.hash)
            json.member("surface", surface.rawValue)
        case .login(let issued, let surface, let named):
            json.name("login")
            issued.write(to: &json)
            switch named {
            case .nobody: break
            case .user(let user): json.member("user", user.hex)
            case .unknown: json.member("user", "unknown")
            }
            json.member("surface", surface.rawValue)
        }
    }

    private static func purpose(_ json: JSONObject, _ surface: CeremonySurface) -> Purpose? {
        if let issued = json["signup"]?.object {
            guard let issued = IssuedRegistration(json: issued),
                let account = json["account"]?.object.flatMap(NewAccount.init(document:))
            else { return nil }
            return .signup(issued, account, surface)
        }
        if let issued = json["enroll"]?.object {
            guard let issued = IssuedRegistration(json: issued),
                let user = json["user"]?.string.flatMap({ UserID($0) }),
                let handle = json["handle"]?.string.flatMap({ try? Base64URL.decode($0) }),
                let session = json["session"]?.string.flatMap({ SessionID($0) })
            else { return nil }
            return .enroll(issued, user: user, userHandle: handle, session: session, surface)
        }
        if let issued = json["recover"]?.object {
            guard let issued = IssuedRegistration(json: issued),
                let user = json["user"]?.string.flatMap({ UserID($0) }),
                let handle = json["handle"]?.string.flatMap({ try? Base64URL.decode($0) }),
                let kind = json["proof"]?.string.flatMap(RecoveryProof.Kind.init(rawValue:)),
                let hash = json["proof_hash"]?.string.flatMap({ try? Base64URL.decode($0) })
            else { return nil }
            return .recover(
                issued,
                user: user,
                userHandle: handle,
                proof: RecoveryProof(kind, hash: hash),
                surface
            )
        }
        guard let issued = json["login"]?.object.flatMap(IssuedAuthentication.init(json:)) else { return nil }
        switch json["user"] {
        case nil: return .login(issued, surface, named: .nobody)
        case .string("unknown")?: return .login(issued, surface, named: .unknown)
        case .string(let text)?: return UserID(text).map { .login(issued, surface, named: .user($0)) }
        default: return nil
        }
    }
}

extension NewAccount {
    fileprivate var document: JSONObject {
        var document: JSONObject = [
            "identifiers": .array(
                identifiers.map { identifier in
                    [
                        "kind": .string(identifier.kind.rawValue), "canonical": .string(identifier.canonical),
                        "entered": .string(identifier.entered), "verified": .bool(identifier.isVerified),
                    ]
                }
            ),
            "handle": .string(Base64URL.encode(userHandle)),
        ]
        document.set("name", text: profile.name)
        document.set("given_name", text: profile.givenName)
        document.set("family_name", text: profile.familyName)
        document.set("nickname", text: profile.nickname)
        document.set("picture", text: profile.picture)
        if !profile.userMetadata.isEmpty { document.set("user_metadata", .object(profile.userMetadata)) }
        if !profile.appMetadata.isEmpty { document.set("app_metadata", .object(profile.appMetadata)) }
        return document
    }

    fileprivate init?(document: JSONObject) {
        guard let elements = document["identifiers"]?.array,
            let handle = document["handle"]?.string.flatMap({ try? Base64URL.decode($0) })
        else { return nil }
        var identifiers: [UserIdentifier] = []
        for element in elements {
            guard let element = element.object,
                let kind = element["kind"]?.string.flatMap(IdentifierKind.init(rawValue:)),
                let canonical = element["canonical"]?.string, let entered = element["entered"]?.string,
                let isVerified = element["verified"]?.bool
            else { return nil }
            identifiers.append(
                UserIdentifier(kind: kind, canonical: canonical, entered: entered, isVerified: isVerified)
            )
        }
        self.init(
            identifiers: identifiers,
            profile: UserProfile(
                name: document["name"]?.string,
                givenName: document["given_name"]?.string,
                familyName: document["family_name"]?.string,
                nickname: document["nickname"]?.string,
                picture: document["picture"]?.string,
                userMetadata: document["user_metadata"]?.object ?? JSONObject(),
                appMetadata: document["app_metadata"]?.object ?? JSONObject()
            ),
            userHandle: handle
        )
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }
}
