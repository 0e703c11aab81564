extension Fault {
    /// What has to be there for it to be possible, beside a ceremony and a format that it can happen in; `nil`: nothing.
    public var condition: String? {
        switch self {
        case .credentialExists: "the authenticator has made a credential for the RP ID before"
        case .credentialNotListed: "the options have allowCredentials"
        case .attestationIntermediateExpired: "an intermediate certifies what the authenticator attests"
        case .backupEligibilityChanged, .counterStands, .counterWentBack:
            "the relying party has a record of the credential"
        default: nil
        }
    }
}
