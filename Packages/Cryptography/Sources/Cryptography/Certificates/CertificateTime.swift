/// The times of certificates (RFC 5280 §4.1.2.5), as seconds since 1970-01-01T00:00:00Z.
enum CertificateTime {
    /// Reads a UTCTime `YYMMDDHHMMSSZ` (1950 to 2049) or a GeneralizedTime `YYYYMMDDHHMMSSZ`.
    static func decode(_ element: DERElement) throws(CryptographyError) -> Int64 {
        let isShort = element.tag == .utcTime
        guard isShort || element.tag == .generalizedTime, element.content.count == (isShort ? 13 : 15),
            element.content.last == UInt8(ascii: "Z"),
            let digits = digits(element.content.dropLast())
        else { throw .malformed(what: "a time", offset: element.encoded.startIndex) }
        var fields = digits[...]
        func take(_ count: Int) -> Int64 {
            defer { fields = fields.dropFirst(count) }
            return fields.prefix(count).reduce(0) { $0 * 10 + $1 }
        }
        let written = take(isShort ? 2 : 4)
        let year = isShort ? written + (written < 50 ? 2000 : 1900) : written
        let (month, day, hour, minute, second) = (take(2), take(2), take(2), take(2), take(2))
        guard (1...12).contains(month), (1...daysInMonth(month, year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { throw .malformed(what: "a time", offset: element.encoded.startIndex) }
        return daysSince1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    }

    /// Writes a time: UTCTime from 1950 to 2049, GeneralizedTime otherwise.
    ///
    /// - Throws: `CryptographyError.unsupported` for a year that is not from 0 to 9999.
    static func encode(_ time: Int64, into writer: inout DERWriter) throws(CryptographyError) {
        let (days, second) = time.quotientAndFloorRemainder(dividingBy: 86400)
        // 0000-01-01 to 9999-12-31.
        guard (-719_528...2_932_896).contains(days) else { throw .unsupported(what: "time \(time)") }
        let (year, month, day) = date(daysSince1970: days)
        let isShort = (1950...2049).contains(year)
        var text = isShort ? twoDigits(year % 100) : twoDigits(year / 100) + twoDigits(year % 100)
        for field in [month, day, second / 3600, second / 60 % 60, second % 60] { text += twoDigits(field) }
        writer.append(isShort ? .utcTime : .generalizedTime, Array((text + "Z").utf8))
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> [Int64]? {
        var digits: [Int64] = []
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            digits.append(Int64(byte - UInt8(ascii: "0")))
        }
        return digits
    }

    private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

    private static func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The proleptic Gregorian calendar in eras of 400 years, which start on a 1 March so that the leap day is last.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let (era, yearOfEra) = marchYear.quotientAndFloorRemainder(dividingBy: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndFloorRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension Int64 {
    fileprivate func quotientAndFloorRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
