internal import Encodings
internal import Identity
internal import WebAuthn

/// The steps of ``Login/verify(_:answering:alongside:in:)``.
extension Login {
    /// Everything that needs no record.
    func check(
        _ json: JSONObject,
        as form: ResponseForm,
        _ pending: Pending,
        _ outcome: CeremonyOutcome
    ) throws(PasskeyError) -> (CheckedAssertion, JSONObject) {
        let response: AuthenticationResponse
        do throws(ResponseError) {
            response = try AuthenticationResponse(json, form: form)
        } catch {
            throw ceremonies.refuse(CeremonyError(error, in: .authentication), outcome)
        }
        let details = CeremonyDetails.of(response, pending.issued)
        do throws(CeremonyError) {
            return (try RelyingParty.check(response, answering: pending.issued), details)
        } catch {
            throw ceremonies.refuse(error, outcome, details: details)
        }
    }

    /// Whether the passkey's owner may answer this ceremony: a user of its connection, and whom it was begun for.
    static func mayAnswer(_ candidate: LoginCandidate, _ pending: Pending) -> Bool {
        guard candidate.user.connection == pending.connection.id else { return false }
        switch pending.named {
        case .nobody: return true
        case .user(let user): return user == candidate.user.id
        case .unknown: return false
        }
    }

    /// The refusal for an id that this tenant does not have under the RP ID. Only when nothing was listed, nobody in the
    /// deployment has it, and it was not made up here, is it said to be unknown: clients then remove the passkey.
    func unknown(
        _ checked: CheckedAssertion,
        _ pending: Pending,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) async throws(PasskeyError) -> PasskeyError {
        let id = checked.credentialID
        let rpID = pending.issued.rpID
        guard pending.issued.allowCredentials.isEmpty, !ceremonies.decoys.recognizes(id) else {
            return refuseAsWrongSignature(checked, checking: nil, outcome, details)
        }
        let isKnown = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.isKnown(credentialID: id, relyingPartyID: rpID)
        }
        if isKnown { return refuseAsWrongSignature(checked, checking: nil, outcome, details) }
        return ceremonies.refuse(
            CeremonyError(
                .unknownCredential,
                step: "7.2 step 6",
                expected: "a credential of this tenant",
                got: "credential \(Hex.encode(id.prefix(64)))"
            ),
            outcome,
            details: details,
            unknownCredential: Refusal.UnknownCredential(relyingPartyID: rpID, credentialID: id)
        )
    }

    /// Answers as to a wrong signature, after the work of checking one: the time must not tell it from a real one.
    func refuseAsWrongSignature(
        _ checked: CheckedAssertion,
        checking record: CredentialRecord?,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) -> PasskeyError {
        _ = Self.isSigned(checked, record ?? .placeholder(checked.credentialID))
        return wrongSignature(checked, outcome, user: nil, details)
    }

    private func wrongSignature(
        _ checked: CheckedAssertion,
        _ outcome: CeremonyOutcome,
        user: UserID?,
        _ details: JSONObject
    ) -> PasskeyError {
        let error = CeremonyError(
            .signatureInvalid,
            step: "7.2 step 6",
            expected: "a credential that may answer this ceremony",
            got: "credential \(Hex.encode(checked.credentialID.prefix(64)))"
        )
        return ceremonies.refuse(error, outcome, user: user, details: details)
    }

    func verify(
        _ checked: CheckedAssertion,
        _ candidate: LoginCandidate,
        _ pending: Pending,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) async throws(PasskeyError) -> VerifiedAssertion {
        let policy = pending.connection.options.passkey
        let record = candidate.passkey.record
        do throws(CeremonyError) {
            return try RelyingParty.verify(
                checked,
                with: record,
                ownerHandles: candidate.userHandles,
                counterPolicy: policy.counterPolicy,
                backupEligibility: policy.backupEligibility
            )
        } catch {
            switch error.reason {
            case .userHandleMismatch, .backupFlagsInvalid:
                // What the record holds is told to the holder of its key alone: a made-up credential has no record, and
                // must not differ from a real one.
                guard Self.isSigned(checked, record) else {
                    throw wrongSignature(checked, outcome, user: candidate.user.id, details)
                }
            case .counterRegression:
                if policy.counterPolicy == .disable, candidate.passkey.suspendedAt == nil,
                    let number = candidate.passkey.number
                {
                    try await suspend(number, candidate, outcome)
                }
            default:
                break
            }
            throw ceremonies.refuse(error, outcome, user: candidate.user.id, details: details)
        }
    }

    /// Whether the signature is right, whatever else is not.
    private static func isSigned(_ checked: CheckedAssertion, _ record: CredentialRecord) -> Bool {
        let verified = try? RelyingParty.verify(
            checked,
            with: record,
            ownerHandles: checked.userHandle.map { [$0] } ?? [],
            counterPolicy: .warn,
            backupEligibility: .observe
        )
        return verified != nil
    }

    /// Takes a passkey out of use whose counter did not rise, before the refusal is told.
    private func suspend(
        _ number: PasskeyNumber,
        _ candidate: LoginCandidate,
        _ outcome: CeremonyOutcome
    ) async throws(PasskeyError) {
        let event = outcome.auditEvent(
            ["passkey_suspended"],
            user: candidate.user.id,
            [
                "authentication_method_id": .string(candidate.passkey.id.text),
                "ceremony_id": .string(outcome.ceremony.id.text),
            ]
        )
        try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.suspend(number, tenant: outcome.context.tenant, audit: event)
        }
    }

    private func blocked(_ user: User, _ outcome: CeremonyOutcome, _ details: JSONObject) -> PasskeyError {
        let error = CeremonyError(.userBlocked, step: "", expected: "a user who is not blocked")
        return ceremonies.refuse(error, outcome, user: user.id, details: details)
    }

    /// Why a sign-in that was proven could not be stored: the user was blocked meanwhile, or another sign-in with the
    /// same counter was faster.
    func overtaken(_ verified: Verified, _ outcome: CeremonyOutcome) async throws(PasskeyError) -> PasskeyError {
        let user = try await stored { () async throws(StoreError) in
            try await ceremonies.users.user(verified.user.id, of: outcome.context.tenant)
        }
        if let user, user.blockedAt != nil { return blocked(user, outcome, verified.details) }
        return ceremonies.refuse(
            CeremonyError(
                .counterRegression,
                step: "7.2 step 22",
                expected: "more than another sign-in has just stored",
                got: "\(verified.assertion.signCount)",
                policy: .counterPolicy
            ),
            outcome,
            user: verified.user.id,
            details: verified.details
        )
    }

    /// The state of user and passkey, which is not told before the signature was right.
    func checkState(
        _ candidate: LoginCandidate,
        _ outcome: CeremonyOutcome,
        _ details: JSONObject
    ) throws(PasskeyError) {
        if candidate.user.blockedAt != nil { throw blocked(candidate.user, outcome, details) }
        if let suspended = candidate.passkey.suspendedAt {
            // Only a counter that did not rise suspends a passkey.
            let error = CeremonyError(
                .counterRegression,
                step: "7.2 step 22",
                expected: "a passkey in use",
                got: "suspended since \(suspended.rfc3339)",
                policy: .counterPolicy
            )
            throw ceremonies.refuse(error, outcome, user: candidate.user.id, details: details)
        }
    }
}
