/// Takes the chunked coding off a body (RFC 9112 §7.1), byte by byte where there is framing and in bulk where not.
///
/// Extensions and trailer fields are checked, counted and dropped.
struct ChunkedDecoder {
    private enum State: UInt8 {
        case firstSizeDigit, sizeDigits, chunkExtension, sizeLF
        case data, dataCR, dataLF
        case trailerStart, trailerName, trailerValue, trailerLF, lastLF
    }

    private var state = State.firstSizeDigit
    private var remaining = 0
    private var lineLength = 0
    private var rawLength = 0
    private var trailerLength = 0

    /// Whether no byte has come.
    var isAtStart: Bool { rawLength == 0 }

    /// Decodes what `input` holds from `offset` on, and moves `offset` after what was used.
    ///
    /// - Returns: whether the body is complete, trailer and all.
    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int,
        into body: inout [UInt8],
        bodyLimit: Int,
        limits: WireLimits
    ) throws(HTTPFault) -> Bool {
        // One byte a chunk costs six on the wire: whoever frames so only wants to keep us busy.
        let rawLimit = max(2 * bodyLimit, 1_024)
        while offset < input.count {
            if state == .data {
                let count = min(remaining, input.count &- offset)
                body.append(input.extracting(offset..<(offset &+ count)))
                offset &+= count
                rawLength &+= count
                remaining &-= count
                guard rawLength <= rawLimit else { throw .bodyTooLarge }
                if remaining == 0 { state = .dataCR }
                continue
            }
            let byte = input[offset]
            offset &+= 1
            if state.rawValue < State.trailerStart.rawValue {
                rawLength &+= 1
                guard rawLength <= rawLimit else { throw .bodyTooLarge }
            } else {
                trailerLength &+= 1
                guard trailerLength <= limits.trailer else { throw .headTooLarge }
            }
            if try step(byte, body.count, bodyLimit, limits) { return true }
        }
        return false
    }

    /// One byte that is not data.
    private mutating func step(
        _ byte: UInt8,
        _ length: Int,
        _ bodyLimit: Int,
        _ limits: WireLimits
    ) throws(HTTPFault) -> Bool {
        switch state {
        case .firstSizeDigit, .sizeDigits:
            try sizeLine(byte, length, bodyLimit, limits)
        case .chunkExtension:
            lineLength &+= 1
            guard lineLength <= limits.chunkLine else { throw .badRequest(.chunk) }
            if byte == 0x0D { state = .sizeLF } else if !byte.isFieldValueByte { throw .badRequest(.chunk) }
        case .sizeLF:
            guard byte == 0x0A else { throw .badRequest(.chunk) }
            state = remaining == 0 ? .trailerStart : .data
        case .data:
            break
        case .dataCR:
            guard byte == 0x0D else { throw .badRequest(.chunk) }
            state = .dataLF
        case .dataLF:
            guard byte == 0x0A else { throw .badRequest(.chunk) }
            state = .firstSizeDigit
        case .trailerStart:
            if byte == 0x0D {
                state = .lastLF
            } else if byte.isTokenByte {
                state = .trailerName
            } else {
                throw .badRequest(.trailer)
            }
        case .trailerName:
            if byte == 0x3A { state = .trailerValue } else if !byte.isTokenByte { throw .badRequest(.trailer) }
        case .trailerValue:
            if byte == 0x0D { state = .trailerLF } else if !byte.isFieldValueByte { throw .badRequest(.trailer) }
        case .trailerLF:
            guard byte == 0x0A else { throw .badRequest(.trailer) }
            state = .trailerStart
        case .lastLF:
            guard byte == 0x0A else { throw .badRequest(.trailer) }
            return true
        }
        return false
    }

    private mutating func sizeLine(
        _ byte: UInt8,
        _ length: Int,
        _ bodyLimit: Int,
        _ limits: WireLimits
    ) throws(HTTPFault) {
        if let digit = byte.hexDigitValue {
            if state == .firstSizeDigit {
                remaining = 0
                lineLength = 0
            }
            state = .sizeDigits
            lineLength &+= 1
            guard lineLength <= limits.chunkLine else { throw .badRequest(.chunk) }
            // `remaining` is at most `bodyLimit` here, so this cannot overflow.
            remaining = remaining &* 16 &+ Int(digit)
            guard remaining <= bodyLimit &- length else { throw .bodyTooLarge }
            return
        }
        guard state == .sizeDigits else { throw .badRequest(.chunk) }
        switch byte {
        case 0x0D: state = .sizeLF
        case 0x3B: state = .chunkExtension
        default: throw .badRequest(.chunk)
        }
    }
}
