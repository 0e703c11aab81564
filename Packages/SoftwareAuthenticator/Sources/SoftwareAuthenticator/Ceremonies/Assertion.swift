internal import CBOR
internal import Cryptography
internal import Encodings
internal import WebAuthn

/// One login: what is signed, and the response that presents it.
struct Assertion {
    private let credential: SoftwareCredential
    private let request: AssertionRequest
    private let profile: AuthenticatorProfile
    private var signCount: UInt32
    private let flags: AuthenticatorFlags

    init(
        _ credential: SoftwareCredential,
        _ request: AssertionRequest,
        _ profile: AuthenticatorProfile,
        _ flags: AuthenticatorFlags
    ) {
        self.credential = credential
        self.request = request
        self.profile = profile
        signCount = credential.signCount
        var flags = flags
        if credential.backupEligible { flags.insert(.backupEligible) }
        if credential.backedUp { flags.insert(.backupState) }
        self.flags = flags
    }

    /// The `AuthenticationResponseJSON`.
    mutating func response(origin: String, _ fault: Fault?) throws(AuthenticatorError) -> JSONObject {
        guard fault?.ceremonies.contains(.authentication) ?? true else { throw .faultDoesNotApply }
        try spoilCounter(fault)
        var claims = ClientClaims(type: "webauthn.get", challenge: request.challenge, origin: origin)
        claims.spoil(fault)
        var clientData = claims.encoded(fault)
        var data = AuthenticatorDataWriter(
            rpID: credential.rpID,
            flags: flags,
            signCount: signCount,
            attested: nil,
            extensions: profile.authenticationExtensions.map { CBOR.encode(.map($0)) }
        )
        data.spoil(fault)
        let authenticatorData = data.encoded(fault)
        var signature = try sign(authenticatorData + SHA256.hash(clientData), fault)
        switch fault {
        case .signatureWrong:
            if let last = signature.indices.last { signature[last] ^= 1 }
        case .signatureEmpty: signature = []
        // White space changes the hash and nothing else.
        case .clientDataChanged: clientData.append(UInt8(ascii: " "))
        default: break
        }

        var response: JSONObject = [
            "clientDataJSON": .string(Base64URL.encode(clientData)),
            "authenticatorData": .string(Base64URL.encode(authenticatorData)),
            "signature": .string(Base64URL.encode(signature)),
        ]
        if credential.isDiscoverable { response["userHandle"] = .string(Base64URL.encode(credential.userHandle)) }
        switch fault {
        case .userHandleMissing: response["userHandle"] = nil
        case .userHandleWrong: response["userHandle"] = .string(Base64URL.encode(Random.bytes(32)))
        default: break
        }
        response.spoil(fault, clientData: clientData)
        let isForeign = fault == .credentialUnknown || fault == .credentialNotListed
        return JSONObject.publicKeyCredential(isForeign ? Random.bytes(32) : credential.id, response, profile, fault)
    }

    private mutating func spoilCounter(_ fault: Fault?) throws(AuthenticatorError) {
        switch fault {
        case .counterStands:
            // What the relying party has stored is what was sent before this login.
            guard signCount > 1 else { throw .faultDoesNotApply }
            signCount -= 1
        case .counterWentBack:
            guard signCount > 1 else { throw .faultDoesNotApply }
            signCount -= 2
        default: break
        }
    }

    private func sign(_ message: [UInt8], _ fault: Fault?) throws(AuthenticatorError) -> [UInt8] {
        guard fault == .signatureByOtherKey else { return try credential.sign(message) }
        let other = try SigningKey.forCredential(credential.algorithm, rsaBits: profile.rsaBits)
        return try SoftwareCredential.sign(message, other, credential.algorithm)
    }
}
