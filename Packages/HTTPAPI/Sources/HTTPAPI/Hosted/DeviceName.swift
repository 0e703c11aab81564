/// What a browser says of itself in `User-Agent`, short enough for people: `Chrome, Windows`.
enum DeviceName {
    /// - Returns: at most 40 characters; `nil` when there is nothing to show.
    static func of(_ userAgent: String) -> String? {
        let found = [first(of: browsers, in: userAgent), first(of: systems, in: userAgent)].compactMap { $0 }
        if !found.isEmpty { return found.joined(separator: ", ") }
        let start = String(userAgent.prefix(40))
        return start.isEmpty ? nil : start
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
