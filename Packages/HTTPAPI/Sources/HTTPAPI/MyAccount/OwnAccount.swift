import Encodings
import HTTPServer
import Identity
import Passkeys

/// What somebody who is signed in may do about their own ways to sign in, whichever interface asks (contract 10): the
/// same rules and the same records for the My Account API and the account page.
struct OwnAccount: Sendable {
    let services: APIServices
    let context: RequestContext
    let user: User
    let session: Session
    /// In whose name the change is written down.
    let client: Client

    var connection: Connection? { context.configuration.connection(user.connection) }
    var options: ConnectionOptions? { connection?.options }

    // MARK: What the user has

    /// The newest first.
    func passkeys() async throws(APIError) -> [Passkey] {
        do throws(StoreError) {
            return try await services.credentials.passkeys(
                of: user.id,
                relyingPartyID: nil,
                tenant: context.tenant
            )
        } catch { throw APIError(error) }
    }

    /// The password, where it signs anybody in.
    func password() async throws(APIError) -> AccountMethod? {
        guard options?.passwordsEnabled == true else { return nil }
        let details: UserDetails?
        do throws(StoreError) {
            details = try await services.people.details(of: user.id, tenant: context.tenant)
        } catch { throw APIError(error) }
        return details?.passwordChangedAt.map { .password(of: user, changedAt: $0) }
    }

    /// The recovery codes, where they get anybody in.
    func recoveryCodes() async throws(APIError) -> RecoveryCodeSet? {
        guard takesRecoveryCodes else { return nil }
        do throws(PasskeyError) {
            return try await services.recoveryCodes.set(of: user.id, context)
        } catch { throw APIError(error, at: .account) }
    }

    /// Whether the user's connection lets people in by recovery codes: to a new passkey.
    var takesRecoveryCodes: Bool {
        guard let options, context.settings.passkeysEnabled, options.passkeysEnabled else { return false }
        return options.recoveryMethods.contains(.recoveryCode)
    }

    // MARK: Who may change it

    /// - Throws: `insufficient_user_authentication`.
    func requireFreshProof(having passkeys: [Passkey]) throws(APIError) {
        do throws(PasskeyError) {
            try FreshProof.check(session, hasPasskey: !passkeys.isEmpty, in: context)
        } catch { throw APIError(error, at: .account) }
    }

    /// A new passkey that an upgrade made changes nothing but itself for a time (contract 9.4).
    ///
    /// - Parameters:
    ///   - passkeys: all that the user has.
    ///   - changed: what is to be changed; `nil`: something else than a passkey.
    /// - Throws: `passkey_on_probation`.
    func requireNoProbation(having passkeys: [Passkey], changing changed: Passkey? = nil) throws(APIError) {
        let policy = options?.passkey ?? PasskeyOptions()
        guard Probation.holds(session, having: passkeys, by: policy, now: context.now) else { return }
        guard let changed, changed.number == session.passkey else { throw .onProbation }
    }

    // MARK: Changes

    /// Gives a passkey a name of 1 to 100 characters.
    ///
    /// - Throws: `invalid_parameter`, `method_not_found`.
    func rename(_ passkey: Passkey, to name: String) async throws(APIError) {
        guard (1...100).contains(name.unicodeScalars.count) else { throw .invalid("name") }
        let isDone: Bool
        do throws(StoreError) {
            isDone = try await services.passkeys.rename(
                passkey.id,
                of: user.id,
                to: name,
                tenant: context.tenant,
                audit: event("update", .passkey(passkey))
            )
        } catch { throw APIError(error) }
        guard isDone else { throw .methodNotFound }
    }

    /// - Throws: `method_not_found`, `last_method`.
    func remove(_ passkey: Passkey) async throws(APIError) {
        let outcome: RemovePasskeyOutcome
        do throws(StoreError) {
            outcome = try await services.passkeys.removeOwn(
                passkey.id,
                of: user.id,
                by: session.id,
                countingPassword: options?.passwordsEnabled == true,
                tenant: context.tenant,
                audit: event("delete", .passkey(passkey))
            )
        } catch { throw APIError(error) }
        switch outcome {
        case .removed: return
        case .notFound: throw .methodNotFound
        case .lastSignInMethod: throw .lastMethod
        }
    }

    // MARK: What is written down

    /// The record of a change that was made.
    func event(_ operation: String, _ method: AccountMethod) -> AuditEvent {
        event(
            "my_account_authentication_method_succeeded",
            [
                "operation": .string(operation),
                "authentication_method": ["id": .string(method.id), "type": .string(method.type)],
            ]
        )
    }

    /// The record of one that was refused.
    func event(refusedFor reason: String, method: HTTPMethod) -> AuditEvent {
        event(
            "my_account_authentication_method_failed",
            ["reason": .string(reason), "method": .string(method.description)]
        )
    }

    func event(_ type: String, _ details: JSONObject = [:]) -> AuditEvent {
        AuditEvent(
            tenant: context.tenant,
            types: [type],
            at: context.now,
            user: user.id,
            client: client.id,
            connection: user.connection,
            device: context.device,
            details: details
        )
    }
}
