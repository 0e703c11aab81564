/// A body of `multipart/form-data` (RFC 7578), taken apart without copying what it carries.
struct MultipartForm {
    /// One field.
    struct Part {
        let name: String
        let content: ArraySlice<UInt8>
    }

    let parts: [Part]

    /// Fields that a form may have.
    private static let maximumParts = 20
    /// Bytes that the headers of a field may have.
    private static let maximumHeaders = 8 << 10

    /// The boundary that a content type names (RFC 2046 §5.1.1); `nil` when it is another type or has none.
    static func boundary(_ contentType: String?) -> [UInt8]? {
        guard let contentType else { return nil }
        let parts = contentType.split(separator: ";").map { trimmed($0.utf8) }
        guard let type = parts.first, text(type).lowercased() == "multipart/form-data" else { return nil }
        for parameter in parts.dropFirst() {
            let (name, value) = pair(parameter)
            guard name == "boundary", (1...70).contains(value.utf8.count) else { continue }
            return Array(value.utf8)
        }
        return nil
    }

    /// Takes `body` apart; `nil` when it is no such form, or has too many fields, or one twice.
    ///
    /// A large one takes a while: others on the same loop have their turn in between.
    init?(_ body: [UInt8], boundary: [UInt8]) async {
        let delimiter = Array("--".utf8) + boundary
        guard let start = await Self.find(delimiter, in: body[...]) else { return nil }
        var rest = body[start...].dropFirst(delimiter.count)
        let separator = Array("\r\n".utf8) + delimiter
        var parts: [Part] = []
        while true {
            if rest.starts(with: "--".utf8) { break }
            guard rest.starts(with: "\r\n".utf8), parts.count < Self.maximumParts else { return nil }
            // From the line end on, so that a part without headers is one too.
            guard let end = await Self.find(separator, in: rest.dropFirst(2)) else { return nil }
            guard let part = await Self.part(rest[rest.startIndex..<end].dropFirst(2)),
                !parts.contains(where: { $0.name.utf8.elementsEqual(part.name.utf8) })
            else { return nil }
            parts.append(part)
            rest = rest[end...].dropFirst(separator.count)
        }
        self.parts = parts
    }

    /// The content of a field.
    subscript(name: String) -> ArraySlice<UInt8>? {
        parts.first { $0.name.utf8.elementsEqual(name.utf8) }?.content
    }

    private static func part(_ bytes: ArraySlice<UInt8>) async -> Part? {
        let head = bytes.prefix(maximumHeaders)
        guard let end = await find(Array("\r\n\r\n".utf8), in: head) else { return nil }
        for line in text(bytes[bytes.startIndex..<end]).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-disposition" else {
                continue
            }
            let words = line[line.index(after: colon)...].split(separator: ";").map { trimmed($0.utf8) }
            guard let type = words.first, text(type).lowercased() == "form-data" else { return nil }
            for word in words.dropFirst() {
                let (name, value) = pair(word)
                if name == "name", !value.isEmpty {
                    return Part(name: value, content: bytes[end...].dropFirst(4))
                }
            }
        }
        return nil
    }

    /// `name=value` or `name="value"`.
    private static func pair(_ bytes: ArraySlice<UInt8>) -> (String, String) {
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (text(bytes).lowercased(), "") }
        var value = trimmed(bytes[equals...].dropFirst())
        if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
            value = value.dropFirst().dropLast()
        }
        return (text(trimmed(bytes[..<equals])).lowercased(), text(value))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func trimmed(_ bytes: some Sequence<UInt8>) -> ArraySlice<UInt8> {
        var slice = Array(bytes)[...]
        while let first = slice.first, first == 0x20 || first == 0x09 { slice = slice.dropFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice = slice.dropLast() }
        return slice
    }

    /// Bytes that are looked at before others have their turn.
    private static let stride = 256 << 10

    /// Where `needle` begins; the time grows with the length, however the bytes are.
    static func find(_ needle: [UInt8], in bytes: ArraySlice<UInt8>) async -> Int? {
        guard let first = needle.first else { return bytes.startIndex }
        // The failure function of Knuth, Morris and Pratt.
        var table = [Int](repeating: 0, count: needle.count)
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[length] != needle[index] { length = table[length - 1] }
            if needle[length] == needle[index] { length += 1 }
            table[index] = length
        }
        var matched = 0
        var index = bytes.startIndex
        var turn = index + stride
        while index < bytes.endIndex {
            if index >= turn {
                turn = index + stride
                await Task.yield()
            }
            if matched == 0, bytes[index] != first {
                index += 1
                continue
            }
            while matched > 0, needle[matched] != bytes[index] { matched = table[matched - 1] }
            if needle[matched] == bytes[index] { matched += 1 }
            if matched == needle.count { return index - needle.count + 1 }
            index += 1
        }
        return nil
    }
}
