/// UTC times between Unix seconds and the text `YYYY-MM-DDTHH:MM:SSZ`, without a clock.
enum CalendarTime {
    /// The Unix seconds of a text of exactly that form, or `nil`.
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 else { return nil }
        for (index, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")] {
            guard [bytes[index]].elementsEqual(separator.utf8) else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...days(month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        // The year begins in March, so that the leap day is its last one.
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// How many days a month has in a year.
    private static func days(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The text of a time from March of year 0 to 9999; another one as its number of seconds.
    static func text(_ seconds: Int64) -> String {
        guard (-62_162_035_200...253_402_300_799).contains(seconds) else { return "\(seconds)" }
        // 719,468 days lie between 1 March of year 0 and the epoch, so what is left is not negative.
        let sinceMarch = seconds + 719_468 * 86_400
        let days = sinceMarch / 86_400
        let inDay = sinceMarch % 86_400
        let era = days / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0)
        func padded(_ value: Int64, _ count: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(civilMonth, 2))-\(padded(day, 2))"
            + "T\(padded(inDay / 3600, 2)):\(padded(inDay / 60 % 60, 2)):\(padded(inDay % 60, 2))Z"
    }
}
