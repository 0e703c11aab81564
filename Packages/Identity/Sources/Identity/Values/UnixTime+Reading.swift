extension UnixTime {
    /// Reads a date (`2026-01-31`, its first moment in UTC) or a date with time (RFC 3339, as `2026-01-31T10:20:30.5Z`).
    ///
    /// - Returns: `nil` for anything else, and for a day or a time that there is none of.
    public init?(reading text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = Self.number(&rest, 4), Self.take(&rest, "-"), let month = Self.number(&rest, 2),
            Self.take(&rest, "-"), let day = Self.number(&rest, 2), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        var milliseconds = Self.day(year, month, day) * 86_400_000
        guard !rest.isEmpty else {
            self.init(milliseconds: milliseconds)
            return
        }
        guard Self.take(&rest, "T") || Self.take(&rest, "t"), let hour = Self.number(&rest, 2), Self.take(&rest, ":"),
            let minute = Self.number(&rest, 2), Self.take(&rest, ":"), let second = Self.number(&rest, 2), hour <= 23,
            minute <= 59, second <= 60
        else { return nil }
        milliseconds += ((hour * 60 + minute) * 60 + second) * 1000
        if Self.take(&rest, ".") {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard (1...9).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            let three = (Array(digits) + [0x30, 0x30]).prefix(3)
            milliseconds += three.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        if !(Self.take(&rest, "Z") || Self.take(&rest, "z")) {
            let sign: Int64 = Self.take(&rest, "+") ? 1 : -1
            guard sign == 1 || Self.take(&rest, "-"), let hours = Self.number(&rest, 2), Self.take(&rest, ":"),
                let minutes = Self.number(&rest, 2), hours <= 23, minutes <= 59
            else { return nil }
            milliseconds -= sign * (hours * 60 + minutes) * 60_000
        }
        guard rest.isEmpty else { return nil }
        self.init(milliseconds: milliseconds)
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01, by the 400-year cycle that begins on 1 March.
    private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
