/// Lists of scopes, as requests and answers write them.
enum Scopes {
    static let openID = "openid"
    static let offlineAccess = "offline_access"

    /// Those that are about the user and belong to no API.
    static let identity: Set<String> = [
        openID, offlineAccess, "profile", "email", "phone", "name", "given_name", "family_name", "nickname", "picture",
        "email_verified", "created_at",
    ]

    /// The words of a parameter in their order, each once. `nil` and empty text give none.
    static func parse(_ text: String?) -> [String] {
        guard let text else { return [] }
        var words: [String] = []
        for word in text.split(separator: " ") where !words.contains(where: { $0.utf8.elementsEqual(word.utf8) }) {
            words.append(String(word))
        }
        return words
    }
}
