import Testing

@testable import HTTPServer

@Suite("The timer wheel")
struct TimerWheelTests {
    @Test("Every entry fires once, at its tick or at the first look after it, near or far beyond one turn")
    func firesAll() {
        var wheel = TimerWheel(now: 1_000)
        var generator = SystemRandomNumberGenerator()
        var expected: [UInt64: Int64] = [:]
        for token in 0..<2_000 as Range<UInt64> {
            let tick = 1_000 + Int64.random(in: 0...9_000, using: &generator)
            expected[token] = max(tick, 1_001)
            wheel.insert(token, at: tick)
        }
        var now: Int64 = 1_000
        while !expected.isEmpty, now < 20_000 {
            now += Int64.random(in: 1...700, using: &generator)
            let before = wheel.next
            for entry in wheel.expire(now: now) {
                let tick = expected.removeValue(forKey: entry.token)
                #expect(tick != nil, "none fires twice")
                #expect((tick ?? .max) <= now, "none fires early")
            }
            for (_, tick) in expected where tick <= now { Issue.record("\(tick) is late at \(now)") }
            #expect(before <= now || expected.values.allSatisfy { $0 > now })
            if let earliest = expected.values.min() { #expect(wheel.next <= earliest) }
        }
        #expect(expected.isEmpty)
        #expect(wheel.next == .max)
    }

    @Test("A wheel that nobody looked at for a year still fires, and takes entries afterwards")
    func longSleep() {
        var wheel = TimerWheel(now: 0)
        wheel.insert(1, at: 5)
        #expect(wheel.expire(now: 1_000_000_000).map(\.token) == [1])
        wheel.insert(2, at: 5)
        #expect(wheel.next == 1_000_000_001)
        #expect(wheel.expire(now: 1_000_000_000).isEmpty)
        #expect(wheel.expire(now: 1_000_000_001).map(\.token) == [2])
        wheel.insert(3, at: .max)
        #expect(wheel.expire(now: 1_000_010_000).isEmpty)
        #expect(wheel.next < .max)
    }
}
