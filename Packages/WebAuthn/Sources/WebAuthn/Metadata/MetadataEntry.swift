public import Encodings

/// One model of authenticator in a metadata BLOB (MDS3 §3.1.1).
public struct MetadataEntry: Hashable, Sendable {
    /// Of FIDO2 models.
    public let aaguid: AAGUID?
    /// Of UAF models, which no WebAuthn ceremony meets.
    public let aaid: String?
    /// Of U2F models: the identifiers of their attestation certificates' keys, 20 bytes each.
    public let attestationKeyIdentifiers: [[UInt8]]
    /// `nil`: none, or one that must not be used: outdated (``isOutdated``), or of another model.
    public let statement: MetadataStatement?
    /// Whether an update is to be had that the statement does not know of: its `authenticatorVersion` is below that of
    /// the report. Such a statement is rejected (MDS3 §3.1.4, `UPDATE_AVAILABLE`).
    public let isOutdated: Bool
    /// In the order of the entry, at least one; the last is the current one.
    public let statusReports: [StatusReport]
    /// `timeOfLastStatusChange`, as `2025-01-01`.
    public let lastStatusChange: String?
    /// The entry as it came, with what is not read here.
    public let document: JSONObject

    /// The current status.
    public var status: AuthenticatorStatus? { statusReports.last?.status }

    /// What speaks against the model at `time` (Unix seconds): the last report of a compromise or a revocation that is
    /// in effect and was not followed by a new certification.
    ///
    /// A report that an update is to be had does not clear it: a ceremony does not show which firmware made it.
    public func compromise(at time: Int64) -> StatusReport? {
        var compromise: StatusReport?
        for report in statusReports where report.isEffective(at: time) {
            if report.status.isCompromise {
                compromise = report
            } else if report.status.isCertification, compromise?.status != .revoked {
                compromise = nil
            }
        }
        return compromise
    }

    /// Reads an entry; `nil` when it names no model or has no status.
    init?(_ document: JSONObject) {
        aaid = document["aaid"]?.string
        if let text = document["aaguid"]?.string {
            guard let aaguid = AAGUID(text) else { return nil }
            self.aaguid = aaguid
        } else {
            aaguid = nil
        }
        attestationKeyIdentifiers = (document["attestationCertificateKeyIdentifiers"]?.array ?? []).compactMap {
            guard let text = $0.string, let bytes = try? Hex.decode(text), bytes.count == 20 else { return nil }
            return bytes
        }
        guard aaguid != nil || aaid != nil || !attestationKeyIdentifiers.isEmpty else { return nil }
        guard let reports = document["statusReports"]?.array, !reports.isEmpty else { return nil }
        statusReports = reports.compactMap { $0.object.flatMap(StatusReport.init) }
        // A status that could not be read might be the one that counts, unless another one is bad enough.
        guard statusReports.count == reports.count || statusReports.contains(where: \.status.isCompromise) else {
            return nil
        }
        let metadata = document["metadataStatement"]?.object
        let version = metadata?["authenticatorVersion"]?.integer
        isOutdated = statusReports.contains { $0.isUpdate(beyond: version) }
        // Another model's statement tells nothing of this one; its status reports do.
        let named = metadata?["aaguid"]?.string
        let isForeign = aaguid != nil && named != nil && named.flatMap { AAGUID($0) } != aaguid
        statement = isOutdated || isForeign ? nil : metadata.map(MetadataStatement.init)
        lastStatusChange = document["timeOfLastStatusChange"]?.string
        self.document = document
    }
}

/// One status of a model, from a day on (MDS3 §3.1.3).
public struct StatusReport: Hashable, Sendable {
    public let status: AuthenticatorStatus
    /// `effectiveDate`, as `2025-01-01`; `nil`: from ever.
    public let effectiveDate: String?
    /// `url`: where more is said.
    public let url: String?
    /// `authenticatorVersion`: from which firmware on it is meant.
    public let authenticatorVersion: Int64?

    /// Whether it says that there is newer firmware than `version`. What does not say a version says nothing of it.
    func isUpdate(beyond version: Int64?) -> Bool {
        guard status == .updateAvailable, let version, let authenticatorVersion else { return false }
        return authenticatorVersion > version
    }

    func isEffective(at time: Int64) -> Bool {
        guard let effectiveDate, let day = CalendarTime.seconds("\(effectiveDate)T00:00:00Z") else { return true }
        return day <= time
    }

    init?(_ document: JSONObject) {
        guard let status = document["status"]?.string, (1...100).contains(status.utf8.count) else { return nil }
        self.status = AuthenticatorStatus(rawValue: status)
        effectiveDate = document["effectiveDate"]?.string
        url = document["url"]?.string
        authenticatorVersion = document["authenticatorVersion"]?.integer
    }
}

/// A word for the state of a model (MDS3 §3.1.4). New ones come with time, so that every word is a value.
public struct AuthenticatorStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let revoked = AuthenticatorStatus(rawValue: "REVOKED")
    public static let updateAvailable = AuthenticatorStatus(rawValue: "UPDATE_AVAILABLE")

    /// Whether a model of this status must not be relied on.
    public var isCompromise: Bool { Self.compromises.contains(self) }

    /// Whether it says that the model was certified.
    public var isCertification: Bool { rawValue.hasPrefix("FIDO_CERTIFIED") }

    private static let compromises: Set<AuthenticatorStatus> = [
        .revoked, AuthenticatorStatus(rawValue: "USER_VERIFICATION_BYPASS"),
        AuthenticatorStatus(rawValue: "ATTESTATION_KEY_COMPROMISE"),
        AuthenticatorStatus(rawValue: "USER_KEY_REMOTE_COMPROMISE"),
        AuthenticatorStatus(rawValue: "USER_KEY_PHYSICAL_COMPROMISE"),
    ]
}
