/// A file that pages load from the server's own origin.
public struct PageAsset: Hashable, Sendable {
    /// The last part of its path.
    public let name: String
    public let contentType: String
    public let body: [UInt8]

    /// An entity tag (RFC 9110 §8.8.3) that changes with the body: FNV-1a, against mistakes and not against malice.
    public var entityTag: String {
        let sum = body.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return "\"\(String(sum, radix: 16))\""
    }

    /// The module by which web apps use passkeys, the pages' own script too.
    public static let module = PageAsset(
        name: "latchkey.js",
        contentType: "text/javascript; charset=utf-8",
        body: PackageResources.latchkey_js
    )

    /// All that pages alone load.
    public static let all = [
        PageAsset(name: "pages.css", contentType: "text/css; charset=utf-8", body: PackageResources.pages_css),
        PageAsset(name: "pages.js", contentType: "text/javascript; charset=utf-8", body: PackageResources.pages_js),
        PageAsset(
            name: "form-post.js",
            contentType: "text/javascript; charset=utf-8",
            body: PackageResources.form_post_js
        ),
        PageAsset(name: "icon.svg", contentType: "image/svg+xml", body: PackageResources.icon_svg),
    ]
}
