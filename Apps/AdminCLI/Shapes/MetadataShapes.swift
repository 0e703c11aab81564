import Encodings
import Identity
import Terminal
import WebAuthn

extension Shape {
    /// The stored metadata, taken apart.
    static func read(_ stored: StoredMetadata) throws(CommandFailure) -> AuthenticatorMetadata {
        do throws(MetadataError) {
            return AuthenticatorMetadata(try MetadataPayload(decoding: stored.payload))
        } catch {
            throw CommandFailure(.failed, "the stored metadata is damaged: \(error). Import it again.")
        }
    }

    /// What was imported.
    static func metadata(_ blob: MetadataBLOB, replacing last: StoredMetadata?, at now: UnixTime) -> JSONObject {
        [
            "number": .integer(blob.payload.number),
            "previous_number": last.map { .integer($0.number) } ?? .null,
            "next_update": .string(blob.payload.nextUpdate),
            "stale": .bool(blob.payload.isStale(at: now.seconds)),
            "models": .integer(Int64(blob.payload.entries.count)),
            "unreadable_entries": .integer(Int64(blob.payload.unreadableEntries)),
            "signer": .string(blob.signer),
            "revocation": .array(
                blob.revocation.map { ["subject": .string($0.subject), "state": .string($0.state.rawValue)] }
            ),
        ]
    }

    /// What is in use.
    static func metadata(_ stored: StoredMetadata, _ metadata: AuthenticatorMetadata, at now: UnixTime) -> JSONObject {
        [
            "number": .integer(stored.number), "next_update": .string(stored.nextUpdate),
            "stale": .bool(metadata.isStale(at: now.seconds)), "models": .integer(Int64(metadata.count)),
            "signer": .string(stored.signer), "imported_at": .string(stored.importedAt.rfc3339),
        ]
    }

    /// A model, by its metadata or as a provider that is known without.
    static func model(_ aaguid: AAGUID?, _ model: MetadataEntry?, at now: UnixTime) -> JSONObject {
        var object: JSONObject = [:]
        if let aaguid { object.set("aaguid", .string(aaguid.description)) }
        let known = aaguid.flatMap(WellKnownProviders.name)
        object.set("name", .string(model?.statement?.name ?? known ?? ""))
        guard let model else {
            object.set("source", "the list of well-known providers; the metadata does not have it")
            return object
        }
        if let status = model.status { object.set("status", .string(status.rawValue)) }
        let compromise = model.compromise(at: now.seconds)
        object.set("trusted", .bool(compromise == nil))
        if let compromise { object.set("compromise", .string(compromise.status.rawValue)) }
        if let change = model.lastStatusChange { object.set("last_status_change", .string(change)) }
        if let icon = model.statement?.icon { object.set("icon", .string(icon)) }
        object.set("entry", Decoding.metadataEntry(model))
        return object
    }
}
