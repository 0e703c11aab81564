import Encodings

/// The sentences of one language, by key.
struct PageTexts: Sendable {
    private let sentences: [String: String]

    /// Reads a JSON object of texts; what is none is left out, and the tests find it.
    init(_ bytes: [UInt8]) {
        var sentences: [String: String] = [:]
        if let object = try? JSON.parse(bytes).object {
            for member in object.members {
                if let text = member.value.string { sentences[member.name] = text }
            }
        }
        self.sentences = sentences
    }

    var keys: Set<String> { Set(sentences.keys) }

    /// The sentence with `{name}` filled in by the page's values.
    subscript(key: String, values: [String: PageValue]) -> String {
        guard let sentence = sentences[key] else { return key }
        guard sentence.utf8.contains(UInt8(ascii: "{")) else { return sentence }
        var output = ""
        var rest = sentence[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            output += rest[..<start]
            if case .text(let value)? = values[String(rest[rest.index(after: start)..<end])] { output += value }
            rest = rest[rest.index(after: end)...]
        }
        return output + rest
    }

    /// What is said for each reason of a refusal, by the reason.
    var reasons: [(reason: String, sentence: String)] {
        sentences.filter { $0.key.hasPrefix("reason.") }
            .map { (String($0.key.dropFirst("reason.".count)), $0.value) }
            .sorted { $0.0 < $1.0 }
    }

    static let all: [PageLanguage: PageTexts] = [
        .english: PageTexts(PackageResources.en_json), .swedish: PageTexts(PackageResources.sv_json),
        .japanese: PageTexts(PackageResources.ja_json),
    ]
}
