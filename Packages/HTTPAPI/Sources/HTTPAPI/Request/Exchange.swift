import Encodings
import HTTPServer
import Identity
import Tokens

/// One request on its way through an endpoint, and what has been found out about it so far.
struct Exchange {
    let request: HTTPRequest
    let forwarded: ForwardedRequest
    let context: RequestContext
    let requestID: String
    /// Known once the endpoint has looked it up; decides about CORS.
    var client: Client?
    /// What the answer says about its rate limit.
    var rate: RateLimiter.State?
    /// Whether the counters that servers share did not answer this request.
    var countersAreAway = false

    func header(_ name: String) -> String? { request.headers[name] }

    /// The header `Origin`, when there is one.
    var origin: String? { header("origin") }

    /// Languages that the person reads, as the browser says.
    var languages: [String] { context.languages }

    // MARK: Bodies

    /// The body as JSON.
    func json() throws(APIError) -> JSONValue {
        guard contentType == "application/json" else { throw .unsupportedMediaType }
        do throws(JSONError) { return try JSON.parse(request.body) } catch { throw .invalidJSON }
    }

    /// The body as a JSON object.
    func jsonBody() throws(APIError) -> JSONObject {
        guard let object = try json().object else { throw .invalidJSON }
        return object
    }

    /// The body as JSON or as a form, for the OAuth endpoints.
    func parameters() throws(APIError) -> Parameters {
        switch contentType {
        case "application/json": return Parameters(try jsonBody(), emptyIsAbsent: true)
        case "application/x-www-form-urlencoded":
            return try Parameters(form: request.body[...], emptyIsAbsent: true)
        default: throw .unsupportedMediaType
        }
    }

    /// The media type of the body, in lower case, without parameters.
    var contentType: String? {
        guard let value = header("content-type") else { return nil }
        // As nearly all clients write it.
        if value.utf8.elementsEqual("application/json".utf8) { return value }
        let type = value.utf8.prefix { $0 != UInt8(ascii: ";") }
        let trimmed = String(decoding: Array(type), as: UTF8.self).lowercased()
        return String(trimmed.filter { $0 != " " && $0 != "\t" })
    }

    // MARK: Who asks

    /// The context of the person on whose behalf a confidential client asks, where its word about the address is taken
    /// (contract 1.4).
    ///
    /// - Throws: `invalid_parameter` for an address that is none.
    func endUserContext(_ client: Client) throws(APIError) -> RequestContext {
        let name = "auth0-forwarded-for"
        guard client.isConfidential, client.trustsForwardedAddress, let text = header(name) else { return context }
        guard let address = IPAddress(text) else { throw .invalid(name) }
        return RequestContext(
            configuration: context.configuration,
            domain: context.domain,
            base: context.base,
            device: Device(address: address.description, userAgent: context.device.userAgent),
            network: address.isIPv4 ? address.description : address.network.description,
            languages: context.languages,
            now: context.now
        )
    }

    /// The token after `Bearer `; `nil` for another scheme or none.
    var bearerToken: String? {
        guard let value = header("authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    /// Whether the client shows itself by HTTP Basic, in whatever form.
    var usesBasic: Bool {
        guard let value = header("authorization") else { return false }
        return String(decoding: value.utf8.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self).lowercased() == "basic"
    }

    func cookie(_ name: String) -> String? {
        for line in request.headers.values(of: "cookie") {
            for pair in line.split(separator: ";") {
                let text = pair.drop { $0 == " " }
                guard let equals = text.firstIndex(of: "="), text[..<equals].utf8.elementsEqual(name.utf8) else {
                    continue
                }
                return String(text[text.index(after: equals)...])
            }
        }
        return nil
    }

    /// The credentials that a client sent, wherever they stand (contract 3.1).
    func clientCredentials(_ parameters: Parameters) throws(APIError) -> ClientCredentials {
        ClientCredentials(
            clientID: try parameters.string("client_id"),
            clientSecret: try parameters.string("client_secret"),
            authorization: header("authorization"),
            assertionType: try parameters.string("client_assertion_type"),
            assertion: try parameters.string("client_assertion")
        )
    }
}

/// The header `Accept-Language` (RFC 9110 §12.5.4).
enum AcceptedLanguages {
    /// At most ten languages; which the browser likes best is not weighed.
    static func read(_ header: String?) -> [String] {
        let ranges = (header ?? "").prefix(500).split(separator: ",").prefix(10)
        return ranges.map { String($0.prefix { $0 != ";" }.filter { $0 != " " }) }.filter { !$0.isEmpty && $0 != "*" }
    }
}
