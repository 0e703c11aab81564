/// What a real authentication proved: who it was, how, and when. Sessions and tokens are made from it.
public struct Authentication: Hashable, Sendable {
    public let user: User
    /// Methods, in the order of the contract (`amr`).
    public let amr: [String]
    public let acr: String?
    /// The passkey that was used; `nil` for one that the same step makes, which the store numbers.
    public let passkey: PasskeyNumber?
    public let at: UnixTime

    public init(user: User, amr: [String], acr: String?, passkey: PasskeyNumber?, at: UnixTime) {
        self.user = user
        self.amr = amr
        self.acr = acr
        self.passkey = passkey
        self.at = at
    }
}
