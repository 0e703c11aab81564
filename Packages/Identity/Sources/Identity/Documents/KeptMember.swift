import Encodings

/// A member that the server keeps and gives back, and does not act on.
///
/// What equals `absent` is not kept: it comes back by itself.
struct KeptMember {
    let name: String
    let form: Form
    /// What is written when nothing is kept; `nil`: the member is left out.
    let absent: JSONValue?

    init(_ name: String, _ form: Form = .any, absent: JSONValue? = nil) {
        self.name = name
        self.form = form
        self.absent = absent
    }

    /// Members that only round-trip, whatever they hold.
    static func all(_ names: String...) -> [KeptMember] {
        names.map { KeptMember($0) }
    }

    enum Form {
        case any, bool, object
        case integer(ClosedRange<Int64>)
        case text(TextForm)
        case texts(TextForm)
        case words([String])
    }
}

extension DocumentReader {
    /// Takes all of `members` out, checked, as far as they are there.
    mutating func keep(_ members: [KeptMember]) throws(DocumentError) -> JSONObject {
        var kept = JSONObject()
        for member in members {
            guard let value = take(member.name) else { continue }
            let checked = try check(value, of: member)
            if checked != member.absent { kept.set(member.name, checked) }
        }
        return kept
    }

    private func check(_ value: JSONValue, of member: KeptMember) throws(DocumentError) -> JSONValue {
        let path = path(of: member.name)
        switch member.form {
        case .any: return value
        case .bool:
            guard value.bool != nil else { throw .invalid(path, value, mustBe: "true or false") }
            return value
        case .object:
            guard value.object != nil else { throw .invalid(path, value, mustBe: "an object") }
            return value
        case .integer(let range):
            guard let integer = value.integer, range.contains(integer) else {
                throw .invalid(
                    path,
                    value,
                    mustBe: "a whole number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return value
        case .text(let form): return .string(try form.read(value, at: path))
        case .texts(let form):
            guard let elements = value.array, elements.count <= 100 else {
                throw .invalid(path, value, mustBe: "a list of at most 100 strings")
            }
            var texts: [JSONValue] = []
            for (index, element) in elements.enumerated() {
                texts.append(.string(try form.read(element, at: "\(path)[\(index)]")))
            }
            return .array(texts)
        case .words(let words):
            guard let text = value.string, words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
                throw .invalid(path, value, mustBe: alternatives(words))
            }
            return value
        }
    }
}

extension JSONObject {
    /// Writes `members` from what was kept.
    mutating func restore(_ members: [KeptMember], from kept: JSONObject) {
        for member in members {
            if let value = kept[member.name] ?? member.absent { set(member.name, value) }
        }
    }

    /// Sets the member unless `value` is `nil`.
    mutating func set(_ name: String, text value: String?) {
        if let value { set(name, .string(value)) }
    }

    mutating func set(_ name: String, texts values: [String]) {
        set(name, .array(values.map { .string($0) }))
    }

    /// A number, without a fraction when it has none.
    mutating func set(_ name: String, number value: Double) {
        if let whole = Int64(exactly: value) {
            set(name, .integer(whole))
        } else {
            set(name, .number(value))
        }
    }
}
