import WebAuthn

/// What a reason means, and what an operator or developer can do about it.
struct CeremonyExplanation {
    let meaning: String
    let remedy: String

    /// The explanation of the outcome of a ceremony record.
    static func of(_ outcome: String) -> CeremonyExplanation {
        if let reason = CeremonyReason(rawValue: outcome) { return of(reason) }
        switch outcome {
        case "user_exists":
            return .init(
                meaning: "Somebody has one of the identifiers already; of two sign-ups at once the first one won.",
                remedy: "Nothing: the person signs in instead."
            )
        case "too_many_passkeys":
            return .init(
                meaning: "The user has as many passkeys as the connection allows.",
                remedy: "Raise options.passkey_options.webauthn.max_passkeys_per_user, or remove old passkeys."
            )
        default:
            return .init(
                meaning: "The ceremony was right, and something around it was refused.",
                remedy: "Look the word up in the HTTP contract, section 2.3."
            )
        }
    }

    private static func of(_ reason: CeremonyReason) -> CeremonyExplanation {
        let webauthn = "options.passkey_options.webauthn"
        return switch reason {
        case .invalidResponse:
            .init(
                meaning: "The response cannot be read: a member is missing, or is not base64url, JSON or CBOR.",
                remedy:
                    "Look at the client: send the credential's toJSON() unchanged. `latchkey-admin decode` shows parts."
            )
        case .typeMismatch:
            .init(
                meaning: "A registration was sent where a sign-in was begun, or the other way round.",
                remedy: "Answer create options with navigator.credentials.create, request options with get."
            )
        case .challengeMismatch:
            .init(
                meaning: "The response answers another challenge than this session's.",
                remedy: "Send the auth_session that came with the options; do not keep options for a second try."
            )
        case .originMismatch:
            .init(
                meaning: "The page or app that made the response is not one of the origins that were expected.",
                remedy: "Add it to the client's web_origins when its host is under the RP ID, to the domain's "
                    + "related_origins when it is not; for apps set the client's mobile member."
            )
        case .crossOrigin:
            .init(
                meaning: "The ceremony ran in a frame inside a page of another site.",
                remedy: "Set \(webauthn).allow_cross_origin, and the outer page's origin in allowed_top_origins."
            )
        case .rpIDMismatch:
            .init(
                meaning: "The passkey belongs to another RP ID than the domain that was called has.",
                remedy: "Call the domain with that RP ID, or add the old one with domain add --legacy-rp-id."
            )
        case .userPresenceMissing:
            .init(
                meaning: "The authenticator does not say that anybody was there.",
                remedy: "Nothing on this side: only an upgrade that the server began may go without."
            )
        case .userVerificationMissing:
            .init(
                meaning: "Verification by PIN or biometrics was required, and the authenticator did not do it.",
                remedy: "Set \(webauthn).user_verification to preferred, if passkeys without it shall count."
            )
        case .backupFlagsInvalid:
            .init(
                meaning: "The passkey claims to be backed up without being able to, or changed that since it was made.",
                remedy: "Set \(webauthn).backup_eligibility to allow-upgrade or observe, if you know why it changed."
            )
        case .algorithmNotAllowed:
            .init(
                meaning: "The key uses an algorithm that was not offered.",
                remedy: "Add it to \(webauthn).algorithms, if it is one that you want."
            )
        case .attestationInvalid:
            .init(
                meaning: "The authenticator's statement about itself is wrong: signature, certificate or form.",
                remedy: "Nothing is to be set: such a statement is never taken. `latchkey-admin decode` shows it."
            )
        case .authenticatorNotAllowed:
            .init(
                meaning: "The authenticator's statement is right, and the policy refuses it by format, model or root.",
                remedy: "The record's policy names the member of \(webauthn) that refused it. "
                    + "Where it is require_trusted_attestation or allowed_aaguids, look what mds show says of the AAGUID; "
                    + "unknown_attestation as_none takes formats that are not built as none, and "
                    + "allow_sha1_attestation old TPMs."
            )
        case .credentialExists:
            .init(
                meaning: "This passkey is registered already.",
                remedy: "Nothing: the person signs in with it."
            )
        case .unknownCredential:
            .init(
                meaning: "Nobody has this passkey: it was removed here, and the device kept it.",
                remedy: "Nothing: clients that take the signal remove it from the device."
            )
        case .userHandleMismatch:
            .init(
                meaning: "The passkey is one user's, and the authenticator names another.",
                remedy: "After an import, look whether user handles went along with their passkeys."
            )
        case .signatureInvalid:
            .init(
                meaning: "The signature is wrong, or the passkey was not among those that were listed.",
                remedy: "Look whether the client changes bytes on the way; a forged answer looks the same."
            )
        case .counterRegression:
            .init(
                meaning: "The signature counter did not rise: the passkey may have been copied.",
                remedy: "\(webauthn).counter_policy decides: reject, disable or warn."
            )
        case .userBlocked:
            .init(
                meaning: "The user is blocked.",
                remedy: "Unblock the user when the reason is gone."
            )
        case .userVerificationUnproven:
            .init(
                meaning: "The passkey has never proven verification, and the policy refuses such ones.",
                remedy: "Set \(webauthn).uv_unproven_login to allow, and it signs in as one factor."
            )
        }
    }
}
