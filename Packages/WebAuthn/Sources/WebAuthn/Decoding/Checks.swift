public import Encodings

/// What would be judged of a pasted part, check by check, as far as the part itself shows it.
///
/// A member is the clause and what it asks for; its value is `holds`, `fails: ` with the reason, or what is needed to
/// tell.
struct Checks {
    private(set) var results = JSONObject()
    /// Put in front of what is checked: which statement of a compound one.
    var prefix = ""

    mutating func check(_ clause: String, _ what: String, _ body: () throws(AttestationFault) -> Void) {
        do throws(AttestationFault) {
            try body()
            note(clause, what, "holds")
        } catch {
            note(clause, what, "fails: \(error.reason)")
        }
    }

    mutating func check(_ clause: String, _ what: String, _ holds: Bool, otherwise reason: String) {
        note(clause, what, holds ? "holds" : "fails: \(reason)")
    }

    /// What a part alone cannot show.
    mutating func need(_ clause: String, _ what: String, _ need: String) {
        note(clause, what, "needs \(need)")
    }

    private mutating func note(_ clause: String, _ what: String, _ result: String) {
        results.set("\(clause): \(prefix)\(what)", .string(result))
    }
}

extension Decoding {
    /// The checks of an attestation object: those of its authenticator data, and those of its statement.
    ///
    /// - Parameters:
    ///   - bytes: the CBOR bytes.
    ///   - clientData: the bytes of the client data that came with it; without them what is signed over them is not
    ///     known.
    /// - Returns: the checks by name, each with its outcome.
    /// - Throws: ``ResponseError`` when it cannot be read.
    public static func checks(
        ofAttestationObject bytes: [UInt8],
        clientData: [UInt8]? = nil
    ) throws(ResponseError) -> JSONObject {
        let object = try AttestationObject(decoding: bytes)
        var checks = Checks()
        AuthenticatorDataChecks.run(object.authenticatorData, &checks)
        StatementChecks.run(object, clientData, &checks)
        return checks.results
    }

    /// The checks of authenticator data.
    ///
    /// - Throws: ``ResponseError`` when they cannot be read.
    public static func checks(ofAuthenticatorData bytes: [UInt8]) throws(ResponseError) -> JSONObject {
        var checks = Checks()
        AuthenticatorDataChecks.run(try AuthenticatorData(decoding: bytes), &checks)
        return checks.results
    }

    /// The checks of one certificate: what it could attest.
    ///
    /// - Throws: ``ResponseError`` when it cannot be read.
    public static func checks(ofCertificate der: [UInt8]) throws(ResponseError) -> JSONObject {
        try CertificateChecks.of(der)
    }

    /// The checks of a `COSE_Key`.
    public static func checks(ofKey bytes: [UInt8]) -> JSONObject {
        KeyChecks.of(bytes)
    }

    /// The checks of one entry of a metadata BLOB.
    public static func checks(ofMetadataEntry json: JSONObject) -> JSONObject {
        MetadataChecks.of(json)
    }
}
