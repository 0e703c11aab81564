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
            let word = try MemberWord(word)
            patch.set(word.path, word.value)
        }
        return patch
    }

    static let word = Word(
        "MEMBER=JSON",
        isRepeated: true,
        "what to set; names as in the Management API, dots reach in"
    )
}
