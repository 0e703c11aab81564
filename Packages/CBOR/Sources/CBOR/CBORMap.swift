/// The entries of a map, in CTAP2 canonical order. No two have the same key.
public struct CBORMap: Hashable, Sendable {
    /// One key and its value.
    public struct Entry: Hashable, Sendable {
        public let key: CBORValue
        public let value: CBORValue

        public init(key: CBORValue, value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// By the key's major type, then the length of its encoding, then its bytes (CTAP 2.1 §8).
    public private(set) var entries: [Entry]

    /// A map without entries.
    public init() {
        entries = []
    }

    /// A map of `entries`, whose order does not matter, or `nil` when two have the same key.
    public init?(_ entries: [Entry]) {
        self.entries = entries
        // As a rule they come in order, and then no two are the same either.
        guard !isInOrder else { return }
        self.entries.sort { CBORValue.isInCanonicalOrder($0.key, $1.key) }
        guard isInOrder else { return nil }
    }

    private var isInOrder: Bool {
        for index in entries.indices.dropFirst()
        where !CBORValue.isInCanonicalOrder(entries[index - 1].key, entries[index].key) {
            return false
        }
        return true
    }

    /// The caller vouches for the order, and that no key is there twice.
    init(sorted entries: [Entry]) {
        self.entries = entries
    }

    public var count: Int { entries.count }

    public var isEmpty: Bool { entries.isEmpty }

    /// The value of `key`, or `nil` when the map does not have it. Setting `nil` removes the entry.
    public subscript(key: CBORValue) -> CBORValue? {
        get {
            for entry in entries where entry.key == key { return entry.value }
            return nil
        }
        set {
            entries.removeAll { $0.key == key }
            guard let newValue else { return }
            let place = entries.firstIndex { CBORValue.isInCanonicalOrder(key, $0.key) } ?? entries.endIndex
            entries.insert(Entry(key: key, value: newValue), at: place)
        }
    }
}

extension CBORValue {
    /// Whether `one` comes before `other` as a map key. Neither does when they are equal.
    static func isInCanonicalOrder(_ one: CBORValue, _ other: CBORValue) -> Bool {
        switch (one, other) {
        // The shorter encoding is that of the smaller number, or of the shorter string.
        case (.unsigned(let one), .unsigned(let other)), (.negative(let one), .negative(let other)):
            return one < other
        case (.bytes(let one), .bytes(let other)):
            return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
        case (.text(let one), .text(let other)):
            let (one, other) = (one.utf8, other.utf8)
            return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
        default:
            let types = (one.majorType, other.majorType)
            guard types.0 == types.1 else { return types.0 < types.1 }
            return isInCanonicalOrder(encodedKey: CBOR.encode(one)[...], CBOR.encode(other)[...])
        }
    }

    /// The first three bits of the encoding (RFC 8949 §3.1).
    private var majorType: UInt8 {
        switch self {
        case .unsigned: 0
        case .negative: 1
        case .bytes: 2
        case .text: 3
        case .array: 4
        case .map: 5
        case .bool, .null, .undefined, .float: 7
        }
    }

    /// Whether the item `one` comes before `other` as a map key, by their bytes.
    static func isInCanonicalOrder(encodedKey one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        let types = ((one.first ?? 0) >> 5, (other.first ?? 0) >> 5)
        guard types.0 == types.1 else { return types.0 < types.1 }
        return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }
}
