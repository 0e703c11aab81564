/// What a request says about its client, before anything of it is believed.
public struct ClientCredentials: Hashable, Sendable {
    /// The parameter `client_id`.
    public var clientID: String?
    /// The parameter `client_secret`.
    public var clientSecret: String?
    /// The header `Authorization` as it came, whatever its scheme.
    public var authorization: String?
    public var assertionType: String?
    public var assertion: String?

    public init(
        clientID: String? = nil,
        clientSecret: String? = nil,
        authorization: String? = nil,
        assertionType: String? = nil,
        assertion: String? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.authorization = authorization
        self.assertionType = assertionType
        self.assertion = assertion
    }
}
