internal import CBOR

extension RegistrationMutator {
    /// One change somewhere in an item.
    mutating func mutated(_ value: CBORValue) -> CBORValue {
        switch value {
        case .map(let map) where !map.isEmpty && dice.below(8) > 0: return mutatedMap(map)
        case .array(let elements) where !elements.isEmpty && dice.below(8) > 0: return mutatedArray(elements)
        case .bytes(let bytes) where dice.below(8) > 0: return .bytes(mutatedBytes(bytes))
        case .text(let text) where dice.below(2) == 0:
            return .text(text + (dice.pick(["", "0", "\u{0}", "é"]) ?? ""))
        case .unsigned(let number) where dice.below(2) == 0: return .unsigned(number &+ 1)
        case .negative(let number) where dice.below(2) == 0: return .negative(number &- 1)
        default: return dice.pick(Self.strangers) ?? .null
        }
    }

    /// Of every type, at the ends of their ranges.
    private static let strangers: [CBORValue] = [
        .unsigned(0), .unsigned(.max), .negative(.max), .integer(-7), .integer(-257), .integer(-48), .bytes([]),
        .bytes([UInt8](repeating: 0xff, count: 2048)), .text(""), .text("2.0"), .array([]),
        .array([CBORValue](repeating: .bytes([0x30, 0x00]), count: 40)), .map(CBORMap()), .bool(true), .null,
        .undefined,
    ]

    private mutating func mutatedMap(_ map: CBORMap) -> CBORValue {
        guard let entry = dice.pick(map.entries) else { return .map(map) }
        var map = map
        switch dice.below(8) {
        case 0: map[entry.key] = nil
        case 1: map[dice.pick(Self.strangers) ?? .null] = entry.value
        case 2:
            // Two values change places.
            guard let other = dice.pick(map.entries) else { break }
            map[entry.key] = other.value
            map[other.key] = entry.value
        default: map[entry.key] = mutated(entry.value)
        }
        return .map(map)
    }

    private mutating func mutatedArray(_ elements: [CBORValue]) -> CBORValue {
        var elements = elements
        let place = dice.below(elements.count)
        switch dice.below(6) {
        case 0: elements.remove(at: place)
        case 1: elements.append(elements[place])
        case 2: elements.reverse()
        default: elements[place] = mutated(elements[place])
        }
        return .array(elements)
    }

    /// One change of bytes, whatever they are: often of the lengths and tags that lie among them.
    mutating func mutatedBytes(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return dice.bytes(dice.below(40)) }
        var bytes = bytes
        let place = dice.below(bytes.count)
        switch dice.below(9) {
        case 0: bytes.removeSubrange(place...)
        case 1: bytes.append(contentsOf: dice.bytes(1 + dice.below(8)))
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8(truncatingIfNeeded: dice.next()), at: place)
        case 4: bytes[place] = dice.pick([0, 1, 0x7f, 0x80, 0xff, 0x30, 0xa0]) ?? 0
        case 5:
            let end = min(bytes.count, place + 1 + dice.below(16))
            bytes.replaceSubrange(place..<end, with: bytes[place..<end].reversed())
        default: bytes[place] ^= 1 << UInt8(dice.below(8))
        }
        return bytes
    }
}

/// A row of numbers that a seed decides (SplitMix64).
struct Dice: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// From 0 to `limit - 1`; 0 when there is nothing to choose from.
    mutating func below(_ limit: Int) -> Int {
        limit > 0 ? Int(next() % UInt64(limit)) : 0
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<max(0, count)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
