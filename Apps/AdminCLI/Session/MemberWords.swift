import Encodings
import Tenancy
import Terminal

/// The words `member=JSON` of the `set` commands.
enum MemberWords {
    /// What is not JSON is taken as a string, so that `friendly_name=Acme` needs no quotes. Dots in a name reach into
    /// an object; `null` removes a member.
    ///
    /// - Throws: `wrongUse` for a word without `=` or without a name.
    static func patch(_ words: [String]) throws(CommandFailure) -> DocumentPatch {
        var patch = DocumentPatch()
        for word in words {
            guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), equals != word.startIndex else {
                throw CommandFailure(.wrongUse, "\(quoted(word)) is not MEMBER=JSON, as friendly_name=Acme.")
            }
            let path = word[..<equals].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !path.contains("") else {
                throw CommandFailure(.wrongUse, "\(quoted(String(word[..<equals]))) is no name of a member.")
            }
            patch.set(path, value(String(word[word.utf8.index(after: equals)...])))
        }
        return patch
    }

    private static func value(_ text: String) -> JSONValue {
        (try? JSON.parse(text)) ?? .string(text)
    }

    static let word = Word(
        "MEMBER=JSON",
        isRepeated: true,
        "what to set; names as in the Management API, dots reach in"
    )
}
