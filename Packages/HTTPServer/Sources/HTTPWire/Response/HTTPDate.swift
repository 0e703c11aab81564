/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
public enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The date of a point in time, in seconds since 1970; clamped to the years 1970 to 9999.
    public static func text(_ unixSeconds: Int64) -> String {
        let seconds = min(max(unixSeconds, 0), 253_402_300_799)
        let (day, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // Days since 1 March 0000, in eras of 400 years: a leap day is then the last of its year.
        let shifted = day + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekday = days[Int((day + 4) % 7)]
        let clock = "\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))"
        return "\(weekday), \(two(dayOfMonth)) \(months[Int(month - 1)]) \(year) \(clock) GMT"
    }

    /// The whole `Date` field, with its CRLF.
    public static func field(_ unixSeconds: Int64) -> [UInt8] {
        Array("Date: \(text(unixSeconds))\r\n".utf8)
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
