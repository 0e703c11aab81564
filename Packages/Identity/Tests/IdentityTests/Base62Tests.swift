import Identity
import Testing

@Suite("The alphabet of ids: Base62")
struct Base62Tests {
    @Test("A number is written in exactly as many characters as asked for")
    func writesNumbers() {
        // 65535 = 17 * 62^2 + 3 * 62 + 1.
        #expect(Base62.encode([0xFF, 0xFF], count: 3) == "H31")
        #expect(Base62.encode([0xFF, 0xFF], count: 8) == "00000H31")
        #expect(Base62.encode([0xFF, 0xFF], count: 2) == "31")
        #expect(Base62.encode([], count: 4) == "0000")
        #expect(Base62.encode([61], count: 1) == "z")
        #expect(Base62.encode([1, 0, 0, 0, 0], count: 6) == "4gfFC4")
    }

    @Test("What was written reads back, at every length", arguments: 0...40)
    func readsBack(count: Int) {
        for seed in 0..<20 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: ($0 + 1) * (seed * 37 + 11) ^ (seed << 3)) }
            // 62^4 is less than 2^24: 4 characters for 2 bytes are always enough.
            let text = Base62.encode(bytes, count: count * 2 + 1)
            #expect(text.utf8.count == count * 2 + 1)
            #expect(Base62.decode(text.utf8, count: count) == bytes)
        }
    }

    @Test("A foreign character or a larger number reads as nothing")
    func refuses() {
        #expect(Base62.decode("0-".utf8, count: 4) == nil)
        #expect(Base62.decode("zzzz".utf8, count: 2) == nil)
    }
}
