/// Walks over one item with a stack of its own. Each finished item leaves a digest of its value, by which map keys are
/// told apart whatever their encoding; the digests are keyed by chance, as those of `Set` are.
struct CBORInspector {
    /// An item that others are inside of.
    private struct Frame {
        enum Kind: Equatable {
            case array
            case map
            /// A tag and its number.
            case tag(UInt64)
            /// A string of indefinite length, and its major type.
            case chunks(UInt8)
        }

        let kind: Kind
        let start: Int
        /// How many items are still to come; `nil` until a break.
        var remaining: Int?
        /// Of an array, tag or string.
        var content = Hasher()
        /// Of a map's entries. The sum does not depend on their order.
        var sum = 0
        /// Of the key whose value comes next.
        var key: Int?
        var keys: Set<Int> = []
        var lastKey: Range<Int>?
    }

    private static let canonicalDepth = 4

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var stack: [Frame] = []
    /// How many arrays and maps are in the stack.
    private var containers = 0
    private var isValid = true
    private var isCanonical = true
    private var hasFloat = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func inspect() throws(CBORError) -> CBORInspection {
        repeat { try step() } while !stack.isEmpty
        guard index == bytes.endIndex else { throw .trailingBytes(offset: index - bytes.startIndex) }
        let isCanonical = isValid && isCanonical
        return CBORInspection(
            wellFormed: true,
            valid: isValid,
            ctap2Canonical: isCanonical && hasFloat ? nil : isCanonical
        )
    }

    /// Reads one head, and the content of a string.
    private mutating func step() throws(CBORError) {
        let start = index
        let offset = start - bytes.startIndex
        let head = try CBORHead(bytes, at: start, offset: offset)
        index += head.count
        switch stack.last?.kind {
        case .chunks(let majorType) where bytes[start] != 0xff:
            guard head.majorType == majorType, !head.isIndefinite else {
                throw .notWellFormed(bytes[start], offset: offset)
            }
        case .tag(0) where head.majorType != 3, .tag(2...3) where head.majorType != 2:
            // A date and time is text, a bignum is bytes (RFC 8949 §3.4.1, §3.4.3).
            isValid = false
        default:
            break
        }
        if head.majorType < 7, head.isIndefinite || !head.isMinimal { isCanonical = false }
        switch head.majorType {
        case 2, 3:
            if head.isIndefinite { return push(.chunks(head.majorType), start, remaining: nil) }
            try string(head, start: start)
        case 4:
            try open(.array, head, start: start, bytesEach: 1)
        case 5:
            try open(.map, head, start: start, bytesEach: 2)
        case 6:
            isCanonical = false
            push(.tag(head.argument), start, remaining: 1)
            stack[stack.count - 1].content.combine(head.argument)
        case 7 where head.isIndefinite:
            try close(offset: offset)
        case 7:
            simpleOrFloat(head, start: start)
        default:
            finish(start, digest: Self.digest(head.majorType, head.argument))
        }
    }

    private mutating func string(_ head: CBORHead, start: Int) throws(CBORError) {
        guard let count = Int(exactly: head.argument), count <= bytes.endIndex - index else {
            throw .unexpectedEnd(offset: bytes.count)
        }
        let content = bytes[index..<(index + count)]
        index += count
        if head.majorType == 3 { checkUTF8(content) }
        guard case .chunks = stack.last?.kind else {
            var hasher = Hasher()
            for byte in content { hasher.combine(byte) }
            return finish(start, digest: Self.digest(head.majorType, hasher.finalize()))
        }
        for byte in content { stack[stack.count - 1].content.combine(byte) }
    }

    private mutating func checkUTF8(_ content: ArraySlice<UInt8>) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: content.span)
        } catch {
            isValid = false
        }
    }

    private mutating func open(
        _ kind: Frame.Kind,
        _ head: CBORHead,
        start: Int,
        bytesEach: Int
    ) throws(CBORError) {
        if head.isIndefinite { return push(kind, start, remaining: nil) }
        guard let count = Int(exactly: head.argument), count <= (bytes.endIndex - index) / bytesEach else {
            throw .unexpectedEnd(offset: bytes.count)
        }
        push(kind, start, remaining: count)
        if count == 0 { pop() }
    }

    /// Takes a break, which ends the innermost item when that has an indefinite length and is not waiting for a value.
    private mutating func close(offset: Int) throws(CBORError) {
        guard let frame = stack.last, frame.remaining == nil, frame.key == nil else {
            throw .notWellFormed(0xff, offset: offset)
        }
        pop()
    }

    private mutating func simpleOrFloat(_ head: CBORHead, start: Int) {
        guard (25...27).contains(head.information) else {
            // Only false, true, null and undefined have a meaning.
            if !(20...23).contains(head.argument) { isCanonical = false }
            return finish(start, digest: Self.digest(7, head.argument))
        }
        hasFloat = true
        let width: CBORFloat.Width = head.information == 25 ? .half : head.information == 26 ? .single : .double
        // A number is the same key in whatever width.
        finish(start, digest: Self.digest(8, CBORFloat(width: width, bits: head.argument).value.bitPattern))
    }

    private mutating func push(_ kind: Frame.Kind, _ start: Int, remaining: Int?) {
        stack.append(Frame(kind: kind, start: start, remaining: remaining))
        guard kind == .array || kind == .map else { return }
        containers += 1
        if containers > Self.canonicalDepth { isCanonical = false }
    }

    /// Ends the innermost item.
    private mutating func pop() {
        guard let frame = stack.popLast() else { return }
        finish(frame.start, digest: end(frame))
    }

    private mutating func end(_ frame: Frame) -> Int {
        switch frame.kind {
        case .array:
            containers -= 1
            return Self.digest(4, frame.content.finalize())
        case .map:
            containers -= 1
            return Self.digest(5, frame.sum)
        case .tag: return Self.digest(6, frame.content.finalize())
        case .chunks(let majorType): return Self.digest(majorType, frame.content.finalize())
        }
    }

    /// Counts the item from `start` to here in the one around it, which may be complete with it, and so on outwards.
    private mutating func finish(_ start: Int, digest: Int) {
        var (start, digest) = (start, digest)
        while var frame = stack.popLast() {
            if frame.kind == .map {
                guard let key = frame.key else {
                    takeKey(start..<index, digest: digest, in: &frame)
                    return stack.append(frame)
                }
                frame.sum &+= Self.digest(key, digest)
                frame.key = nil
            } else {
                frame.content.combine(digest)
            }
            if let remaining = frame.remaining { frame.remaining = remaining - 1 }
            guard frame.remaining == 0 else { return stack.append(frame) }
            (start, digest) = (frame.start, end(frame))
        }
    }

    private mutating func takeKey(_ range: Range<Int>, digest: Int, in frame: inout Frame) {
        if !frame.keys.insert(digest).inserted { isValid = false }
        if let last = frame.lastKey, !CBORValue.isInCanonicalOrder(encodedKey: bytes[last], bytes[range]) {
            isCanonical = false
        }
        frame.key = digest
        frame.lastKey = range
    }

    private static func digest(_ one: some Hashable, _ other: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(one)
        hasher.combine(other)
        return hasher.finalize()
    }
}
