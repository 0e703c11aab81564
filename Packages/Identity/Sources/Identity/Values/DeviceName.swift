/// What a browser says of itself in `User-Agent`, short enough for people: `Chrome, Windows`.
public enum DeviceName {
    /// - Returns: browser and system as far as they are known ones, or else the header's beginning, at most 40
    ///   characters; `nil` when there is nothing to show.
    public static func of(_ userAgent: String) -> String? {
        if let known = known(userAgent) { return known }
        let start = String(userAgent.prefix(40))
        return start.isEmpty ? nil : start
    }

    /// The same without the header's own words: for what is shown to somebody else than who sent it.
    ///
    /// - Returns: `nil` when neither browser nor system is a known one.
    public static func known(_ userAgent: String) -> String? {
        let found = [first(of: browsers, in: userAgent), first(of: systems, in: userAgent)].compactMap { $0 }
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }

    private static func first(of marks: [(mark: String, name: String)], in text: String) -> String? {
        marks.first { text.contains($0.mark) }?.name
    }

    /// The most particular first: nearly every browser claims to be others as well.
    private static let browsers = [
        (mark: "Edg", name: "Edge"), (mark: "OPR/", name: "Opera"), (mark: "SamsungBrowser/", name: "Samsung Internet"),
        (mark: "Firefox/", name: "Firefox"), (mark: "FxiOS/", name: "Firefox"), (mark: "Chrome/", name: "Chrome"),
        (mark: "CriOS/", name: "Chrome"), (mark: "Safari/", name: "Safari"),
    ]
    private static let systems = [
        (mark: "iPhone", name: "iPhone"), (mark: "iPad", name: "iPad"), (mark: "Android", name: "Android"),
        (mark: "CrOS", name: "ChromeOS"), (mark: "Windows", name: "Windows"), (mark: "Macintosh", name: "Mac"),
        (mark: "Linux", name: "Linux"),
    ]
}
