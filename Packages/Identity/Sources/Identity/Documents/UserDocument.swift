public import Encodings

/// A user as the Management API creates one (HTTP contract 11.9), or as an import has one (11.17).
public struct UserDocument: Hashable, Sendable {
    /// `nil`: it is to be made.
    public let id: UserID?
    public let identifiers: [UserIdentifier]
    public let profile: UserProfile
    public let isBlocked: Bool
    /// As typed.
    public let password: String?
    /// Whether a mail was asked for.
    public let verifiesEmail: Bool
    /// Of an import: bcrypt, or another hash by its format.
    public let passwordHash: String?
    public let customPasswordHash: JSONObject?
    public let passkeys: [BroughtPasskey]

    /// What the document is for.
    public enum Purpose: Hashable, Sendable {
        case creation
        /// With hashes and with passkeys of these RP IDs.
        case `import`(relyingPartyIDs: [String])
    }

    /// Passkeys that one user may bring.
    public static let maximumPasskeys = 100

    /// - Parameters:
    ///   - document: its members. `connection` is not looked at.
    ///   - purpose: what it is for.
    ///   - options: of the user directory.
    /// - Throws: the first member that is wrong.
    public init(
        _ document: JSONObject,
        for purpose: Purpose,
        in options: ConnectionOptions
    ) throws(DocumentError) {
        var reader = DocumentReader(document)
        let given = reader.take("user_id")
        if let given {
            guard let found = given.string.flatMap({ UserID($0) }) else {
                throw reader.invalid("user_id", given, mustBe: "24 hexadecimal digits")
            }
            id = found
        } else {
            id = nil
        }
        let rules = SignupRules(options)
        var verified: [IdentifierKind: Bool] = [:]
        verified[.email] = try reader.bool("email_verified")
        verified[.phoneNumber] = try reader.bool("phone_verified")
        var identifiers: [UserIdentifier] = []
        for kind in SignupRules.kinds {
            guard let value = reader.take(kind.rawValue) else {
                if rules.status[kind] == .required { throw .missingMember(path: kind.rawValue) }
                continue
            }
            identifiers.append(
                try reader.identifier(kind, value, isVerified: verified[kind] ?? (kind == .username), rules)
            )
        }
        guard !identifiers.isEmpty else {
            throw .missingMember(path: SignupRules.kinds.first(where: rules.allows)?.rawValue ?? "email")
        }
        self.identifiers = identifiers
        var profile = UserProfile()
        profile.name = try reader.text("name", .plain(1...300))
        profile.nickname = try reader.text("nickname", .plain(1...300))
        profile.givenName = try reader.text("given_name", .plain(1...150))
        profile.familyName = try reader.text("family_name", .plain(1...150))
        profile.picture = try reader.text("picture", .webURL)
        profile.userMetadata = try reader.metadata("user_metadata") ?? JSONObject()
        profile.appMetadata = try reader.metadata("app_metadata") ?? JSONObject()
        self.profile = profile
        isBlocked = try reader.bool("blocked") ?? false
        switch purpose {
        case .creation:
            _ = reader.take("connection")
            password = try reader.text("password", .plain(1...PasswordOptions.maximumLength))
            let mail = try reader.bool("verify_email")
            verifiesEmail = mail ?? false
            (passwordHash, customPasswordHash, passkeys) = (nil, nil, [])
        case .import(let relyingPartyIDs):
            password = nil
            verifiesEmail = false
            passwordHash = try reader.text("password_hash", .plain(1...512))
            let custom = reader.take("custom_password_hash")
            guard custom == nil || custom?.object != nil else {
                throw reader.invalid("custom_password_hash", custom ?? .null, mustBe: "an object")
            }
            customPasswordHash = custom?.object
            guard passwordHash == nil || customPasswordHash == nil else {
                throw .conflict(
                    path: "custom_password_hash",
                    message: "password_hash and custom_password_hash exclude each other"
                )
            }
            var passkeys: [BroughtPasskey] = []
            for document in try reader.objects("passkeys", atMost: Self.maximumPasskeys) ?? [] {
                passkeys.append(try BroughtPasskey(document, relyingPartyIDs))
            }
            self.passkeys = passkeys
            if let factors = reader.take("mfa_factors"), factors.array?.isEmpty != true {
                throw .conflict(
                    path: "mfa_factors",
                    message: "mfa_factors are not taken: leave them out, and let the user enrol anew"
                )
            }
        }
        try reader.end()
    }
}

/// What a PATCH of a user says (HTTP contract 11.9).
public struct UserPatch: Hashable, Sendable {
    /// The user with what is changed; `updatedAt` and `blockedAt` are the caller's.
    public let user: User
    public let isBlocked: Bool?
    /// As typed.
    public let password: String?
    /// Whether a mail was asked for.
    public let sendsMail: Bool

    /// Metadata merge at their first level, where `null` removes a member; `null` removes a text too. A changed address
    /// counts as unverified unless the same patch says otherwise.
    ///
    /// - Throws: the first member that is wrong.
    public init(_ document: JSONObject, of old: User, in options: ConnectionOptions) throws(DocumentError) {
        var user = old
        let removed = Set(document.members.filter(\.value.isNull).map(\.name))
        var reader = DocumentReader(document)
        // The caller knows the connection; a client would get the mail.
        _ = try reader.text("connection", .plain(1...128))
        _ = try reader.text("client_id", .plain(1...128))
        let rules = SignupRules(options)
        let verified: [IdentifierKind: Bool?] = [
            .email: try reader.bool("email_verified"), .phoneNumber: try reader.bool("phone_verified"),
        ]
        for kind in SignupRules.kinds {
            let before = user.identifiers.firstIndex { $0.kind == kind }
            if removed.contains(kind.rawValue) {
                _ = reader.take(kind.rawValue)
                guard rules.status[kind] != .required else { throw .missingMember(path: kind.rawValue) }
                if let before { user.identifiers.remove(at: before) }
                continue
            }
            let isVerified = verified[kind] ?? nil
            if let value = reader.take(kind.rawValue) {
                var new = try reader.identifier(kind, value, isVerified: isVerified ?? (kind == .username), rules)
                if let before {
                    let was = user.identifiers[before]
                    if isVerified == nil, was.canonical.utf8.elementsEqual(new.canonical.utf8) {
                        new.isVerified = was.isVerified
                    }
                    user.identifiers[before] = new
                } else {
                    user.identifiers.append(new)
                }
            } else if let isVerified {
                guard let before else { throw .missingMember(path: kind.rawValue) }
                user.identifiers[before].isVerified = isVerified
            }
        }
        guard !user.identifiers.isEmpty else {
            throw .conflict(path: "email", message: "A user keeps at least one of email, phone_number and username")
        }
        func text(_ name: String, _ form: TextForm, _ old: String?) throws(DocumentError) -> String? {
            let new = try reader.text(name, form)
            return removed.contains(name) ? nil : new ?? old
        }
        user.profile.name = try text("name", .plain(1...300), old.profile.name)
        user.profile.nickname = try text("nickname", .plain(1...300), old.profile.nickname)
        user.profile.givenName = try text("given_name", .plain(1...150), old.profile.givenName)
        user.profile.familyName = try text("family_name", .plain(1...150), old.profile.familyName)
        user.profile.picture = try text("picture", .webURL, old.profile.picture)
        func metadata(_ name: String, _ old: JSONObject) throws(DocumentError) -> JSONObject {
            guard !removed.contains(name) else {
                _ = reader.take(name)
                return JSONObject()
            }
            guard let patch = try reader.metadata(name) else { return old }
            var merged = old
            for member in patch.members {
                if member.value.isNull { merged.remove(member.name) } else { merged.set(member.name, member.value) }
            }
            try reader.checkSize(name, merged)
            return merged
        }
        user.profile.userMetadata = try metadata("user_metadata", old.profile.userMetadata)
        user.profile.appMetadata = try metadata("app_metadata", old.profile.appMetadata)
        isBlocked = try reader.bool("blocked")
        password = try reader.text("password", .plain(1...PasswordOptions.maximumLength))
        var mails = false
        for name in ["verify_email", "verify_phone_number", "verify_password"] {
            if try reader.bool(name) == true { mails = true }
        }
        sendsMail = mails
        try reader.end()
        self.user = user
    }
}

extension DocumentReader {
    /// An identifier that the user directory takes, in its canonical form.
    fileprivate func identifier(
        _ kind: IdentifierKind,
        _ value: JSONValue,
        isVerified: Bool,
        _ rules: SignupRules
    ) throws(DocumentError) -> UserIdentifier {
        guard rules.allows(kind) else {
            throw .conflict(
                path: kind.rawValue,
                message: "The connection has no \(kind.rawValue) among its attributes"
            )
        }
        guard var identifier = value.string.flatMap({ rules.read($0, as: kind) }) else {
            let expected =
                switch kind {
                case .email: "an e-mail address"
                case .phoneNumber: "a phone number as +46701234567"
                case .username:
                    "a user name of \(rules.usernameLength.lowerBound) to "
                        + "\(rules.usernameLength.upperBound) characters"
                }
            throw invalid(kind.rawValue, value, mustBe: expected)
        }
        identifier.isVerified = isVerified
        return identifier
    }

    /// An object of bounded size.
    fileprivate mutating func metadata(_ name: String) throws(DocumentError) -> JSONObject? {
        guard let value = take(name) else { return nil }
        guard let object = value.object else { throw invalid(name, value, mustBe: "an object") }
        try checkSize(name, object)
        return object
    }

    fileprivate func checkSize(_ name: String, _ object: JSONObject) throws(DocumentError) {
        guard object.count <= 1000, JSONValue.object(object).serialized().count <= 64 << 10 else {
            throw .conflict(path: name, message: "\(name) has more than 1000 members or 64 KiB")
        }
    }
}
