public import Encodings

/// What a request says a custom domain should be (HTTP contract 11.6). Names are as they were entered.
public struct CustomDomainDocument: Hashable, Sendable {
    /// `nil`: the domain's own name.
    public let relyingPartyID: String?
    public let legacyRelyingPartyIDs: [String]
    public let relatedOrigins: [String]
    public let stored: JSONObject

    /// More are of no use: each is a choice that somebody who signs in has to make.
    public static let maximumLegacy = 5

    /// Reads the members that can be chosen.
    ///
    /// - Throws: a ``DocumentError`` that names the member.
    public init(document: JSONObject) throws(DocumentError) {
        var reader = DocumentReader(document)
        relyingPartyID = try reader.text("relying_party_identifier", .plain(1...253))
        legacyRelyingPartyIDs =
            try reader.texts("legacy_relying_party_identifiers", .plain(1...253), atMost: Self.maximumLegacy) ?? []
        relatedOrigins = try reader.texts("related_origins", .plain(1...300), atMost: 100) ?? []
        // How a name is proven here; another way is none.
        _ = try reader.text("verification_method", .word(["txt"]))
        stored = try reader.keep(Self.members)
        if let metadata = stored["domain_metadata"]?.object {
            guard metadata.count <= 10, metadata.members.allSatisfy({ Self.isMetadata($0.name, $0.value) }) else {
                throw .invalid(
                    "domain_metadata",
                    .object(metadata),
                    mustBe: "at most 10 members of at most 255 characters each"
                )
            }
        }
        try reader.end()
    }

    private static func isMetadata(_ name: String, _ value: JSONValue) -> Bool {
        guard let text = value.string else { return false }
        return (1...255).contains(name.unicodeScalars.count) && text.unicodeScalars.count <= 255
    }

    static let members = [
        KeptMember(
            "type",
            .words(["self_managed_certs", "auth0_managed_certs"]),
            absent: .string("self_managed_certs")
        ),
        KeptMember("tls_policy", .words(["recommended", "compatible"]), absent: .string("recommended")),
        KeptMember(
            "custom_client_ip_header",
            .words(["true-client-ip", "cf-connecting-ip", "x-forwarded-for", "x-azure-clientip", ""])
        ),
        KeptMember("domain_metadata", .object, absent: .object(JSONObject())),
    ]
}

extension Domain {
    /// The members that can be chosen, as ``CustomDomainDocument`` reads them.
    public var choices: JSONObject {
        var document: JSONObject = ["relying_party_identifier": .string(relyingPartyID)]
        document.set("legacy_relying_party_identifiers", texts: legacyRelyingPartyIDs)
        document.set("related_origins", texts: relatedOrigins)
        document.restore(CustomDomainDocument.members, from: stored)
        return document
    }

    /// The domain as the Management API gives it.
    public var document: JSONObject {
        var document: JSONObject = [
            "custom_domain_id": .string(id.text), "domain": .string(host), "primary": .bool(isDefault || isCanonical),
            "is_default": .bool(isDefault), "status": .string(status.rawValue),
            "verification": .object(verificationDocument),
        ]
        for member in choices.members { document.set(member.name, member.value) }
        document.set("created_at", .string(createdAt.rfc3339))
        return document
    }

    private var verificationDocument: JSONObject {
        let status = self.status == .ready ? "verified" : verification.problem == nil ? "pending" : "failed"
        var document: JSONObject = [
            "methods": [
                [
                    "name": "txt", "record": .string(verification.record),
                    "domain": .string(DomainVerification.recordName(of: name)),
                ]
            ],
            "status": .string(status),
        ]
        document.set("error_msg", text: verification.problem)
        document.set("last_verified_at", text: verification.verifiedAt?.rfc3339)
        return document
    }

    /// What a store keeps beside the columns: how the name was proven, and what is only kept.
    public var details: JSONObject {
        var details = JSONObject()
        if !verification.record.isEmpty { details.set("record", .string(verification.record)) }
        if let time = verification.verifiedAt { details.set("verified_at", .integer(time.milliseconds)) }
        if !verification.provenNames.isEmpty { details.set("proven", texts: verification.provenNames) }
        details.set("problem", text: verification.problem)
        if !stored.isEmpty { details.set("stored", .object(stored)) }
        return details
    }

    /// Takes ``details`` back.
    public mutating func restore(details: JSONObject) {
        verification = DomainVerification(
            record: details["record"]?.string ?? "",
            verifiedAt: details["verified_at"]?.integer.map { UnixTime(milliseconds: $0) },
            provenNames: details["proven"]?.array?.compactMap(\.string) ?? [],
            problem: details["problem"]?.string
        )
        stored = details["stored"]?.object ?? JSONObject()
    }
}
