public import Encodings
public import Identity
internal import WebAuthn

/// What a signed-in user's passkey manager may be told, so that it offers what is good still, under the name that is the
/// user's now (HTTP contract 9.6; WebAuthn L3 §5.1.10). One element for each RP ID that the domain serves, its current one
/// first; more where passkeys that were imported came with a user handle of their own.
public struct AccountSignals: Hashable, Sendable {
    public let accounts: [Account]

    /// An account as a passkey manager knows it.
    public struct Account: Hashable, Sendable {
        public let relyingPartyID: String
        public let userHandle: [UInt8]
        /// All that are good, the newest first: a manager hides or removes every other one.
        public let credentialIDs: [[UInt8]]
        public let names: AccountNames
    }

    /// - Parameters:
    ///   - passkeys: all of the user's, from one read.
    ///   - userHandle: the user's own.
    ///   - names: what the user is called.
    ///   - domain: where the user is signed in.
    init(_ passkeys: [Passkey], userHandle: [UInt8], names: AccountNames, on domain: Domain) {
        struct Key: Hashable {
            let relyingPartyID: [UInt8]
            let userHandle: [UInt8]
        }
        var order: [(key: Key, relyingPartyID: String)] = []
        var credentials: [Key: [[UInt8]]] = [:]
        func account(_ relyingPartyID: String, _ userHandle: [UInt8]) -> Key {
            let key = Key(relyingPartyID: Array(relyingPartyID.utf8), userHandle: userHandle)
            if credentials.updateValue(credentials[key] ?? [], forKey: key) == nil {
                order.append((key, relyingPartyID))
            }
            return key
        }
        // Also when it is empty: then what a manager has is of no use.
        _ = account(domain.relyingPartyID, userHandle)
        for passkey in passkeys where domain.serves(passkey.relyingPartyID) {
            credentials[account(passkey.relyingPartyID, passkey.userHandle), default: []].append(passkey.record.id)
        }
        accounts = order.map { key, relyingPartyID in
            Account(
                relyingPartyID: relyingPartyID,
                userHandle: key.userHandle,
                credentialIDs: credentials[key] ?? [],
                names: names
            )
        }
    }
}

extension Ceremonies {
    /// What the user's passkey manager may be told, as the store has it now.
    ///
    /// - Returns: `nil` when the store does not say: a list that cannot be complete is none.
    public func signals(for user: User, in context: RequestContext) async -> AccountSignals? {
        let passkeys = try? await credentials.passkeys(of: user.id, relyingPartyID: nil, tenant: context.tenant)
        guard let passkeys else { return nil }
        return await signals(for: user, having: passkeys, in: context)
    }

    /// The same, for a list that was just read.
    public func signals(
        for user: User,
        having passkeys: [Passkey],
        in context: RequestContext
    ) async -> AccountSignals? {
        guard let handle = try? await users.userHandle(of: user.id, tenant: context.tenant) else { return nil }
        let precedence = context.configuration.connection(user.connection)?.options.precedence
        return AccountSignals(
            passkeys,
            userHandle: handle,
            names: AccountNames(user, precedence: precedence ?? IdentifierKind.allCases),
            on: context.domain
        )
    }

    /// The signal for a key that a client made and that will never be of use, whatever the reason (HTTP contract 9.6).
    ///
    /// - Parameters:
    ///   - response: what the client sent as `RegistrationResponseJSON`.
    ///   - context: where.
    /// - Returns: `nil` when it is none, or somebody has a passkey of that id.
    public func signal(
        forMadeInVain response: JSONObject,
        in context: RequestContext
    ) async -> Refusal.UnknownCredential? {
        guard let made = try? RegistrationResponse(response, form: .interoperable) else { return nil }
        return await signal(made.id, context.domain.relyingPartyID)
    }
}
