/// Finds the requests in a stream of bytes, as they come (RFC 9112).
///
/// Pure: no clock, no socket. What comes out does not depend on how the bytes were split. After a failure the stream
/// has no meaning any more, and the connection must be closed.
///
///     parser.advance(input, from: &offset)   // .head(head): look up the limit of its route
///     parser.expectBody(atMost: limit)       // throws .bodyTooLarge when the length is announced and over it
///     parser.advance(input, from: &offset)   // .complete(body)
public struct RequestParser: Sendable {
    /// What the bytes up to now amount to.
    public enum Step: Hashable, Sendable {
        /// All input was used; nothing is complete.
        case needsMore
        /// A head is complete; nothing of its body was read yet.
        case head(HTTPRequestHead)
        /// The body of the last head is complete, and with it the request. The next byte begins another.
        case complete([UInt8])
        /// The stream breaks a rule.
        case failed(HTTPFault)
    }

    private enum Stage {
        /// Before the first byte of a request: one empty line may come first (RFC 9112 §2.2).
        case start
        case startLF
        case firstByte
        case head
        case limits
        case fixed
        case chunked
        case broken
    }

    private let limits: WireLimits
    private var stage = Stage.start
    private var lines = HeadParser()
    /// The head's bytes, when it did not come in one piece.
    private var pending: [UInt8] = []
    private var framing = HTTPRequestHead.Framing.length(0)
    private var bodyLimit = 0
    private var body: [UInt8] = []
    private var chunks = ChunkedDecoder()
    private var fault = HTTPFault.badRequest(.requestLine)

    public init(limits: WireLimits = WireLimits()) {
        self.limits = limits
    }

    /// Whether no byte of a request is there: the connection is between two of them.
    public var isIdle: Bool {
        switch stage {
        case .start, .startLF, .firstByte: true
        case .head, .limits, .fixed, .chunked, .broken: false
        }
    }

    /// Whether a body is being received.
    public var isReadingBody: Bool { stage == .fixed || stage == .chunked }

    /// Whether a body is to be received and none of it has come.
    public var isAtBodyStart: Bool {
        switch stage {
        case .fixed: body.isEmpty
        case .chunked: chunks.isAtStart
        case .start, .startLF, .firstByte, .head, .limits, .broken: false
        }
    }

    /// Uses `input` from `offset` on, up to the next thing worth telling, and moves `offset` after what was used.
    public mutating func advance(_ input: Span<UInt8>, from offset: inout Int) -> Step {
        do throws(HTTPFault) {
            switch stage {
            case .start, .startLF, .firstByte:
                guard try skipEmptyLine(input, &offset) else { return .needsMore }
                stage = .head
                return try readHead(input, &offset).map { .head($0) } ?? .needsMore
            case .head:
                return try readHead(input, &offset).map { .head($0) } ?? .needsMore
            case .limits:
                return .needsMore
            case .fixed:
                return readFixed(input, &offset) ? complete() : .needsMore
            case .chunked:
                let done = try chunks.decode(input, from: &offset, into: &body, bodyLimit: bodyLimit, limits: limits)
                return done ? complete() : .needsMore
            case .broken:
                return .failed(fault)
            }
        } catch {
            stage = .broken
            fault = error
            return .failed(error)
        }
    }

    /// The same, but goes on by itself from a head to its body.
    ///
    /// - Parameters:
    ///   - input: what came.
    ///   - offset: where to begin; moved after what was used.
    ///   - bodyLimit: takes the head when it is complete, and says how long its body may be.
    /// - Returns: never `.head`.
    public mutating func advance(
        _ input: Span<UInt8>,
        from offset: inout Int,
        bodyLimit: (HTTPRequestHead) -> Int
    ) -> Step {
        let step = advance(input, from: &offset)
        guard case .head(let head) = step else { return step }
        do throws(HTTPFault) {
            try expectBody(atMost: bodyLimit(head))
        } catch {
            return .failed(error)
        }
        return advance(input, from: &offset)
    }

    /// Goes on from a head to its body.
    ///
    /// - Throws: `.bodyTooLarge` when the head announces more than `limit` bytes.
    public mutating func expectBody(atMost limit: Int) throws(HTTPFault) {
        guard stage == .limits else { return }
        bodyLimit = min(max(limit, 0), 1 << 40)
        switch framing {
        case .chunked:
            stage = .chunked
            chunks = ChunkedDecoder()
        case .length(let length):
            guard length <= bodyLimit else {
                stage = .broken
                fault = .bodyTooLarge
                throw .bodyTooLarge
            }
            stage = .fixed
        }
    }

    private mutating func skipEmptyLine(_ input: Span<UInt8>, _ offset: inout Int) throws(HTTPFault) -> Bool {
        while offset < input.count {
            let byte = input[offset]
            switch stage {
            case .start where byte == 0x0D:
                stage = .startLF
            case .startLF:
                guard byte == 0x0A else { throw .badRequest(.requestLine) }
                stage = .firstByte
            default:
                // A handshake of TLS, say, is refused at its first byte.
                guard byte.isTokenByte else { throw .badRequest(.requestLine) }
                return true
            }
            offset &+= 1
        }
        return false
    }

    private mutating func readHead(_ input: Span<UInt8>, _ offset: inout Int) throws(HTTPFault) -> HTTPRequestHead? {
        let available = input.count &- offset
        if pending.isEmpty {
            let window = input.extracting(offset..<(offset &+ min(available, limits.head)))
            if let end = try lines.readLines(window, limits) {
                var bytes: [UInt8] = []
                bytes.append(window.extracting(0..<end))
                offset &+= end
                return try finishHead(bytes)
            }
            guard available <= limits.head else { throw .headTooLarge }
            pending.append(window)
            offset = input.count
            return nil
        }
        var bytes: [UInt8] = []
        swap(&bytes, &pending)
        let before = bytes.count
        let taken = min(available, limits.head &- before)
        bytes.append(input.extracting(offset..<(offset &+ taken)))
        guard let end = try lines.readLines(bytes.span, limits) else {
            guard available <= taken else { throw .headTooLarge }
            offset &+= taken
            swap(&bytes, &pending)
            return nil
        }
        offset &+= end &- before
        bytes.removeLast(bytes.count - end)
        return try finishHead(bytes)
    }

    private mutating func finishHead(_ bytes: [UInt8]) throws(HTTPFault) -> HTTPRequestHead {
        let head = try lines.finish(bytes)
        lines = HeadParser()
        framing = head.framing
        stage = .limits
        return head
    }

    private mutating func readFixed(_ input: Span<UInt8>, _ offset: inout Int) -> Bool {
        guard case .length(let length) = framing else { return true }
        let count = min(length &- body.count, input.count &- offset)
        if count > 0 {
            // What is announced is not given before it comes: a thousand idle uploads must not pin a thousand limits.
            if count == length { body.reserveCapacity(length) }
            body.append(input.extracting(offset..<(offset &+ count)))
            offset &+= count
        }
        return body.count == length
    }

    private mutating func complete() -> Step {
        var whole: [UInt8] = []
        swap(&whole, &body)
        stage = .start
        return .complete(whole)
    }
}
