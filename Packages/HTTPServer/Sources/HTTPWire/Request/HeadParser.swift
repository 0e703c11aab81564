/// Reads the lines of one head, one after another, and remembers what decides the framing.
///
/// Strict where leniency lets two parsers disagree about where a message ends: one space between the parts of the
/// request line, CRLF only, no space before a colon, no folded lines, no NUL, no bare CR. A line is judged only when
/// its LF is there, so that the verdict does not depend on how the bytes were split.
struct HeadParser {
    /// Where the first line starts that was not read yet.
    private(set) var lineStart = 0
    /// How far an LF has been looked for.
    private var searched = 0
    private var hasRequestLine = false

    private var method = HTTPMethod.get
    private var version = HTTPRequestHead.Version.http11
    private var target = 0..<0
    private var authority: Range<Int>?
    private var path = 0..<0
    private var query: Range<Int>?
    private var fields: [HTTPHeaders.Field] = []

    private var host: Range<Int>?
    private var contentLength: Int?
    private var isChunked = false
    private var says: Says = []

    private struct Says: OptionSet {
        let rawValue: UInt8
        static let close = Says(rawValue: 1)
        static let keepAlive = Says(rawValue: 2)
        static let expectContinue = Says(rawValue: 4)
        static let wrongExpectation = Says(rawValue: 8)
        static let unknownCoding = Says(rawValue: 16)
        static let transferEncoding = Says(rawValue: 32)
    }

    /// Reads the lines that are complete in `bytes`, which begin with the request line and hold all that came so far.
    ///
    /// - Returns: where the head ends, after its empty line; `nil` when more is needed.
    /// - Throws: at the first line that is at fault.
    mutating func readLines(_ bytes: Span<UInt8>, _ limits: WireLimits) throws(HTTPFault) -> Int? {
        while true {
            let index = bytes.firstLineFeed(from: searched)
            searched = index
            // With its CR; said before anything else about the line, since its end may not be there.
            if !hasRequestLine, index > limits.requestLine &+ 1 { throw .targetTooLong }
            guard index < bytes.count else { return nil }
            guard index > lineStart, bytes[index &- 1] == 0x0D else {
                throw .badRequest(hasRequestLine ? .field : .requestLine)
            }
            let line = lineStart..<(index &- 1)
            if !hasRequestLine {
                try readRequestLine(bytes, line, limits)
                hasRequestLine = true
            } else if line.isEmpty {
                return index &+ 1
            } else {
                guard fields.count < limits.fields else { throw .headTooLarge }
                try readField(bytes, line)
            }
            searched = index &+ 1
            lineStart = searched
        }
    }

    /// The head, once `readLines` has said where it ends.
    ///
    /// - Parameter bytes: the head's bytes, all of them and no more.
    /// - Returns: the head.
    /// - Throws: when its fields contradict each other, or ask for what nothing here does.
    mutating func finish(_ bytes: [UInt8]) throws(HTTPFault) -> HTTPRequestHead {
        guard let host = authority ?? host ?? (version == .http10 ? 0..<0 : nil) else { throw .badRequest(.host) }
        if version == .http11, self.host == nil { throw .badRequest(.host) }
        if says.contains(.transferEncoding), contentLength != nil || version == .http10 {
            throw .badRequest(.transferEncoding)
        }
        if says.contains(.unknownCoding) { throw .notImplemented }
        if version == .http11, says.contains(.wrongExpectation) { throw .expectationFailed }
        if method == .connect { throw .notImplemented }
        let parts = HTTPRequestHead.Parts(
            method: method,
            version: version,
            headers: HTTPHeaders(bytes: bytes, fields: fields),
            framing: isChunked ? .chunked : .length(contentLength ?? 0),
            keepsAlive: !says.contains(.close) && (version == .http11 || says.contains(.keepAlive)),
            expectsContinue: version == .http11 && says.contains(.expectContinue),
            target: narrow(target),
            authority: narrow(host),
            path: narrow(path),
            query: query.map { narrow($0) }
        )
        return HTTPRequestHead(parts)
    }

    // MARK: Request line (RFC 9112 §3)

    private mutating func readRequestLine(
        _ bytes: Span<UInt8>,
        _ line: Range<Int>,
        _ limits: WireLimits
    ) throws(HTTPFault) {
        var index = bytes.tokenEnd(from: line.lowerBound, to: line.upperBound)
        let method = line.lowerBound..<index
        guard !method.isEmpty, method.count <= HTTPRequestHead.longestMethod, index < line.upperBound,
            bytes[index] == 0x20
        else { throw .badRequest(.requestLine) }
        self.method = Self.method(bytes, method)
        index &+= 1
        let start = index
        while index < line.upperBound, bytes[index] != 0x20 { index &+= 1 }
        target = start..<index
        guard !target.isEmpty, index < line.upperBound else { throw .badRequest(.requestLine) }
        guard target.count <= limits.target else { throw .targetTooLong }
        for index in target where !bytes[index].isTargetByte { throw .badRequest(.target) }
        try readVersion(bytes, (index &+ 1)..<line.upperBound)
        try readTarget(bytes)
    }

    private static func method(_ bytes: Span<UInt8>, _ range: Range<Int>) -> HTTPMethod {
        if range.count <= 7 {
            var word: UInt64 = 0
            for index in range { word = word &<< 8 | UInt64(bytes[index]) }
            switch word {
            case 0x47_4554: return .get
            case 0x504F_5354: return .post
            case 0x4845_4144: return .head
            case 0x50_5554: return .put
            case 0x50_4154_4348: return .patch
            case 0x4445_4C45_5445: return .delete
            case 0x4F_5054_494F_4E53: return .options
            case 0x54_5241_4345: return .trace
            case 0x43_4F4E_4E45_4354: return .connect
            default: break
            }
        }
        var name: [UInt8] = []
        name.append(bytes.extracting(range))
        return .other(String(decoding: name, as: UTF8.self))
    }

    private mutating func readVersion(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPFault) {
        let start = range.lowerBound
        guard range.count == 8, bytes[start] == 0x48, bytes[start &+ 1] == 0x54, bytes[start &+ 2] == 0x54,
            bytes[start &+ 3] == 0x50, bytes[start &+ 4] == 0x2F, bytes[start &+ 5].isDigit,
            bytes[start &+ 6] == 0x2E, bytes[start &+ 7].isDigit
        else { throw .badRequest(.requestLine) }
        guard bytes[start &+ 5] == 0x31 else { throw .versionNotSupported }
        version = bytes[start &+ 7] == 0x30 ? .http10 : .http11
    }

    /// Splits the target by its form (RFC 9112 §3.2).
    private mutating func readTarget(_ bytes: Span<UInt8>) throws(HTTPFault) {
        if method == .connect { return }
        switch bytes[target.lowerBound] {
        case 0x2F:
            splitPath(bytes, from: target.lowerBound)
        case 0x2A where target.count == 1 && method == .options:
            path = target
        default:
            let scheme = bytes.matches("http://", in: target.prefix(7)) ? 7 : 8
            guard scheme == 7 || bytes.matches("https://", in: target.prefix(8)) else { throw .badRequest(.target) }
            let start = target.lowerBound &+ scheme
            var end = start
            while end < target.upperBound, bytes[end] != 0x2F, bytes[end] != 0x3F { end &+= 1 }
            guard Self.isAuthority(bytes, start..<end) else { throw .badRequest(.target) }
            authority = start..<end
            splitPath(bytes, from: end)
        }
    }

    private mutating func splitPath(_ bytes: Span<UInt8>, from start: Int) {
        var index = start
        while index < target.upperBound, bytes[index] != 0x3F { index &+= 1 }
        path = start..<index
        query = index < target.upperBound ? (index &+ 1)..<target.upperBound : nil
    }

    // MARK: Fields (RFC 9112 §5)

    private mutating func readField(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPFault) {
        var index = bytes.tokenEnd(from: line.lowerBound, to: line.upperBound)
        // A folded line begins with a space, a sly one has a space before its colon: both end here.
        guard index > line.lowerBound, index < line.upperBound, bytes[index] == 0x3A else {
            throw .badRequest(.field)
        }
        let name = line.lowerBound..<index
        index &+= 1
        while index < line.upperBound, bytes[index] == 0x20 || bytes[index] == 0x09 { index &+= 1 }
        guard bytes.isFieldValue(in: index..<line.upperBound) else { throw .badRequest(.field) }
        let start = index
        index = line.upperBound
        while index > start, bytes[index &- 1] == 0x20 || bytes[index &- 1] == 0x09 { index &-= 1 }
        let value = start..<index
        if fields.isEmpty { fields.reserveCapacity(16) }
        fields.append(
            HTTPHeaders.Field(
                nameStart: UInt32(truncatingIfNeeded: name.lowerBound),
                nameEnd: UInt32(truncatingIfNeeded: name.upperBound),
                valueStart: UInt32(truncatingIfNeeded: value.lowerBound),
                valueEnd: UInt32(truncatingIfNeeded: value.upperBound)
            )
        )
        try note(bytes, name, value)
    }

    /// Takes down what the engine itself must know.
    private mutating func note(_ bytes: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>) throws(HTTPFault) {
        switch name.count {
        case 4 where bytes.matches("host", in: name):
            guard host == nil, Self.isAuthority(bytes, value) else { throw .badRequest(.host) }
            host = value
        case 6 where bytes.matches("expect", in: name):
            says.insert(bytes.matches("100-continue", in: value) ? .expectContinue : .wrongExpectation)
        case 10 where bytes.matches("connection", in: name):
            Self.eachElement(bytes, value) { element in
                if bytes.matches("close", in: element) { says.insert(.close) }
                if bytes.matches("keep-alive", in: element) { says.insert(.keepAlive) }
            }
        case 14 where bytes.matches("content-length", in: name):
            guard contentLength == nil, let length = Self.decimal(bytes, value) else {
                throw .badRequest(.contentLength)
            }
            contentLength = length
        case 17 where bytes.matches("transfer-encoding", in: name):
            // Twice `chunked`, in one field or two, is a way to make two parsers disagree.
            guard !says.contains(.transferEncoding) else { throw .badRequest(.transferEncoding) }
            says.insert(.transferEncoding)
            isChunked = bytes.matches("chunked", in: value)
            if isChunked { break }
            var chunkedTwice = true
            Self.eachElement(bytes, value) { element in
                if !bytes.matches("chunked", in: element) { chunkedTwice = false }
            }
            if chunkedTwice { throw .badRequest(.transferEncoding) }
            says.insert(.unknownCoding)
        default:
            break
        }
    }

    private static func eachElement(_ bytes: Span<UInt8>, _ list: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = list.lowerBound
        while start <= list.upperBound {
            var end = start
            while end < list.upperBound, bytes[end] != 0x2C { end &+= 1 }
            var element = start..<end
            while let first = element.first, bytes[first] == 0x20 || bytes[first] == 0x09 {
                element = element.dropFirst()
            }
            while let last = element.last, bytes[last] == 0x20 || bytes[last] == 0x09 { element = element.dropLast() }
            body(element)
            start = end &+ 1
        }
    }

    /// Digits only; a number of more than 18 digits counts as one that is too large for every limit.
    private static func decimal(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var number = 0
        for index in range {
            guard bytes[index].isDigit else { return nil }
            if range.count <= 18 { number = number &* 10 &+ Int(bytes[index] &- 0x30) }
        }
        return range.count <= 18 ? number : .max
    }

    /// `host [":" port]` (RFC 3986 §3.2), without user information and without percent-encoding.
    private static func isAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        if index < range.upperBound, bytes[index] == 0x5B {
            index &+= 1
            let start = index
            while index < range.upperBound,
                bytes[index].hexDigitValue != nil || bytes[index] == 0x3A || bytes[index] == 0x2E
            { index &+= 1 }
            guard index > start &+ 1, index < range.upperBound, bytes[index] == 0x5D else { return false }
            index &+= 1
        } else {
            let start = index
            while index < range.upperBound, bytes[index].isRegisteredNameByte { index &+= 1 }
            guard index > start else { return false }
        }
        guard index < range.upperBound else { return true }
        guard bytes[index] == 0x3A else { return false }
        let port = (index &+ 1)..<range.upperBound
        guard port.count <= 5 else { return false }
        for index in port where !bytes[index].isDigit { return false }
        return true
    }

    private func narrow(_ range: Range<Int>) -> Range<UInt32> {
        UInt32(truncatingIfNeeded: range.lowerBound)..<UInt32(truncatingIfNeeded: range.upperBound)
    }
}
