internal import Encodings
internal import WebAuthn

/// What an operator is shown of a response: decoded, bounded, without challenges and keys.
enum CeremonyDetails {
    static func of(_ response: RegistrationResponse, _ issued: IssuedRegistration) -> JSONObject {
        var details = common(issued.rpID, response.clientData, response.attestationObject.authenticatorData)
        details["user_verification"] = .string(issued.userVerification.rawValue)
        details["credential_id"] = .string(Base64URL.encode(response.id.prefix(64)))
        details["aaguid"] = .string(response.credential.aaguid.description)
        details["format"] = .string(printable(response.attestationObject.format))
        details["transports"] = .array(response.transports.map { .string(printable($0)) })
        let outputs = ExtensionOutputs.document(
            client: response.clientExtensionResults,
            authenticator: response.attestationObject.authenticatorData.extensions
        )
        if !outputs.isEmpty { details["extensions"] = .object(outputs) }
        return details
    }

    static func of(_ response: AuthenticationResponse, _ issued: IssuedAuthentication) -> JSONObject {
        var details = common(issued.rpID, response.clientData, response.authenticatorData)
        details["user_verification"] = .string(issued.userVerification.rawValue)
        details["credential_id"] = .string(Base64URL.encode(response.id.prefix(64)))
        details["listed_credentials"] = .integer(Int64(issued.allowCredentials.count))
        let outputs = ExtensionOutputs.document(
            client: response.clientExtensionResults,
            authenticator: response.authenticatorData.extensions
        )
        if !outputs.isEmpty { details["extensions"] = .object(outputs) }
        return details
    }

    private static func common(_ rpID: String, _ clientData: ClientData, _ data: AuthenticatorData) -> JSONObject {
        var details: JSONObject = [
            "rp_id": .string(rpID),
            "type": .string(printable(clientData.type)),
            "origin": .string(printable(clientData.origin)),
            "cross_origin": .bool(clientData.crossOrigin),
            "sign_count": .integer(Int64(data.signCount)),
        ]
        if let topOrigin = clientData.topOrigin { details["top_origin"] = .string(printable(topOrigin)) }
        let names: [(AuthenticatorFlags, JSONValue)] = [
            (.userPresent, "UP"), (.userVerified, "UV"), (.backupEligible, "BE"), (.backupState, "BS"),
            (.attestedCredentialData, "AT"), (.extensionData, "ED"),
        ]
        details["flags"] = .array(names.filter { data.flags.contains($0.0) }.map(\.1))
        return details
    }

    /// At most 200 characters of printable ASCII; others become `?`.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(200).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self
        )
    }
}
