public import COSE
public import Encodings

/// `PublicKeyCredentialCreationOptionsJSON` (WebAuthn L3 §5.1.8, HTTP contract 4.1).
///
/// A member that is `nil` is left out; all others are written, also when they are empty.
public struct CreationOptions: Hashable, Sendable {
    public var rpID: String
    public var rpName: String
    /// 1 to 64 bytes that say nothing about the user (§14.6.1).
    public var userID: [UInt8]
    /// Written up to the last character that fits in 64 bytes of UTF-8 (§6.4.1), and so is the display name.
    public var userName: String
    public var userDisplayName: String
    public var challenge: [UInt8]
    /// In the order of preference.
    public var algorithms: [COSEAlgorithm]
    /// Milliseconds.
    public var timeout: Int64
    public var authenticatorSelection: AuthenticatorSelection
    public var attestation: AttestationConveyancePreference?
    public var excludeCredentials: [CredentialDescriptor]?
    public var hints: [String]?
    public var extensions: JSONObject?

    public init(
        rpID: String,
        rpName: String,
        userID: [UInt8],
        userName: String,
        userDisplayName: String,
        challenge: [UInt8],
        algorithms: [COSEAlgorithm],
        timeout: Int64,
        authenticatorSelection: AuthenticatorSelection = AuthenticatorSelection(),
        attestation: AttestationConveyancePreference? = nil,
        excludeCredentials: [CredentialDescriptor]? = nil,
        hints: [String]? = nil,
        extensions: JSONObject? = nil
    ) {
        self.rpID = rpID
        self.rpName = rpName
        self.userID = userID
        self.userName = userName
        self.userDisplayName = userDisplayName
        self.challenge = challenge
        self.algorithms = algorithms
        self.timeout = timeout
        self.authenticatorSelection = authenticatorSelection
        self.attestation = attestation
        self.excludeCredentials = excludeCredentials
        self.hints = hints
        self.extensions = extensions
    }

    /// The member `authenticatorSelection` (§5.4.4).
    public struct AuthenticatorSelection: Hashable, Sendable {
        public var authenticatorAttachment: AuthenticatorAttachment?
        public var residentKey: ResidentKeyRequirement?
        /// The older way to say `residentKey: required`; `nil`: left out.
        public var requireResidentKey: Bool?
        public var userVerification: UserVerificationRequirement?

        public init(
            authenticatorAttachment: AuthenticatorAttachment? = nil,
            residentKey: ResidentKeyRequirement? = .required,
            requireResidentKey: Bool? = nil,
            userVerification: UserVerificationRequirement? = .preferred
        ) {
            self.authenticatorAttachment = authenticatorAttachment
            self.residentKey = residentKey
            self.requireResidentKey = requireResidentKey
            self.userVerification = userVerification
        }
    }

    /// Writes the options as one JSON object.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(to: &json)
        json.endObject()
    }

    /// Writes the members alone, for an object that has others too.
    public func writeMembers(to json: inout JSONWriter) {
        json.name("rp")
        json.beginObject()
        json.member("id", rpID)
        json.member("name", rpName)
        json.endObject()
        json.name("user")
        json.beginObject()
        json.name("id")
        json.base64URL(userID)
        json.member("name", Self.shortened(userName))
        json.member("displayName", Self.shortened(userDisplayName))
        json.endObject()
        json.name("challenge")
        json.base64URL(challenge)
        json.name("pubKeyCredParams")
        json.beginArray()
        for algorithm in algorithms {
            json.beginObject()
            json.member("type", "public-key")
            json.name("alg")
            json.integer(algorithm.rawValue)
            json.endObject()
        }
        json.endArray()
        json.name("timeout")
        json.integer(timeout)
        if let excludeCredentials {
            json.name("excludeCredentials")
            json.descriptors(excludeCredentials)
        }
        json.name("authenticatorSelection")
        writeSelection(to: &json)
        if let hints {
            json.name("hints")
            json.strings(hints)
        }
        if let attestation { json.member("attestation", attestation.rawValue) }
        if let extensions {
            json.name("extensions")
            json.value(.object(extensions))
        }
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > 64 else { return name }
        var short = ""
        var used = 0
        for character in name {
            used += character.utf8.count
            guard used <= 64 else { break }
            short.append(character)
        }
        return short
    }

    private func writeSelection(to json: inout JSONWriter) {
        let selection = authenticatorSelection
        json.beginObject()
        if let attachment = selection.authenticatorAttachment {
            json.member("authenticatorAttachment", attachment.rawValue)
        }
        if let residentKey = selection.residentKey { json.member("residentKey", residentKey.rawValue) }
        if let required = selection.requireResidentKey {
            json.name("requireResidentKey")
            json.bool(required)
        }
        if let verification = selection.userVerification { json.member("userVerification", verification.rawValue) }
        json.endObject()
    }
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }
}
