public import Encodings
public import Identity
public import WebAuthn

/// Makes a new user with a passkey (HTTP contract 5.1, 5.3, 12.1, 12.2).
public struct SignUp: Sendable {
    private let ceremonies: Ceremonies

    public init(_ ceremonies: Ceremonies) {
        self.ceremonies = ceremonies
    }

    /// Begins a ceremony. No user is made yet.
    ///
    /// - Parameters:
    ///   - applicant: who signs up.
    ///   - surface: the interface that asks.
    ///   - realm: the request's `realm` or `connection`.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Returns: what to send.
    /// - Throws: what ``PasskeyError`` lists before a ceremony, in the contract's order.
    public func begin(
        _ applicant: Applicant,
        at surface: CeremonySurface,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions> {
        try context.checkMayUsePasskeys(client, at: surface)
        let connection = try context.directory(realm: realm, for: client)
        try context.checkSwitches(connection, at: surface)
        guard !connection.options.signupDisabled else { throw .signupDisabled }
        let (identifiers, profile) = try Self.read(applicant, connection)
        for identifier in identifiers {
            let taken = try await stored { () async throws(StoreError) in
                try await ceremonies.users.user(with: identifier, in: connection.id, of: context.tenant)
            }
            guard taken == nil else { throw .userExists }
        }

        let composer = CeremonyOptions(
            surface: surface,
            client: client,
            connection: connection,
            context: context
        )
        let beginning = ceremonies.beginning(composer)
        let account = NewAccount(identifiers: identifiers, profile: profile, userHandle: ceremonies.random(32))
        let names = AccountNames(
            identifiers: identifiers,
            profile: profile,
            precedence: connection.options.precedence
        )
        return try await ceremonies.begin(
            beginning,
            .signup(composer.registration(challenge: beginning.challenge), account, surface),
            options: composer.creation(
                of: names,
                userHandle: account.userHandle,
                challenge: beginning.challenge,
                excluding: nil
            ),
            for: client,
            connection: connection,
            in: context
        )
    }

    private static func read(
        _ applicant: Applicant,
        _ connection: Connection
    ) throws(PasskeyError) -> (identifiers: [UserIdentifier], profile: UserProfile) {
        do throws(ApplicantError) {
            return try applicant.read(SignupRules(connection.options))
        } catch {
            switch error {
            case .missing(let name): throw .missingIdentifier(name)
            case .invalid(let name): throw .invalidIdentifier(name)
            case .unknown(let name): throw .unknownAttribute(name)
            case .invalidUserMetadata: throw .invalidUserMetadata
            }
        }
    }

    /// A sign-up that was taken and waits for its verification.
    public struct Pending: Sendable {
        let ceremony: PendingCeremony
        let connection: Connection
        let issued: IssuedRegistration
        let account: NewAccount

        public var id: CeremonyID { ceremony.id }
    }

    /// A new user and passkey, proven and not stored.
    public struct Verified: Sendable {
        public let user: User
        public let passkey: Passkey
        public let authentication: Authentication
        let pending: Pending
        let details: JSONObject

        fileprivate init(
            user: User,
            passkey: Passkey,
            authentication: Authentication,
            pending: Pending,
            details: JSONObject
        ) {
            self.user = user
            self.passkey = passkey
            self.authentication = authentication
            self.pending = pending
            self.details = details
        }
    }

    /// Verifies the answer (WebAuthn L3 §7.1).
    ///
    /// - Parameters:
    ///   - response: the `RegistrationResponseJSON`.
    ///   - pending: what was taken.
    ///   - context: where.
    /// - Returns: the proof.
    /// - Throws: `.signupDisabled`, `.refused`.
    public func verify(
        _ response: JSONObject,
        answering pending: Pending,
        in context: RequestContext
    ) async throws(PasskeyError) -> Verified {
        let outcome = CeremonyOutcome(ceremony: pending.ceremony, purpose: .signup, context: context)
        guard !pending.connection.options.signupDisabled else {
            ceremonies.note("signup_disabled", outcome)
            throw .signupDisabled
        }
        let (registration, details) = try await ceremonies.verify(response, answering: pending.issued, outcome)
        let user = User(
            id: UserID(now: context.now, random: ceremonies.random(8)),
            tenant: context.tenant,
            connection: pending.connection.id,
            identifiers: pending.account.identifiers,
            profile: pending.account.profile,
            createdAt: context.now,
            updatedAt: context.now,
            lastLogin: context.now,
            loginsCount: 1
        )
        let passkey = Passkey(
            id: PasskeyID(random: ceremonies.random(12)),
            tenant: context.tenant,
            user: user.id,
            relyingPartyID: pending.issued.rpID,
            userHandle: pending.account.userHandle,
            record: registration.credential,
            isDiscoverable: registration.isDiscoverable,
            enrolledBy: .signup,
            userAgent: context.device.userAgent,
            createdAt: context.now
        )
        let methods = AuthenticationMethods(
            passkey.record,
            userPresent: registration.userPresent,
            isFactor: registration.userVerified
        )
        let authentication = Authentication(
            user: user,
            amr: methods.amr,
            acr: methods.acr,
            passkey: nil,
            at: context.now
        )
        return Verified(
            user: user,
            passkey: passkey,
            authentication: authentication,
            pending: pending,
            details: details
        )
    }

    /// Stores user, passkey, session and tokens in one durable step, or nothing.
    ///
    /// - Parameters:
    ///   - verified: the proof.
    ///   - session: the new session.
    ///   - refresh: the refresh-token family, if there is one.
    ///   - cookieHash: SHA-256 of the browser's new cookie.
    ///   - replacedCookieHash: SHA-256 of the cookie that is dead from now on.
    ///   - context: where.
    /// - Throws: `.userExistsAtFinish`, `.refused` with `credential_exists`, `.store`.
    public func store(
        _ verified: Verified,
        session: Session,
        refresh: NewRefresh?,
        cookieHash: [UInt8]? = nil,
        replacedCookieHash: [UInt8]? = nil,
        in context: RequestContext
    ) async throws(PasskeyError) {
        let outcome = CeremonyOutcome(ceremony: verified.pending.ceremony, purpose: .signup, context: context)
        let (record, event) = outcome.accepted(
            verified.user.id,
            details: verified.details,
            event: ["authentication_methods": ["passkey"], "ceremony_id": .string(outcome.ceremony.id.text)]
        )
        let effect = LoginEffect(
            session: session,
            cookieHash: cookieHash,
            replacedCookieHash: replacedCookieHash,
            refresh: refresh,
            ceremony: record,
            audit: event
        )
        do throws(StoreError) {
            try await ceremonies.users.signUp(
                verified.user,
                userHandle: verified.pending.account.userHandle,
                passkey: verified.passkey,
                login: effect
            )
        } catch .unique(.ceremony) {
            // It ended before, and its challenge came back: of a cache that was restored, say.
            throw .sessionInvalid
        } catch .unique(.identifier) {
            ceremonies.note("user_exists", outcome, details: verified.details)
            throw .userExistsAtFinish(outcome.ceremony.id)
        } catch .unique(.credential) {
            throw ceremonies.refuse(.credentialExists(verified.passkey), outcome, details: verified.details)
        } catch {
            throw .store(error)
        }
    }
}
