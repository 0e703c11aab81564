internal import WebAuthn

/// The `amr` and `acr` of a passkey (HTTP contract 6.5).
struct AuthenticationMethods {
    let amr: [String]
    let acr: String

    /// Takes what the ceremony showed.
    ///
    /// - Parameters:
    ///   - record: the passkey.
    ///   - userPresent: UP of this ceremony.
    ///   - isFactor: whether UV was there and counts: the passkey's UV had been proven.
    init(_ record: CredentialRecord, userPresent: Bool, isFactor: Bool) {
        // Bound to one device, by a maker's word that was verified to a trusted root.
        let isHardware = record.backupEligible == false && record.attestationTrusted
        var amr = ["phr", "pop"]
        if userPresent { amr.append("user") }
        if isFactor { amr.append("mfa") }
        if isHardware { amr.append("hwk") }
        self.amr = amr
        acr = isHardware ? "phrh" : "phr"
    }
}
