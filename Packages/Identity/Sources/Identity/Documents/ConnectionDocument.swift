public import Encodings

extension Connection {
    /// Reads a user directory (HTTP contract 11.5). What is absent has its default.
    ///
    /// - Parameters:
    ///   - document: the members of the contract without `id`.
    ///   - id: what the store keeps beside the document, and so for the others.
    ///   - tenant: whose directory it is.
    ///   - createdAt: when it was made.
    ///   - updatedAt: when it was last changed.
    /// - Throws: ``DocumentError`` for the first member at fault.
    public init(
        document: JSONObject,
        id: ConnectionID,
        tenant: TenantID,
        createdAt: UnixTime,
        updatedAt: UnixTime
    ) throws(DocumentError) {
        var reader = DocumentReader(document)
        guard let strategy = try reader.text("strategy", .plain(1...64)) else {
            throw .missingMember(path: "strategy")
        }
        guard strategy == "auth0" else { throw .conflict(path: "strategy", message: "Strategy not supported") }
        guard let name = try reader.text("name", .plain(1...128)) else { throw .missingMember(path: "name") }
        guard Self.isName(name) else {
            throw reader.invalid(
                "name",
                .string(name),
                mustBe: "letters, digits and single hyphens between them, 128 at most"
            )
        }
        let displayName = try reader.text("display_name", .label(1...128))
        let realms = try reader.texts("realms", .plain(1...128), atMost: 1) ?? []
        guard realms.allSatisfy({ $0.utf8.elementsEqual(name.utf8) }) else {
            throw reader.invalid("realms", .array(realms.map { .string($0) }), mustBe: "the name of the connection")
        }
        var clients: [ClientID] = []
        for text in try reader.texts("enabled_clients", .plain(1...64), atMost: 10_000) ?? [] {
            let client = ClientID(text)
            if !clients.contains(client) { clients.append(client) }
        }
        let options = try reader.take("options").map { (value) throws(DocumentError) in
            guard let object = value.object else { throw reader.invalid("options", value, mustBe: "an object") }
            return try ConnectionOptions(document: object)
        }
        self.init(
            id: id,
            tenant: tenant,
            name: name,
            displayName: displayName,
            enabledClients: clients,
            options: options ?? ConnectionOptions(),
            createdAt: createdAt
        )
        self.updatedAt = updatedAt
        stored = try reader.keep(Self.kept)
        try reader.end()
    }

    /// The directory in the words of the Management API, defaults written out; without its id.
    public var document: JSONObject {
        var document: JSONObject = ["name": .string(name)]
        document.set("display_name", text: displayName)
        document.set("strategy", "auth0")
        document.set("realms", texts: [name])
        document.set("enabled_clients", texts: enabledClients.map(\.text))
        document.set("options", .object(options.document))
        document.restore(Self.kept, from: stored)
        return document
    }

    /// `^[a-zA-Z0-9](-[a-zA-Z0-9]|[a-zA-Z0-9])*$`
    private static func isName(_ text: String) -> Bool {
        var mayBeHyphen = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-") where mayBeHyphen: mayBeHyphen = false
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                mayBeHyphen = true
            default: return false
            }
        }
        return mayBeHyphen
    }

    private static let kept: [KeptMember] =
        [
            KeptMember("is_domain_connection", .bool, absent: false),
            KeptMember("metadata", .object, absent: .object(JSONObject())),
        ]
        + KeptMember.all(
            "show_as_button",
            "connected_accounts",
            "authentication",
            "cross_app_access_requesting_app",
            "cross_app_access_resource_app"
        )
}
