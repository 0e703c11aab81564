/// A file that pages load from the server's own origin.
public struct PageAsset: Hashable, Sendable {
    /// The last part of its path.
    public let name: String
    public let contentType: String
    public let body: [UInt8]

    /// All there are.
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
