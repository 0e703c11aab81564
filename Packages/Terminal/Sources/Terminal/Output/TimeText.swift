internal import Glibc

/// Points in time as text. Times are milliseconds since 1970 in UTC.
public enum TimeText {
    /// `2026-01-31T10:20:30.123Z`, as in every JSON answer.
    public static func rfc3339(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(floorDividingBy: 1000)
        let (days, time) = seconds.quotientAndRemainder(floorDividingBy: 86400)
        let (year, month, day) = civilDate(days)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock).\(padded(rest, 3))Z"
    }

    /// `2026-01-31 11:20:30` in the time zone of the machine (`TZ`), for people.
    public static func local(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds.quotientAndRemainder(floorDividingBy: 1000).quotient)
        var parts = unsafe tm()
        tzset()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return rfc3339(milliseconds) }
        let date = unsafe [(parts.tm_year + 1900, 4), (parts.tm_mon + 1, 2), (parts.tm_mday, 2)]
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return date.map { padded(Int64($0.0), $0.1) }.joined(separator: "-") + " "
            + clock.map { padded(Int64($0), 2) }.joined(separator: ":")
    }

    /// The milliseconds of `2026-01-31T10:20:30.123Z`. The fraction may have 0 to 9 digits, the zone be an offset.
    public static func milliseconds(of text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = digits(bytes[0..<4]), let month = digits(bytes[5..<7]), let day = digits(bytes[8..<10]),
            let hour = digits(bytes[11..<13]), let minute = digits(bytes[14..<16]), let second = digits(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let daysSince1970 = dayNumber(year, month, day)
        guard civilDate(daysSince1970) == (year, month, day) else { return nil }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let places = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...9).contains(places.count) else { return nil }
            fraction = digits((Array(places) + [48, 48, 48]).prefix(3)) ?? 0
            rest = rest[places.endIndex...]
        }
        guard let offset = offsetSeconds(rest) else { return nil }
        return (daysSince1970 * 86400 + hour * 3600 + minute * 60 + second - offset) * 1000 + fraction
    }

    /// `Z`, `+02:00`, `-05:30`.
    private static func offsetSeconds(_ zone: ArraySlice<UInt8>) -> Int64? {
        let zone = Array(zone)
        if zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")] { return 0 }
        guard zone.count == 6, zone[3] == UInt8(ascii: ":"), let hours = digits(zone[1..<3]),
            let minutes = digits(zone[4..<6]),
            hours < 24, minutes < 60
        else { return nil }
        switch zone[0] {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// Year, month and day of a day number since 1970, in the Gregorian calendar.
    private static func civilDate(_ days: Int64) -> (Int64, Int64, Int64) {
        // Years that begin in March put the leap day last, so that months have a pattern (153 days in five).
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(floorDividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }

    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.quotientAndRemainder(floorDividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Rounds down, so that the remainder is never negative.
    fileprivate func quotientAndRemainder(floorDividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
