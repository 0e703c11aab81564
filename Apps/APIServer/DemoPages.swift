import HTTPServer
import WebAuthn
import Identity

/// What `latchkey-server dev` puts before the API: the demo page, and the way from an address to the name `localhost`.
struct DemoPages: HTTPHandler {
    let api: any HTTPHandler

    func limits(for head: HTTPRequestHead) -> RequestLimits { api.limits(for: head) }

    func handle(_ request: HTTPRequest) async -> HTTPResponse {
        if let redirect = redirectToName(request) { return redirect }
        guard request.method == .get || request.method == .head, request.peer.isLocal,
            HostName.isLoopback(HostName.withoutPort(request.head.authority)), let page = Self.pages[request.path]
        else { return await api.handle(request) }
        return HTTPResponse(status: 200, headers: Self.headers(contentType: page.contentType), body: page.body)
    }

    /// An IP address cannot be an RP ID: `http://127.0.0.1:8080/` leads to `http://localhost:8080/`.
    private func redirectToName(_ request: HTTPRequest) -> HTTPResponse? {
        let authority = request.head.authority
        let name = HostName.withoutPort(authority)
        guard name == "127.0.0.1" || name == "[::1]", request.method == .get || request.method == .head else {
            return nil
        }
        let port = authority.dropFirst(name.count)
        let scheme = request.isTLS ? "https" : "http"
        return HTTPResponse(
            status: 302,
            headers: ["Location": "\(scheme)://localhost\(port)\(request.head.target)", "Cache-Control": "no-store"]
        )
    }

    private static func headers(contentType: String) -> HTTPHeaders {
        [
            "Content-Type": contentType,
            "Cache-Control": "no-cache",
            "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                + "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Permissions-Policy": "publickey-credentials-get=(self), publickey-credentials-create=(self)",
        ]
    }

    private struct Page {
        let contentType: String
        let body: [UInt8]
    }

    private static let pages: [String: Page] = [
        "/": Page(contentType: "text/html; charset=utf-8", body: PackageResources.index_html),
        "/demo/demo.css": Page(contentType: "text/css; charset=utf-8", body: PackageResources.demo_css),
        "/demo/demo.js": Page(contentType: "text/javascript; charset=utf-8", body: PackageResources.demo_js),
        "/demo/icon.svg": Page(contentType: "image/svg+xml", body: PackageResources.icon_svg),
        "/demo/providers.json": Page(contentType: "application/json", body: WellKnownProviders.document),
    ]
}
