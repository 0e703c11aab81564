/// Reads items one after the other from the front of the input, and never past its end.
struct CBORDecoder {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private let form: CBORForm
    private let maximumDepth: Int
    private var items = 0

    init(_ bytes: ArraySlice<UInt8>, form: CBORForm, maximumDepth: Int) {
        self.bytes = bytes
        self.form = form
        self.maximumDepth = maximumDepth
        index = bytes.startIndex
    }

    var isAtEnd: Bool { index == bytes.endIndex }

    var offset: Int { index - bytes.startIndex }

    var rest: ArraySlice<UInt8> { bytes[index...] }

    /// Reads the next item, which `depth` arrays and maps are around.
    mutating func item(depth: Int) throws(CBORError) -> CBORValue {
        let start = offset
        let head = try CBORHead(bytes, at: index, offset: start)
        items += 1
        guard items <= CBOR.maximumItems else { throw .tooManyItems(offset: start) }
        index += head.count
        guard head.majorType < 7 else { return try simpleOrFloat(head, at: start) }
        guard !head.isIndefinite else { throw .indefiniteLength(offset: start) }
        guard head.isMinimal || form == .interoperable else { throw .notMinimal(offset: start) }
        switch head.majorType {
        case 0: return .unsigned(head.argument)
        case 1: return .negative(head.argument)
        case 2: return .bytes(Array(try content(head)))
        case 3: return .text(try text(head))
        case 4:
            guard depth < maximumDepth else { throw .tooDeep(offset: start) }
            return .array(try array(head, depth: depth + 1))
        case 5:
            guard depth < maximumDepth else { throw .tooDeep(offset: start) }
            return .map(try map(head, depth: depth + 1))
        default: throw .tag(head.argument, offset: start)
        }
    }

    private mutating func content(_ head: CBORHead) throws(CBORError) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: head.argument), count <= bytes.endIndex - index else {
            throw .unexpectedEnd(offset: bytes.count)
        }
        defer { index += count }
        return bytes[index..<(index + count)]
    }

    private mutating func text(_ head: CBORHead) throws(CBORError) -> String {
        let start = offset
        let content = try content(head)
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: content.span))
        } catch {
            throw .invalidUTF8(offset: start + error.byteOffsets.lowerBound)
        }
    }

    private mutating func array(_ head: CBORHead, depth: Int) throws(CBORError) -> [CBORValue] {
        let count = try itemCount(head, bytesEach: 1)
        var elements: [CBORValue] = []
        // The array grows as its elements come in; what a count claims is never allocated.
        for _ in 0..<count { elements.append(try item(depth: depth)) }
        return elements
    }

    private mutating func map(_ head: CBORHead, depth: Int) throws(CBORError) -> CBORMap {
        let start = offset
        let count = try itemCount(head, bytesEach: 2)
        var entries: [CBORMap.Entry] = []
        for _ in 0..<count {
            let keyOffset = offset
            let key = try item(depth: depth)
            if form == .ctap2, let last = entries.last {
                guard last.key != key else { throw .duplicateKey(offset: keyOffset) }
                guard CBORValue.isInCanonicalOrder(last.key, key) else { throw .keysNotSorted(offset: keyOffset) }
            }
            entries.append(CBORMap.Entry(key: key, value: try item(depth: depth)))
        }
        if form == .ctap2 { return CBORMap(sorted: entries) }
        guard let map = CBORMap(entries) else { throw .duplicateKey(offset: start) }
        return map
    }

    /// A count of items, each of which has at least `bytesEach` bytes.
    private func itemCount(_ head: CBORHead, bytesEach: Int) throws(CBORError) -> Int {
        guard let count = Int(exactly: head.argument), count <= (bytes.endIndex - index) / bytesEach else {
            throw .unexpectedEnd(offset: bytes.count)
        }
        return count
    }

    private func simpleOrFloat(_ head: CBORHead, at start: Int) throws(CBORError) -> CBORValue {
        switch head.information {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        case 23: return .undefined
        case 25: return .float(CBORFloat(width: .half, bits: head.argument))
        case 26: return .float(CBORFloat(width: .single, bits: head.argument))
        case 27: return .float(CBORFloat(width: .double, bits: head.argument))
        case 31: throw .notWellFormed(0xff, offset: start)
        default: throw .unassignedSimpleValue(UInt8(truncatingIfNeeded: head.argument), offset: start)
        }
    }
}
