internal import Cryptography
internal import Encodings

/// The operation `mds3`.
enum MetadataVectors {
    static func mds3(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let anchors = try input.certificates("trustAnchors") ?? []
        guard let time = CalendarTime.seconds(try input.string("verificationTime")) else {
            throw VectorError("verificationTime is no UTC time")
        }
        let lastSeen = input.value("lastSeenNo") == nil ? nil : try input.integer("lastSeenNo")
        var lists: [CertificateRevocationList] = []
        for text in try input.optionalStrings("crls") ?? [] {
            let der = try VectorInput.base64URL(text, "crls")
            guard let list = try? CertificateRevocationList(der: der[...]) else {
                throw VectorError("crls holds another thing than revocation lists")
            }
            lists.append(list)
        }
        do throws(MetadataError) {
            let blob = try MetadataBLOB(
                verifying: Array(try blobText(input).utf8)[...],
                roots: anchors,
                lists: lists,
                lastSeen: lastSeen,
                at: time
            )
            return .accept([
                "no": .integer(blob.payload.number),
                "nextUpdate": .string(blob.payload.nextUpdate),
                "stale": .bool(blob.payload.isStale(at: time)),
                "entries": .array(blob.payload.entries.map { entry($0, at: time) }),
                "unreadableEntries": .integer(Int64(blob.payload.unreadableEntries)),
                "revocation": .array(
                    blob.revocation.map { ["subject": .string($0.subject), "state": .string($0.state.rawValue)] }
                ),
            ])
        } catch {
            return .reject(error.word, error.description)
        }
    }

    private static func blobText(_ input: VectorInput) throws(MetadataError) -> String {
        guard let text = input.value("blob")?.string else { throw .malformed(reason: "blob is no string") }
        return text
    }

    private static func entry(_ entry: MetadataEntry, at time: Int64) -> JSONValue {
        [
            "aaguid": entry.aaguid.map { .string($0.description) } ?? .null,
            "aaid": entry.aaid.map { .string($0) } ?? .null,
            "lastStatus": entry.status.map { .string($0.rawValue) } ?? .null,
            "compromise": entry.compromise(at: time).map { .string($0.status.rawValue) } ?? .null,
        ]
    }
}

extension MetadataError {
    /// The word for machines.
    fileprivate var word: String {
        switch self {
        case .malformed: "metadata_malformed"
        case .signature: "metadata_signature_invalid"
        case .chain: "metadata_signer_untrusted"
        case .revoked: "metadata_signer_revoked"
        case .rollback: "metadata_rollback"
        }
    }
}
