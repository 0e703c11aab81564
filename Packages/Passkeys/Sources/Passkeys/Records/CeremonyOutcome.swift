internal import Encodings
internal import Identity
internal import WebAuthn

/// Writes the ends of one ceremony: its record and its audit event.
struct CeremonyOutcome {
    let ceremony: PendingCeremony
    let purpose: Purpose
    let context: RequestContext

    /// What a ceremony was for, and the log types of its ends (HTTP contract 11.14).
    enum Purpose: String {
        case signup, enroll, upgrade, recover, login

        var accepted: [String] {
            switch self {
            case .signup: ["ss", "sepkft"]
            case .login: ["s", "sepkft"]
            case .enroll: ["gd_enrollment_complete"]
            case .upgrade: ["passkey_upgraded"]
            case .recover: ["recovery_succeeded"]
            }
        }

        var refused: [String] {
            switch self {
            case .signup: ["fs", "fepkft"]
            case .login: ["fepkft"]
            case .recover: ["recovery_failed"]
            case .enroll, .upgrade: ["gd_webauthn_enrollment_failed"]
            }
        }
    }

    private var isOfAccount: Bool { ceremony.purpose.surface == .account }

    private var accepted: [String] {
        guard isOfAccount else { return purpose.accepted }
        return (purpose == .upgrade ? purpose.accepted : []) + ["my_account_authentication_method_succeeded"]
    }

    private var refused: [String] { isOfAccount ? ["my_account_authentication_method_failed"] : purpose.refused }

    /// The record and the event of a ceremony that ended well.
    func accepted(
        _ user: UserID,
        details: JSONObject,
        event: JSONObject
    ) -> (CeremonyRecord, AuditEvent) {
        (
            record(CeremonyRecord.accepted, step: nil, user: user, details),
            auditEvent(accepted, user: user, event)
        )
    }

    /// The record and the event of a ceremony that `error` ended.
    func refused(_ error: CeremonyError, user: UserID?, details: JSONObject) -> (CeremonyRecord, AuditEvent) {
        var details = details
        // A challenge is never written down, not even one that is used up.
        if error.reason != .challengeMismatch {
            if let expected = error.expected { details["expected"] = .string(expected) }
            if let got = error.got { details["got"] = .string(got) }
        }
        return refused(error.reason.rawValue, step: error.step, policy: error.policy, user: user, details: details)
    }

    /// The same for a reason that is no fault of the ceremony itself.
    func refused(
        _ reason: String,
        step: String = "",
        policy: CeremonyPolicy? = nil,
        user: UserID?,
        details: JSONObject
    ) -> (CeremonyRecord, AuditEvent) {
        var details = details
        if let policy { details["policy"] = .string("options.passkey_options.webauthn.\(policy.rawValue)") }
        return (
            record(reason, step: step.isEmpty ? nil : step, user: user, details),
            auditEvent(
                refused,
                user: user,
                ["reason": .string(reason), "ceremony_id": .string(ceremony.id.text)]
            )
        )
    }

    private func record(_ outcome: String, step: String?, user: UserID?, _ details: JSONObject) -> CeremonyRecord {
        CeremonyRecord(
            id: ceremony.id,
            tenant: ceremony.tenant,
            client: ceremony.client,
            connection: ceremony.connection,
            purpose: purpose.rawValue,
            outcome: outcome,
            step: step,
            user: user,
            startedAt: ceremony.startedAt,
            endedAt: context.now,
            device: context.device,
            details: details
        )
    }

    func auditEvent(_ types: [String], user: UserID?, _ details: JSONObject) -> AuditEvent {
        AuditEvent(
            tenant: ceremony.tenant,
            types: types,
            at: context.now,
            user: user,
            client: ceremony.client,
            connection: ceremony.connection,
            device: context.device,
            details: details
        )
    }
}
