internal import Cryptography
internal import WebAuthn

/// Writes authenticator data (WebAuthn L3 §6.1).
struct AuthenticatorDataWriter {
    var rpID: String
    var flags: AuthenticatorFlags
    var signCount: UInt32
    /// AAGUID, credential id and public key, as they stand there; AT is set with them.
    var attested: [UInt8]?
    /// One CBOR map; ED is set with it.
    var extensions: [UInt8]?

    mutating func spoil(_ fault: Fault?) {
        switch fault {
        case .rpIDWrong: rpID = "rp.invalid"
        case .userPresenceMissing: flags.remove(.userPresent)
        case .userVerificationMissing: flags.remove(.userVerified)
        case .backedUpButNotEligible:
            flags.remove(.backupEligible)
            flags.insert(.backupState)
        case .backupEligibilityChanged:
            flags.formSymmetricDifference(.backupEligible)
            flags.remove(.backupState)
        case .attestedDataMissing: attested = nil
        default: break
        }
    }

    func encoded(_ fault: Fault? = nil) -> [UInt8] {
        var flags = flags
        if attested != nil { flags.insert(.attestedCredentialData) }
        if extensions != nil || fault == .extensionDataMissing { flags.insert(.extensionData) }
        var bytes = SHA256.hash(Array(rpID.utf8))
        bytes.append(flags.rawValue)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: signCount >> shift)) }
        if let attested { bytes += attested }
        if let extensions, fault != .extensionDataMissing { bytes += extensions }
        switch fault {
        case .authenticatorDataCut: bytes.removeLast()
        case .authenticatorDataTooLong: bytes.append(0)
        default: break
        }
        return bytes
    }
}
