public import Encodings

/// Words such as `jwt_configuration.alg=ES256`: a member of a JSON object, and what it becomes.
public struct MemberWord: Hashable, Sendable {
    /// The names from the outside in; not empty, none of them empty.
    public let path: [String]
    /// JSON where the text is some, else the text itself.
    public let value: JSONValue

    /// Reads `MEMBER=JSON`.
    ///
    /// - Throws: `wrongUse` for a word without `=`, or with an empty name.
    public init(_ word: String) throws(CommandFailure) {
        guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), equals != word.startIndex else {
            throw CommandFailure(.wrongUse, "\(quoted(word)) is not MEMBER=JSON, as friendly_name=Acme.")
        }
        path = word[..<equals].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !path.contains("") else {
            throw CommandFailure(.wrongUse, "\(quoted(String(word[..<equals]))) is no name of a member.")
        }
        let text = String(word[word.utf8.index(after: equals)...])
        value = (try? JSON.parse(text)) ?? .string(text)
    }
}
