import HTTPServer
import Identity
import Tokens

/// A browser on the server's own pages, in a sign-in that was begun in it.
struct HostedVisit {
    let browser: HostedSeal.Browser
    /// The text that stands for the transaction.
    let state: String
    let transaction: AuthorizationTransaction
    let client: Client

    /// - Parameters:
    ///   - state: what the request says it belongs to.
    ///   - seal: opens it.
    ///   - exchange: the request, whose client is known then.
    /// - Throws: ``APIError/startAgain``.
    init(_ state: String?, _ seal: HostedSeal, _ exchange: inout Exchange) throws(APIError) {
        let context = exchange.context
        let cookie = exchange.cookie(BrowserCookies(exchange).transactionName)
        guard let state, let browser = HostedSeal.Browser(cookie: cookie),
            let transaction = seal.transaction(state, of: browser, in: context),
            // As they are now.
            let client = context.configuration.clients[transaction.client], transaction.isOpen(to: client)
        else { throw .startAgain }
        self.browser = browser
        self.state = state
        self.transaction = transaction
        self.client = client
        exchange.client = client
    }

    /// The address of a page of this sign-in.
    func address(_ path: String) -> String { "\(path)?state=\(state)" }
}

extension AuthorizationTransaction {
    /// Whether it may go on by what the client is now.
    fileprivate func isOpen(to client: Client) -> Bool {
        if isForAccount { return client.isFirstParty }
        return client.allows(.authorizationCode) && CallbackURL.isRegistered(redirectURI, among: client.callbacks)
    }
}

extension Exchange {
    /// The parameters of the query.
    func query() throws(APIError) -> Parameters {
        try Parameters(form: request.head.queryBytes ?? [], emptyIsAbsent: true)
    }

    /// The parameters of a form that a page posted.
    func form() throws(APIError) -> Parameters {
        guard contentType == "application/x-www-form-urlencoded" else { throw .unsupportedMediaType }
        return try Parameters(form: request.body[...], emptyIsAbsent: true)
    }
}

extension HTTPResponse {
    static func redirect(_ address: String) -> HTTPResponse {
        var headers = HTTPHeaders()
        headers.add("Location", address)
        return HTTPResponse(status: 302, headers: headers, body: [])
    }
}
