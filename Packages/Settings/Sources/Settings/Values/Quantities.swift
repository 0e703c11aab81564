/// How often something may happen.
public enum RateLimit: Hashable, Sendable {
    case off
    /// `count` times in `seconds`; `burst` at once, at least `count`.
    case rate(count: Int, seconds: Int, burst: Int)
    /// `count` times in a row, whenever.
    case inARow(count: Int)
}

extension RateLimit: CustomStringConvertible {
    /// As the setting is written: `120/minute`, `10/15minutes`, `50/second burst 100`, `100`, `off`.
    public var description: String {
        switch self {
        case .off: return "off"
        case .inARow(let count): return "\(count)"
        case .rate(let count, let seconds, let burst):
            let units = [(86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
            let (size, name) = units.first { seconds.isMultiple(of: $0.0) } ?? (1, "second")
            let time = seconds == size ? name : "\(seconds / size)\(name)s"
            return "\(count)/\(time)" + (burst > count ? " burst \(burst)" : "")
        }
    }
}

extension RateLimit {
    init(_ item: RawItem, isInARow: Bool) throws(SettingFault) {
        if item.isOff {
            self = .off
        } else if isInARow {
            guard let count = wholeNumber(item.text), count > 0, item.isScalar else { throw SettingFault() }
            self = .inARow(count: count)
        } else {
            guard item.kind == .text, let rate = Self.rate(item.text) else { throw SettingFault() }
            self = rate
        }
    }

    private static func rate(_ text: String) -> RateLimit? {
        let words = text.split(separator: " ")
        guard let first = words.first, words.count == 1 || words.count == 3 && words[1] == "burst" else { return nil }
        let parts = first.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = wholeNumber(parts[0]), count > 0, let seconds = seconds(parts[1]) else {
            return nil
        }
        guard words.count == 3 else { return .rate(count: count, seconds: seconds, burst: count) }
        guard let burst = wholeNumber(words[2]), burst >= count else { return nil }
        return .rate(count: count, seconds: seconds, burst: burst)
    }

    private static func seconds(_ text: Substring) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let size: Int
        switch text.dropFirst(digits.count) {
        case "s", "second", "seconds": size = 1
        case "m", "minute", "minutes": size = 60
        case "h", "hour", "hours": size = 3600
        case "d", "day", "days": size = 86400
        default: return nil
        }
        guard !digits.isEmpty else { return size }
        guard let count = wholeNumber(digits), (1...1000).contains(count) else { return nil }
        return count * size
    }
}

extension RawItem {
    var isScalar: Bool { kind == .text || kind == .number }

    /// A number of bytes in `range`: `65536`, `64KiB`, `1MiB`.
    func byteCount(in range: ClosedRange<Int>) throws(SettingFault) -> Int {
        let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        let unit = units.first { text.hasSuffix($0.0) }
        let digits = unit.map { text.dropLast($0.0.count) } ?? text[...]
        guard isScalar, let count = wholeNumber(digits), range.contains(count.multipliedClamping(by: unit?.1 ?? 1))
        else {
            throw SettingFault(range: range.shown(shownBytes))
        }
        return count * (unit?.1 ?? 1)
    }

    /// A count in `range`.
    func count(in range: ClosedRange<Int>) throws(SettingFault) -> Int {
        guard isScalar, let count = wholeNumber(text), range.contains(count) else {
            throw SettingFault(range: range.shown { "\($0)" })
        }
        return count
    }

    /// A time in `range`: `10s`, `250ms`, `2m`.
    func duration(in range: ClosedRange<Duration>) throws(SettingFault) -> Duration {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let size: Int? =
            switch text.dropFirst(digits.count) {
            case "ms": 1
            case "s": 1000
            case "m": 60_000
            default: nil
            }
        if kind == .text, let size, let count = wholeNumber(digits) {
            let duration = Duration.milliseconds(count.multipliedClamping(by: size))
            if range.contains(duration) { return duration }
        }
        throw SettingFault(
            range: "from \(shownDuration(range.lowerBound)) to \(shownDuration(range.upperBound))"
        )
    }
}

extension ClosedRange<Int> {
    fileprivate func shown(_ show: (Int) -> String) -> String { "from \(show(lowerBound)) to \(show(upperBound))" }
}

extension Int {
    fileprivate func multipliedClamping(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}

/// Digits only, at most nine of them.
func wholeNumber(_ text: some StringProtocol) -> Int? {
    guard (1...9).contains(text.utf8.count),
        text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
}

/// `64KiB`, `1MiB`, `100`: as the setting is written.
func shownBytes(_ count: Int) -> String {
    for (size, unit) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] where count > 0 {
        if count.isMultiple(of: size) { return "\(count / size)\(unit)" }
    }
    return "\(count)"
}

/// `10s`, `250ms`, `2m`: as the setting is written.
func shownDuration(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    if milliseconds > 0, milliseconds.isMultiple(of: 60_000) { return "\(milliseconds / 60_000)m" }
    return milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
}
