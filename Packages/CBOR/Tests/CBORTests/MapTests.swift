import CBOR
import Testing

@Suite("CTAP 2.1 §8: the order of map keys")
struct MapTests {
    /// Integers before negative ones before bytes before text, and shorter ones first.
    static let ordered: [CBORValue] = [
        0, 1, 23, 24, 255, 256, 65536, .unsigned(.max), -1, -24, -25, -257, .negative(.max), .bytes([]), .bytes([0]),
        .bytes([0xff]), .bytes([0, 0]), "", "a", "b", "aa", "zz", "aaa", [], [1], [], false, true, nil,
    ]

    @Test("Entries come out in canonical order, in whatever order they were put in")
    func order() throws {
        var keys = Self.ordered
        keys.remove(at: 25)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20 {
            let shuffled = keys.shuffled(using: &generator)
            var map = CBORMap()
            for (index, key) in shuffled.enumerated() { map[key] = .integer(index) }
            #expect(map.entries.map(\.key) == keys)
            #expect(CBORMap(shuffled.map { CBORMap.Entry(key: $0, value: 0) })?.entries.map(\.key) == keys)
            #expect(try CBOR.decode(CBOR.encode(.map(map))) == .map(map))
        }
    }

    @Test("Each pair of keys decodes in one order only")
    func pairs() {
        var keys = Self.ordered
        keys.remove(at: 25)
        for (place, key) in keys.enumerated() {
            for (otherPlace, other) in keys.enumerated() {
                let bytes = [0xa2] + CBOR.encode(key) + [0] + CBOR.encode(other) + [0]
                let strict = Result { () throws(CBORError) in try CBOR.decode(bytes) }
                #expect(((try? strict.get()) != nil) == (place < otherPlace))
                #expect((CBOR.inspect(bytes).ctap2Canonical == true) == (place < otherPlace))
                let loose = Result { () throws(CBORError) in try CBOR.decode(bytes, as: .interoperable) }
                #expect(((try? loose.get()) != nil) == (place != otherPlace))
                #expect(CBOR.inspect(bytes).valid == (place != otherPlace))
            }
        }
    }

    @Test("A key that is set again keeps one entry, and nil takes it out")
    func setting() {
        var map: CBORMap = CBORMap()
        map[3] = "a"
        map[1] = "b"
        map[3] = "c"
        #expect(map.count == 2)
        #expect(map[3] == "c")
        map[1] = nil
        #expect(map.entries.map(\.key) == [3])
        map[3] = nil
        #expect(map.isEmpty)
        #expect(CBORMap([CBORMap.Entry(key: 1, value: 1), CBORMap.Entry(key: 1, value: 2)]) == nil)
    }

    @Test("Text keys are told apart by their bytes")
    func textBytes() throws {
        let map: CBORValue = ["\u{e9}": 1, "e\u{301}": 2]
        #expect(map.map?.count == 2)
        #expect(try CBOR.decode(CBOR.encode(map)) == map)
        #expect(CBORValue.text("\u{e9}") != .text("e\u{301}"))
    }
}
