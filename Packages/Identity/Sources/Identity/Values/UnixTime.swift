/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// The core never asks a clock: every function that needs the time takes it as `now:`.
public struct UnixTime: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds, rounded down.
    public var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    /// The moment `seconds` later; a moment that cannot be represented becomes the last (or first) one.
    public func adding(seconds: Int64) -> UnixTime {
        adding(milliseconds: UnixTime(seconds: seconds).milliseconds)
    }

    public func adding(milliseconds more: Int64) -> UnixTime {
        let (sum, overflow) = milliseconds.addingReportingOverflow(more)
        return UnixTime(milliseconds: overflow ? (more < 0 ? .min : .max) : sum)
    }

    /// How many milliseconds have gone by since `earlier`; negative when it lies ahead.
    public func milliseconds(since earlier: UnixTime) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return overflow ? (milliseconds < earlier.milliseconds ? .min : .max) : difference
    }

    public static func < (a: UnixTime, b: UnixTime) -> Bool { a.milliseconds < b.milliseconds }
}

extension UnixTime {
    /// RFC 3339 in UTC with exactly three fraction digits and `Z`, as `2026-01-31T10:20:30.123Z`.
    public var rfc3339: String {
        let day = milliseconds >= 0 ? milliseconds / 86_400_000 : (milliseconds - 86_399_999) / 86_400_000
        let inDay = milliseconds - day * 86_400_000
        let (year, month, dayOfMonth) = Self.civil(day: day)
        var text = [UInt8]()
        text.reserveCapacity(24)
        Self.append(year, digits: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(month, digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(dayOfMonth, digits: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        Self.append(inDay / 3_600_000, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(inDay / 60_000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(inDay / 1000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: "."))
        Self.append(inDay % 1000, digits: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The Gregorian date of a day counted from 1970-01-01, by the 400-year cycle that begins on 1 March.
    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func append(_ value: Int64, digits: Int, to text: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<digits { divisor *= 10 }
        for _ in 0..<digits {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor = max(1, divisor / 10)
        }
    }
}
