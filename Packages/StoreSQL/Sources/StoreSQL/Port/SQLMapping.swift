import Encodings
import Identity
import WebAuthn

// How the domain's values lie in columns: moments in milliseconds, truth as 0 and 1, lists of words with a space
// between, documents as JSON text.

extension SQLValue {
    static func tenant(_ tenant: TenantID) -> SQLValue { .integer(tenant.number) }
    static func user(_ user: UserID) -> SQLValue { .bytes(user.bytes) }
    static func user(_ user: UserID?) -> SQLValue { user.map { .bytes($0.bytes) } ?? .null }
    static func id(_ id: TimeOrderedID) -> SQLValue { .bytes(id.bytes) }
    static func time(_ time: UnixTime) -> SQLValue { .integer(time.milliseconds) }
    static func time(_ time: UnixTime?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }
    static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
    static func bool(_ value: Bool?) -> SQLValue { value.map { .integer($0 ? 1 : 0) } ?? .null }
    static func text(ifAny text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
    static func bytes(ifAny bytes: [UInt8]?) -> SQLValue { bytes.map { .bytes($0) } ?? .null }
    static func number(_ passkey: PasskeyNumber?) -> SQLValue { passkey.map { .integer($0.number) } ?? .null }
    static func words(_ words: [String]) -> SQLValue { .text(words.joined(separator: " ")) }

    static func document(_ object: JSONObject) -> SQLValue {
        .text(String(decoding: JSONValue.object(object).serialized(), as: UTF8.self))
    }

    /// Nothing for an empty document.
    static func details(_ object: JSONObject) -> SQLValue { object.isEmpty ? .null : .document(object) }

    /// A JSON array; nothing for an empty one.
    static func list(_ texts: [String]) -> SQLValue {
        guard !texts.isEmpty else { return .null }
        return .text(String(decoding: JSONValue.array(texts.map { .string($0) }).serialized(), as: UTF8.self))
    }
}

extension SQLRow {
    func damaged(_ what: String) -> StoreError { .corrupt(reason: "a stored \(what) is damaged") }

    mutating func bool() throws(StoreError) -> Bool { try integer() != 0 }
    mutating func boolIfAny() throws(StoreError) -> Bool? { try integerIfAny().map { $0 != 0 } }
    mutating func time() throws(StoreError) -> UnixTime { UnixTime(milliseconds: try integer()) }

    mutating func timeIfAny() throws(StoreError) -> UnixTime? {
        try integerIfAny().map { UnixTime(milliseconds: $0) }
    }

    mutating func tenant() throws(StoreError) -> TenantID { TenantID(number: try integer()) }
    mutating func client() throws(StoreError) -> ClientID { ClientID(try text()) }

    mutating func user() throws(StoreError) -> UserID {
        guard let user = UserID(bytes: try bytes()) else { throw damaged("user id") }
        return user
    }

    mutating func userIfAny() throws(StoreError) -> UserID? {
        guard let bytes = try bytesIfAny() else { return nil }
        guard let user = UserID(bytes: bytes) else { throw damaged("user id") }
        return user
    }

    mutating func id() throws(StoreError) -> TimeOrderedID {
        guard let id = TimeOrderedID(bytes: try bytes()) else { throw damaged("id") }
        return id
    }

    mutating func passkeyIfAny() throws(StoreError) -> PasskeyNumber? {
        try integerIfAny().map { PasskeyNumber(number: $0) }
    }

    mutating func words() throws(StoreError) -> [String] {
        // Bytes, for a space with a combining mark after it is another character.
        try text().utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: Array($0), as: UTF8.self) }
    }

    mutating func device() throws(StoreError) -> Device {
        Device(address: try text(), userAgent: try text())
    }

    mutating func word<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws(StoreError) -> Word {
        guard let word = Word(rawValue: try text()) else { throw damaged("\(Word.self)") }
        return word
    }

    mutating func wordIfAny<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws(StoreError) -> Word? {
        guard let text = try textIfAny() else { return nil }
        guard let word = Word(rawValue: text) else { throw damaged("\(Word.self)") }
        return word
    }

    mutating func document() throws(StoreError) -> JSONObject {
        guard let object = Self.parse(try text())?.object else { throw damaged("document") }
        return object
    }

    mutating func details() throws(StoreError) -> JSONObject {
        guard let text = try textIfAny() else { return JSONObject() }
        guard let object = Self.parse(text)?.object else { throw damaged("document") }
        return object
    }

    /// A JSON array; an empty one where there is nothing.
    mutating func array() throws(StoreError) -> [JSONValue] {
        guard let text = try textIfAny() else { return [] }
        guard let array = Self.parse(text)?.array else { throw damaged("list") }
        return array
    }

    mutating func list() throws(StoreError) -> [String] {
        var texts: [String] = []
        for value in try array() {
            guard let text = value.string else { throw damaged("list") }
            texts.append(text)
        }
        return texts
    }

    private static func parse(_ text: String) -> JSONValue? {
        try? JSON.parse(text, allowingNUL: true)
    }
}
