import HTTPWire

/// What a stream of bytes amounts to, fed in given pieces.
struct Trace: Equatable {
    var steps: [RequestParser.Step] = []
    var isIdle = true
    var isReadingBody = false

    /// Feeds `bytes`, cut after each of `cuts`, which rise.
    init(_ bytes: [UInt8], cuts: [Int] = [], limits: WireLimits = WireLimits(), bodyLimit: Int = 64 << 10) {
        var parser = RequestParser(limits: limits)
        var start = 0
        for end in cuts + [bytes.count] {
            let piece = bytes.span.extracting(start..<end)
            start = end
            var offset = 0
            feeding: while true {
                let step = parser.advance(piece, from: &offset)
                switch step {
                case .needsMore:
                    break feeding
                case .head:
                    steps.append(step)
                    do throws(HTTPFault) {
                        try parser.expectBody(atMost: bodyLimit)
                    } catch {
                        steps.append(.failed(error))
                        return
                    }
                case .complete:
                    steps.append(step)
                case .failed:
                    steps.append(step)
                    return
                }
            }
        }
        isIdle = parser.isIdle
        isReadingBody = parser.isReadingBody
    }

    init(_ text: String, limits: WireLimits = WireLimits(), bodyLimit: Int = 64 << 10) {
        self.init(Array(text.utf8), limits: limits, bodyLimit: bodyLimit)
    }

    /// The heads that were complete.
    var heads: [HTTPRequestHead] {
        steps.compactMap { step in
            if case .head(let head) = step { return head }
            return nil
        }
    }

    /// The bodies that were complete, as text.
    var bodies: [String] {
        steps.compactMap { step in
            if case .complete(let body) = step { return String(decoding: body, as: UTF8.self) }
            return nil
        }
    }

    var fault: HTTPFault? {
        if case .failed(let fault)? = steps.last { return fault }
        return nil
    }
}

/// SplitMix64: the same numbers in every run from the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
