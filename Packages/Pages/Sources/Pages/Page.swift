/// One hosted page, before it is written out.
public struct Page: Sendable {
    /// Which template it is made of; the texts `NAME.title` and `NAME.heading` are its own.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        case login
        case signup
        case upgrade
        case message
        case logout
        case consent
        case formPost = "form-post"
        case enrollPasskey = "enroll-passkey"
        case resetAsk = "reset-ask"
        case resetPassword = "reset-password"
        case resetDone = "reset-done"
        case passkeys
        case recoverAsk = "recover-ask"
        case recoverCode = "recover-code"
        case recoverPasskey = "recover-passkey"
        case reviewPasskeys = "review-passkeys"
        case notMe = "not-me"
    }

    public let name: Name
    public var values: [String: PageValue]

    /// - Parameters:
    ///   - name: the template.
    ///   - values: what stands in its places; a place without a value is empty.
    public init(_ name: Name, _ values: [String: PageValue] = [:]) {
        self.name = name
        self.values = values
    }

    /// The whole document.
    ///
    /// - Parameters:
    ///   - language: of every text.
    ///   - brand: whose page it is.
    /// - Returns: UTF-8.
    public func html(in language: PageLanguage, brand: PageBrand) -> [UInt8] {
        guard let texts = PageTexts.all[language], let template = BuiltInTemplates.all[name.rawValue],
            let layout = BuiltInTemplates.all["layout"]
        else { return [] }
        var values = values
        values["tenant"] = .text(brand.name)
        values["reasons"] = .list(texts.reasons.map { ["reason": .text($0.reason), "sentence": .text($0.sentence)] })
        let content = template.html(values, texts)
        var outer = values
        outer["content"] = .html(content)
        outer["language"] = .text(language.rawValue)
        outer["title"] = .text(texts[(titleKey ?? name.rawValue) + ".title", values])
        outer["logo"] = .text(brand.logo ?? "")
        outer["page"] = .text(name.rawValue)
        return Array(layout.html(outer, texts).text.utf8)
    }

    /// Whose title it has, where that is another than its name's.
    private var titleKey: String? {
        if case .text(let key)? = values["title_key"] { return key }
        return nil
    }

    /// What is said of a refusal, by its reason; of one that has no sentence, that it did not work.
    public static func reason(_ reason: String, in language: PageLanguage) -> String {
        let texts = PageTexts.all[language]
        let key = "reason.\(reason)"
        return texts?[texts?.keys.contains(key) == true ? key : "reason.other", [:]] ?? reason
    }

    /// The sentence of a key with its places filled in, for a value that is a text of the language.
    public static func sentence(_ key: String, in language: PageLanguage, _ values: [String: PageValue] = [:]) -> String
    {
        PageTexts.all[language]?[key, values] ?? key
    }
}

/// Whose page it is.
public struct PageBrand: Hashable, Sendable {
    /// What people know the site by; password managers read it from `og:site_name`.
    public let name: String
    /// An absolute https address.
    public let logo: String?

    public init(name: String, logo: String? = nil) {
        self.name = name
        self.logo = logo
    }
}

/// The templates that come with this version, by name.
enum BuiltInTemplates {
    static let sources: [String: [UInt8]] = [
        "layout": PackageResources.layout_html, "login": PackageResources.login_html,
        "signup": PackageResources.signup_html, "upgrade": PackageResources.upgrade_html,
        "message": PackageResources.message_html, "logout": PackageResources.logout_html,
        "consent": PackageResources.consent_html, "form-post": PackageResources.form_post_html,
        "enroll-passkey": PackageResources.enroll_passkey_html,
        "reset-ask": PackageResources.reset_ask_html, "reset-password": PackageResources.reset_password_html,
        "reset-done": PackageResources.reset_done_html, "passkeys": PackageResources.passkeys_html,
        "recover-ask": PackageResources.recover_ask_html, "recover-code": PackageResources.recover_code_html,
        "recover-passkey": PackageResources.recover_passkey_html,
        "review-passkeys": PackageResources.review_passkeys_html, "not-me": PackageResources.not_me_html,
    ]

    static let all: [String: PageTemplate] = sources.compactMapValues {
        try? PageTemplate(String(decoding: $0, as: UTF8.self))
    }
}
