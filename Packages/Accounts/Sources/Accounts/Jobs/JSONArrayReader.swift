/// Takes the elements of a JSON array out of bytes that come part by part, without holding more than one element.
///
/// It finds where elements begin and end, and leaves their content to a parser of JSON.
struct JSONArrayReader {
    /// Why the bytes are no array of bounded elements; for whoever sent them.
    enum Fault: Error, Hashable {
        case notAnArray
        case elementTooLong
        case truncated
    }

    private enum State: Hashable {
        case start
        /// Behind `[`: an element or `]`.
        case first
        /// Behind a comma: an element.
        case element
        /// Inside an element.
        case inside
        /// Behind an element: a comma or `]`.
        case after
        case end
    }

    private let maximum: Int
    private var state = State.start
    private var current: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// - Parameter maximum: bytes that one element may have.
    init(elementsUpTo maximum: Int) {
        self.maximum = maximum
    }

    /// Takes the next part.
    ///
    /// - Returns: the elements that end in it.
    /// - Throws: what is wrong with it.
    mutating func read(_ part: [UInt8]) throws(Fault) -> [[UInt8]] {
        var elements: [[UInt8]] = []
        for byte in part {
            if state == .inside {
                if let element = try inside(byte) { elements.append(element) }
            } else {
                try between(byte)
            }
        }
        return elements
    }

    /// - Throws: `truncated` when the array has not ended.
    func end() throws(Fault) {
        guard state == .end else { throw .truncated }
    }

    /// A byte outside of elements.
    private mutating func between(_ byte: UInt8) throws(Fault) {
        if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { return }
        switch (state, byte) {
        case (.start, UInt8(ascii: "[")): state = .first
        case (.first, UInt8(ascii: "]")), (.after, UInt8(ascii: "]")): state = .end
        case (.after, UInt8(ascii: ",")): state = .element
        case (.first, UInt8(ascii: "{")), (.element, UInt8(ascii: "{")):
            state = .inside
            current = [byte]
            depth = 1
        default: throw .notAnArray
        }
    }

    /// A byte of an object; the object when it ends with it.
    private mutating func inside(_ byte: UInt8) throws(Fault) -> [UInt8]? {
        guard current.count < maximum else { throw .elementTooLong }
        current.append(byte)
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return nil
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 {
                state = .after
                defer { current = [] }
                return current
            }
        default: break
        }
        return nil
    }
}
