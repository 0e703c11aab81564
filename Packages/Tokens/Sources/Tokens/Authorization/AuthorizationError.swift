/// Why an authorization request gets no code; told to the client at its `redirect_uri` (HTTP contract 8.1; RFC 6749
/// §4.1.2.1, OpenID Connect Core §3.1.2.6, RFC 9470 §5).
public enum AuthorizationError: Error, Hashable, Sendable {
    case invalidRequest(String)
    case unsupportedResponseType
    case requestNotSupported
    case requestURINotSupported
    case registrationNotSupported
    case unauthorizedClient
    case loginRequired
    case consentRequired
    case consentDenied
    case unmetAuthenticationRequirements
    case unknownAudience(String)
    case clientGrantMissing(String)

    /// The parameter `error`.
    public var code: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .unsupportedResponseType: "unsupported_response_type"
        case .requestNotSupported: "request_not_supported"
        case .requestURINotSupported: "request_uri_not_supported"
        case .registrationNotSupported: "registration_not_supported"
        case .unauthorizedClient: "unauthorized_client"
        case .loginRequired: "login_required"
        case .consentRequired: "consent_required"
        case .unmetAuthenticationRequirements: "unmet_authentication_requirements"
        case .consentDenied, .unknownAudience, .clientGrantMissing: "access_denied"
        }
    }

    /// The parameter `error_description`.
    public var description: String {
        switch self {
        case .invalidRequest(let what): what
        case .unsupportedResponseType: "Unsupported response type"
        case .requestNotSupported: "Request objects are not supported"
        case .requestURINotSupported: "Request objects are not supported"
        case .registrationNotSupported: "The registration parameter is not supported"
        case .unauthorizedClient: "Grant type 'authorization_code' not allowed for the client."
        case .loginRequired: "Login required"
        case .consentRequired: "Consent required"
        case .consentDenied: "The user did not consent"
        case .unmetAuthenticationRequirements: "The user cannot sign in as strongly as was asked for"
        case .unknownAudience(let audience): "Service not found: \(Self.printable(audience))"
        case .clientGrantMissing(let audience):
            "Client is not authorized to access \(Self.printable(audience))."
        }
    }

    /// What a client typed, as a description may repeat it (RFC 6749 §4.1.2.1).
    private static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(100).map { byte -> UInt8 in
                (0x20...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C ? byte : UInt8(ascii: "?")
            },
            as: UTF8.self
        )
    }
}
