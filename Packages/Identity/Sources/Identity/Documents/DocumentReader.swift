import Encodings

/// Takes a JSON object apart, member by member, and knows in the end what nobody asked for.
///
/// A member that is `null` counts as absent.
struct DocumentReader {
    /// Where the object lies in the document; empty for the document itself.
    let path: String
    private var rest: JSONObject

    init(_ object: JSONObject, path: String = "") {
        self.path = path
        self.rest = object
    }

    func path(of name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    func invalid(_ name: String, _ value: JSONValue, mustBe expected: String) -> DocumentError {
        .invalid(path(of: name), value, mustBe: expected)
    }

    /// Takes the member out; `nil` when it is absent.
    mutating func take(_ name: String) -> JSONValue? {
        guard let value = rest.remove(name), !value.isNull else { return nil }
        return value
    }

    mutating func bool(_ name: String) throws(DocumentError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard let bool = value.bool else { throw invalid(name, value, mustBe: "true or false") }
        return bool
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int64>) throws(DocumentError) -> Int64? {
        guard let value = take(name) else { return nil }
        guard let integer = value.integer, range.contains(integer) else {
            throw invalid(name, value, mustBe: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// A number above 0, whole or not.
    mutating func positiveNumber(_ name: String, upTo maximum: Double) throws(DocumentError) -> Double? {
        guard let value = take(name) else { return nil }
        guard let number = value.number, number > 0, number <= maximum else {
            throw invalid(name, value, mustBe: "a number above 0, at most \(Int64(maximum))")
        }
        return number
    }

    mutating func text(_ name: String, _ form: TextForm) throws(DocumentError) -> String? {
        guard let value = take(name) else { return nil }
        return try form.read(value, at: path(of: name))
    }

    mutating func texts(_ name: String, _ form: TextForm, atMost maximum: Int) throws(DocumentError) -> [String]? {
        guard let value = take(name) else { return nil }
        guard let elements = value.array, elements.count <= maximum else {
            throw invalid(name, value, mustBe: "a list of at most \(maximum) strings")
        }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            texts.append(try form.read(element, at: "\(path(of: name))[\(index)]"))
        }
        return texts
    }

    /// One word of a closed list.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String,
        _ type: Word.Type
    ) throws(DocumentError) -> Word? where Word.RawValue == String {
        guard let value = take(name) else { return nil }
        guard let text = value.string, let word = Word(rawValue: text) else {
            throw invalid(name, value, mustBe: alternatives(Word.allCases.map(\.rawValue)))
        }
        return word
    }

    /// A nested object; close it with ``end()``.
    mutating func object(_ name: String) throws(DocumentError) -> DocumentReader? {
        guard let value = take(name) else { return nil }
        guard let object = value.object else { throw invalid(name, value, mustBe: "an object") }
        return DocumentReader(object, path: path(of: name))
    }

    /// A list of nested objects; close each with ``end()``.
    mutating func objects(_ name: String, atMost maximum: Int) throws(DocumentError) -> [DocumentReader]? {
        guard let value = take(name) else { return nil }
        guard let elements = value.array, elements.count <= maximum else {
            throw invalid(name, value, mustBe: "a list of at most \(maximum) objects")
        }
        var readers: [DocumentReader] = []
        for (index, element) in elements.enumerated() {
            let place = "\(path(of: name))[\(index)]"
            guard let object = element.object else { throw .invalid(place, element, mustBe: "an object") }
            readers.append(DocumentReader(object, path: place))
        }
        return readers
    }

    /// Everything that was not taken yet, `null` left out.
    mutating func remainder() -> JSONObject {
        var remainder = JSONObject()
        for member in rest.members where !member.value.isNull { remainder.set(member.name, member.value) }
        rest = JSONObject()
        return remainder
    }

    /// - Throws: `unknownMember` when something was not taken.
    func end() throws(DocumentError) {
        if let member = rest.members.first { throw .unknownMember(path: path(of: member.name)) }
    }
}

/// `a, b or c`.
func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
}

extension DocumentError {
    /// The value shortened to what a line can hold.
    static func invalid(_ path: String, _ value: JSONValue, mustBe expected: String) -> DocumentError {
        var shown = String(decoding: value.serialized(), as: UTF8.self)
        if shown.utf8.count > 120 { shown = String(shown.prefix(80)) + "…" }
        return .invalidValue(path: path, value: shown, expected: expected)
    }
}
