/// A language that pages are written in.
public enum PageLanguage: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case swedish = "sv"
    case japanese = "ja"

    /// The language to answer in: the first of `locales` (`ui_locales`, separated by spaces) that there is, else the one
    /// that `Accept-Language` likes best (RFC 9110 §12.5.4), else English.
    public init(locales: String?, acceptLanguage: String?) {
        for tag in (locales ?? "").prefix(200).split(separator: " ") {
            if let language = Self.named(tag) {
                self = language
                return
            }
        }
        var best: (language: PageLanguage, quality: Double)?
        for range in (acceptLanguage ?? "").prefix(1000).split(separator: ",").prefix(50) {
            let halves = range.split(separator: ";", maxSplits: 1)
            guard let tag = halves.first, let language = Self.named(tag.drop { $0 == " " }) else { continue }
            let quality = halves.count > 1 ? Self.quality(halves[1]) : 1
            if quality > 0, quality > best?.quality ?? 0 { best = (language, quality) }
        }
        self = best?.language ?? .english
    }

    /// By the first subtag alone: `sv-FI` is Swedish.
    private static func named(_ tag: Substring) -> PageLanguage? {
        let first = tag.prefix { $0 != "-" && $0 != "_" && $0 != " " }
        return PageLanguage(rawValue: first.lowercased())
    }

    private static func quality(_ parameter: Substring) -> Double {
        let text = parameter.drop { $0 == " " }
        guard text.hasPrefix("q=") else { return 1 }
        return Double(text.dropFirst(2).prefix(5)) ?? 0
    }
}
