/// Whether two strings have the same UTF-8 bytes. `==` would also call canonically equivalent ones equal.
func sameBytes(_ one: String, _ other: String) -> Bool {
    // Counts are at hand, and most names differ in them; the spans cost a call each.
    guard one.utf8.count == other.utf8.count else { return false }
    let one = one.utf8Span.span
    let other = other.utf8Span.span
    for index in one.indices where one[index] != other[index] { return false }
    return true
}

/// A string as its bytes, for sets and dictionaries.
struct JSONName: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: JSONName, other: JSONName) -> Bool {
        sameBytes(one.text, other.text)
    }

    /// Takes the bytes themselves: strings that are canonically equivalent would otherwise share one hash, and a
    /// hostile document can hold thousands of those.
    func hash(into hasher: inout Hasher) {
        let bytes = text.utf8Span.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index % 8 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
