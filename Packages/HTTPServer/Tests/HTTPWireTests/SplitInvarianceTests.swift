import Glibc
import HTTPWire
import Testing

@Suite("RFC 9112: what a stream means does not depend on how it is split")
struct SplitInvarianceTests {
    /// `LATCHKEY_FUZZ_REQUESTS` sets how many streams are tried, `LATCHKEY_FUZZ_SEED` which.
    static func setting(_ name: String, default number: UInt64) -> UInt64 {
        guard let text = unsafe getenv(name) else { return number }
        return UInt64(unsafe String(cString: text)) ?? number
    }

    static let seeds = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET /a/b?c=d HTTP/1.1\r\nHost: login.example.com:8443\r\nAccept: */*\r\nUser-Agent: x y (z)\r\n\r\n",
        "POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"a\":\"b c\"}",
        "POST /x HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nT: v\r\n\r\n",
        "PUT http://b.example/p?q HTTP/1.1\r\nhost: other\r\nconnection: Keep-Alive, foo\r\ncontent-length: 3\r\n\r\nabc",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
        "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "PATCH /p%20q HTTP/1.1\r\nHost:a\r\nContent-Length:0\r\nX: \t v \t\r\n\r\n",
    ].map { Array($0.utf8) }

    static let fragments = [
        "\r\n", "\n", "\r", "\0", " ", "\t", ":", "\r\n\r\n", "0\r\n\r\n", "Content-Length: 5\r\n",
        "Content-Length: +5\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: xchunked\r\n", "Host: b\r\n", "Expect: x\r\n",
        " folded\r\n",
        "HTTP/2.0", "HTTP/1.1", "FFFFFFFFFFFFFFFF\r\n", "7FFFFFFFFFFFFFFF", "1\r\nX\r\n", ";ext=\"q\"", "%00", "%zz",
        "é",
        "http://u@h/", "GET / HTTP/1.1\r\n", "99999999999999999999",
    ].map { Array($0.utf8) }

    static func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) { bytes += seeds.randomElement(using: &generator) ?? [] }
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 1...8, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.removeLast(bytes.count - place)
            case 5:
                let filler = UInt8.random(in: 0x20...0x7E, using: &generator)
                bytes.insert(contentsOf: [UInt8](repeating: filler, count: 300), at: place)
            default: bytes.insert(contentsOf: fragments.randomElement(using: &generator) ?? [], at: place)
            }
        }
        return bytes
    }

    @Test("Whole, byte by byte and in random pieces, a mutated stream gives the same requests and the same fault")
    func sameInEverySplit() {
        let count = Self.setting("LATCHKEY_FUZZ_REQUESTS", default: 20_000)
        var generator = SeededGenerator(seed: Self.setting("LATCHKEY_FUZZ_SEED", default: 20_261_130))
        // Small limits, so that mutations reach them.
        let limits = WireLimits(head: 700, fields: 8, target: 200, trailer: 40, chunkLine: 24)
        var faults: Set<HTTPFault> = []
        var complete = 0
        for number in 0..<count {
            let bytes = Self.mutated(&generator)
            let whole = Trace(bytes, limits: limits, bodyLimit: 40)
            let single = Trace(bytes, cuts: Array(bytes.indices), limits: limits, bodyLimit: 40)
            var cuts = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                Int.random(in: 0...bytes.count, using: &generator)
            }
            cuts.sort()
            let pieces = Trace(bytes, cuts: cuts, limits: limits, bodyLimit: 40)
            if whole != single || whole != pieces {
                Issue.record(
                    """
                    stream \(number) \(String(decoding: bytes, as: UTF8.self).debugDescription), cut at \(cuts):
                    \(whole)\n\(single)\n\(pieces)
                    """
                )
                return
            }
            if let fault = whole.fault { faults.insert(fault) }
            complete += whole.bodies.count
        }
        // Otherwise the mutations would not reach what they are for.
        if count >= 10_000 {
            #expect(complete > Int(count) / 2)
            #expect(
                faults.isSuperset(of: [
                    .badRequest(.requestLine), .badRequest(.target), .badRequest(.field), .badRequest(.host),
                    .badRequest(.contentLength), .badRequest(.transferEncoding), .badRequest(.chunk),
                    .badRequest(.trailer), .bodyTooLarge, .targetTooLong, .expectationFailed, .headTooLarge,
                    .notImplemented, .versionNotSupported,
                ])
            )
        }
    }

    @Test("A stream cut short at any place, or with any bit flipped, is refused or waits, and never traps")
    func everyTruncationAndFlip() {
        for seed in Self.seeds {
            for count in seed.indices {
                let trace = Trace(Array(seed[..<count]))
                #expect(trace.fault == nil, "a prefix of a good request is no bad one")
                #expect(trace.bodies.isEmpty)
            }
            for place in seed.indices {
                for bit in 0..<8 {
                    var flipped = seed
                    flipped[place] ^= 1 << UInt8(bit)
                    let whole = Trace(flipped)
                    #expect(whole == Trace(flipped, cuts: Array(flipped.indices)))
                }
            }
        }
    }
}
