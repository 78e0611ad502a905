public import FoundationEssentials

/// Times as text, RFC 3339 section 5.6, always in UTC when written.
public enum RFC3339 {
    /// Writes a time in UTC with milliseconds when there are any: `2026-04-21T18:13:12.153Z`.
    public static func format(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: milliseconds % 1000 != 0)
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(style)
    }

    /// Reads a time: `YYYY-MM-DDThh:mm:ss`, at most nine fraction digits, and `Z` or an offset `+hh:mm`.
    ///
    /// Stricter than the RFC where it leaves a choice: upper-case `T` and `Z` only, no leap second.
    /// - Returns: nil when the text is not such a time, or names a day that does not exist.
    public static func parse(_ text: String) -> Date? {
        parse(Array(text.utf8))
    }

    /// Reads a time from UTF-8, by the same rules as ``parse(_:)-(String)``.
    public static func parse(_ bytes: some Collection<UInt8>) -> Date? {
        let bytes = Array(bytes)
        guard bytes.count >= 20, bytes.count <= 35 else { return nil }
        func number(_ start: Int, _ length: Int) -> Int? {
            guard start + length <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[start..<start + length] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        func isCharacter(_ character: Character, at index: Int) -> Bool {
            index < bytes.count && bytes[index] == character.asciiValue
        }
        guard let year = number(0, 4), isCharacter("-", at: 4), let month = number(5, 2), isCharacter("-", at: 7),
            let day = number(8, 2), isCharacter("T", at: 10), let hour = number(11, 2), isCharacter(":", at: 13),
            let minute = number(14, 2), isCharacter(":", at: 16), let second = number(17, 2),
            let days = daysSince1970(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
        else { return nil }
        var index = 19
        var fraction = 0.0
        if isCharacter(".", at: index) {
            let start = index + 1
            index = start
            while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
            guard index > start, index - start <= 9, let digits = number(start, index - start) else { return nil }
            fraction = Double(digits)
            for _ in start..<index { fraction /= 10 }
        }
        var offset = 0
        if isCharacter("Z", at: index) {
            index += 1
        } else if isCharacter("+", at: index) || isCharacter("-", at: index) {
            guard let hours = number(index + 1, 2), isCharacter(":", at: index + 3), let minutes = number(index + 4, 2),
                hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (isCharacter("-", at: index) ? -60 : 60)
            index += 6
        } else {
            return nil
        }
        guard index == bytes.count else { return nil }
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    /// The days from 1970-01-01 to a day of the proleptic Gregorian calendar, and nil for a day that does not exist.
    public static func daysSince1970(year: Int, month: Int, day: Int) -> Int? {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
