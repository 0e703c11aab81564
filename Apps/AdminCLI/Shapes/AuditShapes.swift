import Audit
import Encodings
import Identity

extension Shape {
    /// An event, with the members of the line that is sealed.
    static func event(_ stored: StoredAuditEvent) -> JSONObject {
        (try? JSON.parse(AuditLine.text(of: stored)))?.object ?? JSONObject()
    }

    static func verified(_ verification: AuditVerification) -> JSONObject {
        var object: JSONObject = [
            "tenant": .string(verification.tenant ?? ""), "intact": true, "seals": .integer(verification.seals),
            "sealed_events": .integer(verification.sealedEvents),
            "events_not_sealed_yet": .integer(verification.unsealedEvents),
        ]
        if let last = verification.lastSeal {
            object.set("last_seal", .integer(last.number))
            object.set("last_sealed_at", .string(last.at))
        }
        object.set("keys", .array(verification.keys.map { .string($0) }))
        return object
    }
}
