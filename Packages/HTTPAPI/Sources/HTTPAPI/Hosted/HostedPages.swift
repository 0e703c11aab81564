import Encodings
import HTTPServer
import Identity
import Pages
import Tokens

/// How the server's own pages are answered: in whose name, in which language, and with which headers (contract 8.2).
struct HostedPages: Sendable {
    let services: APIServices

    /// - Parameters:
    ///   - page: what to show.
    ///   - status: of the answer.
    ///   - formTarget: where the answer to the page's form may lead beside here: browsers check redirects after a form.
    ///   - locales: `ui_locales` of the request that led here.
    ///   - exchange: the request.
    /// - Returns: the page with its headers.
    static func response(
        _ page: Page,
        status: Int = 200,
        formTarget: String? = nil,
        locales: String? = nil,
        _ exchange: Exchange
    ) -> HTTPResponse {
        let brand = brand(exchange.context)
        let language = language(locales, exchange)
        var headers = HTTPHeaders()
        headers.add("Content-Type", "text/html; charset=utf-8")
        headers.add("Content-Language", language.rawValue)
        headers.add("Content-Security-Policy", policy(formTarget: formTarget, logo: brand.logo))
        headers.add("X-Frame-Options", "DENY")
        headers.add("Permissions-Policy", "publickey-credentials-get=(self), publickey-credentials-create=(self)")
        return HTTPResponse(status: status, headers: headers, body: page.html(in: language, brand: brand))
    }

    /// The language of a page that is answered now.
    static func language(_ locales: String?, _ exchange: Exchange) -> PageLanguage {
        PageLanguage(locales: locales, acceptLanguage: exchange.header("accept-language"))
    }

    /// A page with nothing but a sentence, of the texts `key.title`, `key.heading` and `key.text`, and a link that goes
    /// on, where there is somewhere to go on to.
    static func message(
        _ key: String,
        status: Int = 200,
        code: String = "",
        goingOn next: String? = nil,
        _ exchange: Exchange
    ) -> HTTPResponse {
        let language = language(nil, exchange)
        let page = Page(
            .message,
            [
                "title_key": .text(key), "heading": .text(Page.sentence("\(key).heading", in: language)),
                "text": .text(Page.sentence("\(key).text", in: language)), "code": .text(code),
                "is_error": .flag(status >= 400), "continue": .text(next ?? ""),
            ]
        )
        return response(page, status: status, exchange)
    }

    /// What a refusal looks like to a person; to a program that asks for JSON it has the usual shape.
    static func refusal(_ error: APIError, _ exchange: Exchange) -> HTTPResponse {
        let accept = exchange.header("accept") ?? ""
        guard !accept.contains("application/json") || accept.contains("text/html") else { return error.response() }
        let key: String
        switch (error.status, error.reason) {
        case (_, "transaction_invalid"): key = "restart"
        case (..<500, _): key = error.status == 429 ? "trouble" : "invalid"
        default: key = "trouble"
        }
        let code = key == "restart" ? "" : "\(error.error): \(error.description)"
        var response = message(key, status: error.status, code: code, exchange)
        if let retryAfter = error.retryAfter { response.headers.add("Retry-After", String(retryAfter)) }
        return response
    }

    private static func brand(_ context: RequestContext) -> PageBrand {
        let logo = context.settings.stored["picture_url"]?.string
        return PageBrand(
            name: context.settings.friendlyName ?? context.domain.host,
            logo: logo.flatMap { $0.hasPrefix("https://") ? $0 : nil }
        )
    }

    private static func policy(formTarget: String?, logo: String?) -> String {
        let images = logo.flatMap(CallbackURL.formTarget).map { " " + $0 } ?? ""
        let target = formTarget.map { " " + $0 } ?? ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:\(images); "
            + "connect-src 'self'; form-action 'self'\(target); frame-ancestors 'none'; base-uri 'none'"
    }
}
