public import Encodings

/// Who signs up, as the request has it.
public enum Applicant: Sendable {
    /// `user_profile` and `user_metadata` of section 5.1; `nil` when absent.
    case profile(JSONObject, metadata: JSONValue?)
    /// `username` and `displayName` of section 12.1.
    case username(String, displayName: String?)
}

/// What a connection lets a sign-up say (HTTP contract 5.1).
public struct SignupRules: Sendable {
    let status: [IdentifierKind: ConnectionAttributes.SignupStatus]
    let usernameLength: ClosedRange<Int>

    public init(_ options: ConnectionOptions) {
        usernameLength = options.usernameLength
        if let attributes = options.attributes {
            status = [
                .email: attributes.email.signup, .phoneNumber: attributes.phoneNumber.signup,
                .username: attributes.username.signup,
            ]
        } else {
            status = [
                .email: .required, .phoneNumber: .inactive, .username: options.requiresUsername ? .required : .inactive,
            ]
        }
    }

    /// An identifier that a sign-up may or must have.
    public struct Field: Hashable, Sendable {
        public let kind: IdentifierKind
        public let isRequired: Bool
    }

    /// What a form asks for, in the contract's order. Where no identifier is required, one has to be there all the same.
    public var fields: [Field] {
        Self.kinds.filter(allows).map { Field(kind: $0, isRequired: status[$0] == .required) }
    }

    /// In the contract's order.
    static let kinds: [IdentifierKind] = [.email, .phoneNumber, .username]

    func allows(_ kind: IdentifierKind) -> Bool { status[kind] != .inactive }

    /// Reads an identifier in its canonical form; `nil` when it is not valid.
    func read(_ text: String, as kind: IdentifierKind) -> UserIdentifier? {
        switch kind {
        case .email: CanonicalIdentifier.email(text)
        case .phoneNumber: CanonicalIdentifier.phoneNumber(text)
        case .username: CanonicalIdentifier.username(text, length: usernameLength)
        }
    }
}

extension Applicant {
    /// The identifiers and the profile of the new account, checked in the contract's order: what is missing, what is
    /// not valid, what is unknown, metadata.
    ///
    /// - Throws: the first that is wrong.
    public func read(_ rules: SignupRules) throws(ApplicantError) -> (
        identifiers: [UserIdentifier], profile: UserProfile
    ) {
        switch self {
        case .profile(let attributes, let metadata):
            return try Self.read(attributes, metadata, rules)
        case .username(let text, let displayName):
            return try Self.read(username: text, displayName, rules)
        }
    }

    private static func read(
        _ attributes: JSONObject,
        _ metadata: JSONValue?,
        _ rules: SignupRules
    ) throws(ApplicantError) -> (identifiers: [UserIdentifier], profile: UserProfile) {
        // A member that is null counts as absent.
        let given = attributes.members.filter { !$0.value.isNull }
        func value(_ name: String) -> JSONValue? { given.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

        for kind in SignupRules.kinds where rules.status[kind] == .required && value(kind.rawValue) == nil {
            throw .missing(kind.rawValue)
        }
        let possible = SignupRules.kinds.filter(rules.allows)
        guard possible.contains(where: { value($0.rawValue) != nil }) else {
            throw .missing(possible.first?.rawValue ?? IdentifierKind.email.rawValue)
        }
        var identifiers: [UserIdentifier] = []
        for kind in possible {
            guard let member = value(kind.rawValue) else { continue }
            guard let text = member.string, let identifier = rules.read(text, as: kind) else {
                throw .invalid(kind.rawValue)
            }
            identifiers.append(identifier)
        }
        var profile = UserProfile()
        profile.name = try text(value("name"), "name", 1...300)
        profile.nickname = try text(value("nickname"), "nickname", 1...300)
        profile.givenName = try text(value("given_name"), "given_name", 1...150)
        profile.familyName = try text(value("family_name"), "family_name", 1...150)
        profile.picture = try text(value("picture"), "picture", 1...2048)
        if let picture = profile.picture, !isWebURL(picture) { throw .invalid("picture") }

        let known = possible.map(\.rawValue) + ["name", "nickname", "given_name", "family_name", "picture"]
        for member in given where !known.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            throw .unknown(member.name)
        }
        profile.userMetadata = try Self.metadata(metadata)
        return (identifiers, profile)
    }

    private static func read(
        username: String,
        _ displayName: String?,
        _ rules: SignupRules
    ) throws(ApplicantError) -> (identifiers: [UserIdentifier], profile: UserProfile) {
        guard let identifier = CanonicalIdentifier.any(username, usernameLength: rules.usernameLength),
            rules.allows(identifier.kind)
        else { throw .invalid("username") }
        for kind in SignupRules.kinds where rules.status[kind] == .required && kind != identifier.kind {
            throw .missing(kind.rawValue)
        }
        var profile = UserProfile()
        if let displayName, !displayName.isEmpty {
            profile.name = try text(.string(displayName), "displayName", 1...300)
        }
        return ([identifier], profile)
    }

    /// A text of so many characters, counted as Unicode scalars.
    private static func text(
        _ value: JSONValue?,
        _ name: String,
        _ length: ClosedRange<Int>
    ) throws(ApplicantError) -> String? {
        guard let value else { return nil }
        guard let text = value.string, length.contains(text.unicodeScalars.count) else {
            throw .invalid(name)
        }
        return text
    }

    /// `http://` or `https://`, a host, and nothing that a URL cannot hold.
    private static func isWebURL(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        for scheme in ["https://", "http://"] where bytes.starts(with: scheme.utf8) {
            guard let first = bytes.dropFirst(scheme.utf8.count).first else { return false }
            return !["/", "?", "#", ":"].contains(UnicodeScalar(first)) && !bytes.contains { $0 <= 0x20 || $0 == 0x7f }
        }
        return false
    }

    /// At most ten members, names of at most 100 characters and texts of at most 500: it is kept with each pending
    /// sign-up, before anybody is known.
    private static func metadata(_ value: JSONValue?) throws(ApplicantError) -> JSONObject {
        guard let value, !value.isNull else { return JSONObject() }
        guard let object = value.object, object.count <= 10,
            object.members.allSatisfy({ member in
                member.name.unicodeScalars.count <= 100
                    && member.value.string.map { $0.unicodeScalars.count <= 500 } ?? false
            })
        else {
            throw .invalidUserMetadata
        }
        return object
    }
}

/// What is missing or wrong in what a person says of themselves; each names the member.
public enum ApplicantError: Error, Hashable, Sendable {
    case missing(String)
    case invalid(String)
    case unknown(String)
    case invalidUserMetadata
}
