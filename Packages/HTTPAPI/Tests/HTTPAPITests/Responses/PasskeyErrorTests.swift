import Encodings
import Identity
import Passkeys
import Testing
import WebAuthn

@testable import HTTPAPI

/// One row of the contract.
struct Row: CustomTestStringConvertible, Sendable {
    let status: Int
    let error: String
    let description: String
    let reason: String

    init(_ status: Int, _ error: String, _ description: String, _ reason: String) {
        self.status = status
        self.error = error
        self.description = description
        self.reason = reason
    }

    var testDescription: String { "\(status) \(reason)" }

    func with(_ status: Int) -> Row { Row(status, error, description, reason) }
}

func expect(_ error: APIError, is row: Row, at location: SourceLocation = #_sourceLocation) {
    #expect(error.status == row.status, sourceLocation: location)
    #expect(error.error == row.error, sourceLocation: location)
    #expect(error.description == row.description, sourceLocation: location)
    #expect(error.reason == row.reason, sourceLocation: location)
}

@Suite("2.3: each refusal of a ceremony is its row")
struct PasskeyErrorTests {
    private static let ceremony = CeremonyID(
        TimeOrderedID(now: UnixTime(seconds: 1_800_000_000), random: [UInt8](repeating: 1, count: 10))
    )
    private static let grant = "urn:okta:params:oauth:grant-type:webauthn"

    static let before: [(PasskeyError, Row)] = [
        (
            .grantNotAllowed,
            Row(400, "unauthorized_client", "Grant type '\(grant)' not allowed for the client.", "grant_not_allowed")
        ),
        (
            .clientNotFirstParty,
            Row(
                400,
                "unauthorized_client",
                "The client is not allowed to use passkeys",
                "client_not_first_party"
            )
        ),
        (.passkeysDisabledForTenant, Row(404, "not_found", "Passkeys are not enabled", "passkeys_disabled")),
        (
            .passkeysDisabledForConnection,
            Row(400, "invalid_request", "Passkeys are not enabled for the connection", "passkeys_disabled")
        ),
        (
            .unknownConnection,
            Row(
                400,
                "invalid_request",
                "The connection does not exist or is not enabled for the client",
                "unknown_connection"
            )
        ),
        (
            .noDefaultDirectory,
            Row(400, "invalid_request", "No default directory is configured", "no_default_directory")
        ),
        (.customDomainRequired, Row(400, "invalid_request", "Passkeys need a custom domain", "custom_domain_required")),
        (
            .missingIdentifier("email"),
            Row(400, "invalid_request", "Missing required user_profile attribute: email", "missing_identifier")
        ),
        (
            .invalidIdentifier("phone_number"),
            Row(400, "invalid_request", "Invalid user_profile attribute: phone_number", "invalid_identifier")
        ),
        (
            .unknownAttribute("colour\"\\\n"),
            Row(400, "invalid_request", "Unknown user_profile attribute: colour???", "unknown_attribute")
        ),
        (.invalidUserMetadata, Row(400, "invalid_request", "Invalid user_metadata", "invalid_user_metadata")),
        (.signupDisabled, Row(400, "invalid_request", "Signup is disabled", "signup_disabled")),
        (.userExists, Row(400, "invalid_request", "The user already exists", "user_exists")),
        (.upgradeNotOffered, Row(403, "access_denied", "No passkey upgrade is offered", "upgrade_not_offered")),
        (.tooManyPasskeys(nil), Row(400, "invalid_request", "Too many passkeys", "too_many_passkeys")),
        (
            .sessionInvalid,
            Row(403, "invalid_grant", "Invalid or expired auth_session", "auth_session_invalid")
        ),
        (
            .userExistsAtFinish(ceremony),
            Row(403, "invalid_grant", "The user already exists", "user_exists")
        ),
    ]

    @Test("At /passkey/*", arguments: before)
    func beforeCeremonies(_ error: PasskeyError, _ row: Row) {
        expect(APIError(error, at: .passkey), is: row)
    }

    @Test("At the token endpoint and in section 12 some have another status")
    func surfaces() {
        func status(_ error: PasskeyError, _ surface: Surface) -> Int { APIError(error, at: surface).status }
        #expect(status(.grantNotAllowed, .token) == 403)
        #expect(status(.userExists, .browserOptions) == 409)
        #expect(status(.userExistsAtFinish(Self.ceremony), .browserVerify) == 409)
        #expect(status(.sessionInvalid, .browserVerify) == 400)
        #expect(status(.passkeysDisabledForTenant, .browserOptions) == 404)
        #expect(APIError(.userExistsAtFinish(Self.ceremony), at: .token).ceremony == Self.ceremony)
        #expect(APIError(.tooManyPasskeys(Self.ceremony), at: .browserVerify).ceremony == Self.ceremony)
    }

    @Test("A fresh proof is asked for as RFC 9470 says")
    func freshProof() {
        let error = APIError(PasskeyError.insufficientUserAuthentication(maximumAge: 900), at: .browserOptions)
        expect(
            error,
            is: Row(
                401,
                "insufficient_user_authentication",
                "A fresh sign-in is needed",
                "insufficient_user_authentication"
            )
        )
        #expect(error.challenge == "Bearer error=\"insufficient_user_authentication\", max_age=900")
    }

    static let failed = "Passkey verification failed"
    static let ceremonies: [(CeremonyReason, Row, browser: Int)] =
        [
            (.typeMismatch, "type_mismatch"), (.challengeMismatch, "challenge_mismatch"),
            (.originMismatch, "origin_mismatch"), (.crossOrigin, "cross_origin"), (.rpIDMismatch, "rp_id_mismatch"),
            (.userPresenceMissing, "user_presence_missing"),
            (.userVerificationMissing, "user_verification_missing"), (.backupFlagsInvalid, "backup_flags_invalid"),
            (.algorithmNotAllowed, "algorithm_not_allowed"), (.attestationInvalid, "attestation_invalid"),
            (.userHandleMismatch, "user_handle_mismatch"), (.signatureInvalid, "signature_invalid"),
            (.counterRegression, "counter_regression"),
        ].map { (reason: CeremonyReason, word: String) in
            (reason, Row(403, "invalid_grant", failed, word), 400)
        } + [
            (
                .invalidResponse, Row(400, "invalid_request", "Invalid authn_response", "invalid_authn_response"), 400
            ),
            (
                .authenticatorNotAllowed,
                Row(
                    403,
                    "access_denied",
                    "The authenticator is not allowed by policy",
                    "authenticator_not_allowed"
                ), 403
            ),
            (
                .credentialExists,
                Row(403, "invalid_grant", "The passkey is already registered", "credential_exists"), 409
            ),
            (.unknownCredential, Row(403, "invalid_grant", "Unknown passkey", "unknown_credential"), 401),
            (.userBlocked, Row(403, "unauthorized", "user is blocked", "user_blocked"), 401),
            (
                .userVerificationUnproven,
                Row(
                    403,
                    "access_denied",
                    "User verification is not established for this passkey",
                    "user_verification_unproven"
                ), 403
            ),
        ]

    @Test("A ceremony that was taken and refused, at the token endpoint and in section 12", arguments: ceremonies)
    func refusals(_ reason: CeremonyReason, _ row: Row, _ browser: Int) {
        let refusal = PasskeyError.refused(
            Refusal(error: CeremonyError(reason, step: "7.1 step 9"), ceremony: Self.ceremony)
        )
        let error = APIError(refusal, at: .token)
        expect(error, is: row)
        #expect(error.ceremony == Self.ceremony)
        expect(APIError(refusal, at: .browserVerify), is: row.with(browser))
        let shown = Answer(response: error.response())
        #expect(shown.json.members.map(\.name) == ["error", "error_description", "reason", "trace_id"])
        #expect(shown.string("trace_id") == Self.ceremony.text)
        // The tenant's flag takes out which check failed, and nothing else.
        let hidden = Answer(response: error.response(hidingReasons: true))
        #expect((hidden.reason == nil) == (row.description == Self.failed))
        let unverified = Answer(response: error.unverified(hidingReasons: true))
        #expect(unverified["verified"] == false)
        #expect((unverified.reason == nil) == (row.description == Self.failed))
    }

    @Test("Every reason there is has a row")
    func complete() {
        #expect(Set(Self.ceremonies.map(\.0)) == Set(CeremonyReason.allCases))
    }
}
