/// The parameters of an authorization request beside `client_id` and `redirect_uri`, as they came (HTTP contract 8.1);
/// `nil`: absent or empty.
public struct AuthorizationParameters: Sendable {
    public var responseType: String?
    public var responseMode: String?
    public var scope: String?
    public var audience: String?
    public var state: String?
    public var nonce: String?
    public var challenge: String?
    public var challengeMethod: String?
    public var prompt: String?
    public var maximumAge: String?
    public var acrValues: String?
    public var idTokenHint: String?
    public var loginHint: String?
    public var connection: String?
    public var screenHint: String?
    public var locales: String?
    /// Whether `request`, `request_uri` or `registration` came.
    public var hasRequest = false
    public var hasRequestURI = false
    public var hasRegistration = false

    public init() {}
}
