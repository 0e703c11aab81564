public import Encodings

extension IssuedAuthentication {
    /// Writes everything the answer is judged by, for a cache outside the process; ``init(json:)`` reads it back.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("challenge")
        json.base64URL(challenge)
        json.name("rpID")
        json.string(rpID)
        json.name("origins")
        json.strings(origins)
        json.strings(ifAny: allowedTopOrigins, "topOrigins")
        json.name("uv")
        json.string(userVerification.rawValue)
        json.name("credentials")
        json.beginArray()
        for credential in allowCredentials { json.base64URL(credential) }
        json.endArray()
        json.name("identified")
        json.bool(userIdentified)
        json.endObject()
    }

    /// Reads what ``write(to:)`` wrote; `nil` for anything else.
    public init?(json: JSONObject) {
        guard let challenge = json.bytes("challenge"), let rpID = json["rpID"]?.string,
            let origins = json.strings("origins"), let topOrigins = json.strings(ifAny: "topOrigins"),
            let verification = json["uv"]?.string.flatMap(UserVerificationRequirement.init(rawValue:)),
            let credentials = json.strings("credentials")?.map({ try? Base64URL.decode($0) }),
            !credentials.contains(nil), let userIdentified = json["identified"]?.bool
        else { return nil }
        self.init(
            challenge: challenge,
            rpID: rpID,
            origins: origins,
            allowedTopOrigins: topOrigins,
            userVerification: verification,
            allowCredentials: credentials.compactMap { $0 },
            userIdentified: userIdentified
        )
    }
}

extension JSONWriter {
    /// A member that is left out when there is no list.
    mutating func strings(ifAny texts: [String]?, _ name: String) {
        guard let texts else { return }
        self.name(name)
        strings(texts)
    }
}

extension JSONObject {
    func bytes(_ name: String) -> [UInt8]? {
        self[name]?.string.flatMap { try? Base64URL.decode($0) }
    }

    func strings(_ name: String) -> [String]? {
        guard let elements = self[name]?.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    /// `.some(nil)` when the member is absent, `nil` when it is no list of strings.
    func strings(ifAny name: String) -> [String]?? {
        self[name] == nil ? .some(nil) : strings(name).map { .some($0) }
    }
}
