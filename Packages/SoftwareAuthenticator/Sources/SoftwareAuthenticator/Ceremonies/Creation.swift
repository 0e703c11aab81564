internal import CBOR
internal import COSE
internal import Cryptography
internal import Encodings
internal import WebAuthn

/// One registration: the new credential, and the response that presents it.
struct Creation {
    let credential: SoftwareCredential
    private let request: CreationRequest
    private let profile: AuthenticatorProfile
    private let attestation: AuthenticatorProfile.Attestation
    private let flags: AuthenticatorFlags
    private let fault: Fault?

    init(
        _ request: CreationRequest,
        _ profile: AuthenticatorProfile,
        known: [SoftwareCredential],
        conditional: Bool,
        _ fault: Fault?
    ) throws(AuthenticatorError) {
        guard fault?.ceremonies.contains(.registration) ?? true else { throw .faultDoesNotApply }
        let ours = known.filter { $0.rpID == request.rpID }
        guard fault == .credentialExists || !ours.contains(where: { request.excluded.contains($0.id) }) else {
            throw .excluded
        }
        var flags: AuthenticatorFlags = []
        if !conditional { flags = try profile.flags(request.userVerification) }
        if profile.backupEligible { flags.insert(.backupEligible) }
        if profile.backedUp { flags.insert(.backupState) }
        self.flags = flags

        let attests = request.attestation != .none || profile.attestsUnasked
        attestation = attests ? profile.attestation : .none
        guard fault?.applies(to: attestation) ?? true else { throw .faultDoesNotApply }

        let algorithm = try Self.algorithm(request, profile, attestation, fault)
        var id = Random.bytes(max(1, profile.credentialIDLength))
        if fault == .credentialExists {
            guard let first = ours.first else { throw .faultDoesNotApply }
            id = first.id
        }
        let signCount: UInt32 = if case .from(let start) = profile.counter { start } else { 0 }
        credential = SoftwareCredential(
            id: id,
            rpID: request.rpID,
            userHandle: request.userID,
            algorithm: algorithm,
            key: try SigningKey.forCredential(algorithm, rsaBits: profile.rsaBits),
            isDiscoverable: request.residentKey != .discouraged,
            signCount: signCount,
            backupEligible: profile.backupEligible,
            backedUp: profile.backedUp
        )
        self.request = request
        self.profile = profile
        self.fault = fault
    }

    /// The `RegistrationResponseJSON`.
    func response(origin: String) throws(AuthenticatorError) -> JSONObject {
        var claims = ClientClaims(type: "webauthn.create", challenge: request.challenge, origin: origin)
        claims.spoil(fault)
        let clientData = claims.encoded(fault)
        let publicKey = try credential.encodedPublicKey(fault)
        var data = AuthenticatorDataWriter(
            rpID: credential.rpID,
            flags: flags,
            signCount: credential.signCount,
            attested: attestedData(publicKey),
            extensions: profile.registrationExtensions.map { CBOR.encode(.map($0)) }
        )
        data.spoil(fault)
        let writer = AttestationStatementWriter(
            attestation: attestation,
            credential: credential,
            authenticatorData: data.encoded(fault),
            clientDataHash: SHA256.hash(clientData),
            fault: fault
        )
        let object = try writer.object()
        var response: JSONObject = [
            "clientDataJSON": .string(Base64URL.encode(clientData)),
            "attestationObject": .string(Base64URL.encode(object)),
            "transports": .array(profile.transports.map(JSONValue.string)),
        ]
        response.spoil(fault, clientData: clientData)
        return JSONObject.publicKeyCredential(credential.id, response, profile, fault)
    }

    /// AAGUID, length of the id, id, key (§6.5.1).
    private func attestedData(_ publicKey: [UInt8]) -> [UInt8] {
        let count = credential.id.count
        // A client that speaks U2F writes zeros: its devices have no models.
        let hasNoModel = attestation.isOfU2F && fault != .u2fModelNamed
        return (hasNoModel ? AAGUID.zero : profile.aaguid).bytes
            + [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            + credential.id + publicKey
    }

    /// The first algorithm of the options that the profile has and can attest; for the fault, one that they do not have.
    private static func algorithm(
        _ request: CreationRequest,
        _ profile: AuthenticatorProfile,
        _ attestation: AuthenticatorProfile.Attestation,
        _ fault: Fault?
    ) throws(AuthenticatorError) -> COSEAlgorithm {
        if fault == .algorithmNotOffered {
            let others: [COSEAlgorithm] = [.es256, .edDSA, .es384, .rs256]
            guard let other = others.first(where: { !request.algorithms.contains($0) }) else {
                throw .faultDoesNotApply
            }
            return other
        }
        let algorithm = request.algorithms.first { offered in
            profile.algorithms.contains(offered) && attestation.suits(offered)
        }
        guard let algorithm else { throw .noUsableAlgorithm }
        return algorithm
    }
}

extension SigningKey {
    /// A new key for an algorithm of WebAuthn credentials.
    static func forCredential(_ algorithm: COSEAlgorithm, rsaBits: Int) throws(AuthenticatorError) -> SigningKey {
        let kind: SigningKey.Kind
        switch algorithm.signatureAlgorithm {
        case .es256: kind = .p256
        case .es384: kind = .p384
        case .es512: kind = .p521
        case .es256k: kind = .secp256k1
        case .ed25519: kind = .ed25519
        case .ed448: kind = .ed448
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: kind = .rsa(bits: rsaBits)
        case .mlDSA44: kind = .mlDSA(.mlDSA44)
        case .mlDSA65: kind = .mlDSA(.mlDSA65)
        case .mlDSA87: kind = .mlDSA(.mlDSA87)
        case .rs1, nil: throw .noUsableAlgorithm
        }
        do throws(CryptographyError) {
            return try SigningKey.generate(kind)
        } catch {
            throw .cryptography(error)
        }
    }
}
