import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

/// A relying party with one user, as far as a test needs one.
struct Server {
    var rpID = "login.example.com"
    var origin = "https://login.example.com"
    var algorithms: [COSEAlgorithm] = [.edDSA, .es256, .rs256]
    var userVerification = UserVerificationRequirement.preferred
    var attestation = AttestationPolicy.none
    var metadata: AuthenticatorMetadata?
    var allowedTopOrigins: [String]?
    var isConditional = false
    var requiresBackupEligible = false
    var residentKey = ResidentKeyRequirement.required
    let userHandle = Random.bytes(32)
    /// 2026-01-01T00:00:00Z.
    static let time: Int64 = 1_767_225_600

    func register(
        _ authenticator: inout Authenticator,
        fault: Fault? = nil,
        from origin: String? = nil,
        altering alter: (inout JSONObject) throws -> Void = { _ in }
    ) throws -> VerifiedRegistration {
        let challenge = Random.bytes(32)
        let options = CreationOptions(
            rpID: rpID,
            rpName: rpID,
            userID: userHandle,
            userName: "ana@example.com",
            userDisplayName: "Ana",
            challenge: challenge,
            algorithms: algorithms,
            timeout: 60000,
            authenticatorSelection: CreationOptions.AuthenticatorSelection(
                residentKey: residentKey,
                userVerification: userVerification
            ),
            attestation: attestation.preference
        )
        var json = JSONWriter()
        options.write(to: &json)
        var response = try authenticator.create(
            try #require(try JSON.parse(json.bytes).object),
            origin: origin ?? self.origin,
            conditional: isConditional,
            fault: fault
        )
        try alter(&response)
        let issued = IssuedRegistration(
            challenge: challenge,
            rpID: rpID,
            origins: [self.origin],
            allowedTopOrigins: allowedTopOrigins,
            userVerification: userVerification,
            mayOmitUserPresence: isConditional,
            algorithms: algorithms,
            attestation: attestation,
            requiresBackupEligible: requiresBackupEligible
        )
        let read: RegistrationResponse
        do throws(ResponseError) {
            read = try RegistrationResponse(response)
        } catch {
            throw CeremonyError(error, in: .registration)
        }
        return try RelyingParty.verify(read, answering: issued, knowing: metadata, at: Self.time)
    }

    func logIn(
        _ authenticator: inout Authenticator,
        with record: CredentialRecord,
        listed: Bool = false,
        identified: Bool = false,
        fault: Fault? = nil,
        counterPolicy: CounterPolicy = .reject,
        backupEligibility: BackupEligibilityPolicy = .strict
    ) throws -> VerifiedAssertion {
        let challenge = Random.bytes(32)
        let options = RequestOptions(
            challenge: challenge,
            timeout: 60000,
            rpID: rpID,
            userVerification: userVerification,
            allowCredentials: listed ? [CredentialDescriptor(id: record.id, transports: record.transports)] : nil
        )
        var json = JSONWriter()
        options.write(to: &json)
        let response = try authenticator.get(
            try #require(try JSON.parse(json.bytes).object),
            origin: origin,
            fault: fault
        )
        let issued = IssuedAuthentication(
            challenge: challenge,
            rpID: rpID,
            origins: [origin],
            allowedTopOrigins: allowedTopOrigins,
            userVerification: userVerification,
            allowCredentials: listed ? [record.id] : [],
            userIdentified: identified
        )
        let read: AuthenticationResponse
        do throws(ResponseError) {
            read = try AuthenticationResponse(response)
        } catch {
            throw CeremonyError(error, in: .authentication)
        }
        let checked = try RelyingParty.check(read, answering: issued)
        return try RelyingParty.verify(
            checked,
            with: record,
            ownerHandles: [userHandle],
            counterPolicy: counterPolicy,
            backupEligibility: backupEligibility
        )
    }
}

extension CredentialRecord {
    /// What a login changes.
    mutating func update(_ verified: VerifiedAssertion) {
        signCount = verified.signCount
        backupEligible = verified.backupEligible
        backupState = verified.backupState
    }
}

/// The reason of the refusal that `body` meets, or `nil` when it meets none.
func refusal(_ body: () throws -> Void) throws -> CeremonyReason? {
    do {
        try body()
        return nil
    } catch let error as CeremonyError {
        return error.reason
    }
}
