package import FoundationEssentials

/// Times as text, RFC 3339 section 5.6, always in UTC when written.
package enum RFC3339 {
    /// The years 0000 to 9999 in milliseconds since 1970.
    private static let representable: ClosedRange<Double> = -62_167_219_200_000...253_402_300_799_999

    /// Writes a time in UTC, rounded to milliseconds; omits a fraction of zero: `2026-04-21T18:13:12.153Z`.
    ///
    /// Uses the proleptic Gregorian calendar, as ``parse(_:)-(String)`` does; Foundation's calendar is Julian before
    /// 1582. Clamps a time outside the years 0000 to 9999, which the format cannot express.
    package static func format(_ date: Date) -> String {
        var bytes: [UInt8] = []
        append(date, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a time in UTF-8, as ``format(_:)`` writes it.
    package static func append(_ date: Date, to bytes: inout [UInt8]) {
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        // All comparisons with NaN are false: it becomes the lower bound.
        let bounded =
            rounded >= representable.lowerBound ? min(rounded, representable.upperBound) : representable.lowerBound
        let (days, time) = Int(bounded).quotientAndModulus(86_400_000)
        let (year, month, day) = civil(daysSince1970: days)
        let seconds = time / 1000
        bytes.reserveCapacity(bytes.count + 24)
        append(year / 100, ending: nil, to: &bytes)
        append(year % 100, ending: "-", to: &bytes)
        append(month, ending: "-", to: &bytes)
        append(day, ending: "T", to: &bytes)
        append(seconds / 3600, ending: ":", to: &bytes)
        append(seconds / 60 % 60, ending: ":", to: &bytes)
        append(seconds % 60, ending: nil, to: &bytes)
        if time % 1000 != 0 {
            bytes.append(UInt8(ascii: "."))
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: time % 1000 / 100))
            append(time % 100, ending: nil, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    /// Appends two digits and an optional character.
    private static func append(_ number: Int, ending: Unicode.Scalar?, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
        if let ending { bytes.append(UInt8(ascii: ending)) }
    }

    /// Reads a time: `YYYY-MM-DDThh:mm:ss`, at most nine fraction digits, and `Z` or an offset `+hh:mm`.
    ///
    /// Stricter than the RFC where it leaves a choice: upper-case `T` and `Z` only, no leap second.
    /// - Returns: nil when the text is not such a time, or names a day that does not exist.
    package static func parse(_ text: String) -> Date? {
        // Swift strings are contiguous; strings bridged on Darwin may not be.
        let date = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe parse(buffer: $0) }
        return date ?? parse(Array(text.utf8))
    }

    /// Reads a time from UTF-8, by the same rules as ``parse(_:)-(String)``.
    package static func parse(_ bytes: some Collection<UInt8>) -> Date? {
        unsafe Array(bytes).withUnsafeBufferPointer { unsafe parse(buffer: $0) }
    }

    private static func parse(buffer bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        guard bytes.count >= 20, bytes.count <= 35 else { return nil }
        func number(_ start: Int, _ length: Int) -> Int? {
            guard start + length <= bytes.count else { return nil }
            var value = 0
            for index in start..<start + length {
                let digit = unsafe bytes[index] &- 0x30
                guard digit < 10 else { return nil }
                value = value * 10 + Int(digit)
            }
            return value
        }
        func isCharacter(_ character: Unicode.Scalar, at index: Int) -> Bool {
            unsafe index < bytes.count && bytes[index] == UInt8(ascii: character)
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
            while index < bytes.count, unsafe bytes[index] &- 0x30 < 10 { index += 1 }
            guard index > start, index - start <= 9, let digits = number(start, index - start) else { return nil }
            // One division by an exact power of ten gives the nearest value; several divisions would round each time.
            fraction = Double(digits) / (start..<index).reduce(1.0) { power, _ in power * 10 }
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

    /// The days from 1970-01-01 to a day of the proleptic Gregorian calendar; nil for a day that does not exist.
    package static func daysSince1970(year: Int, month: Int, day: Int) -> Int? {
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

    /// The day of the proleptic Gregorian calendar, the inverse of ``daysSince1970(year:month:day:)``.
    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
        let (era, dayOfEra) = (days + 719_468).quotientAndModulus(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}

extension Int {
    /// Division that rounds down, with a remainder that is never negative.
    fileprivate func quotientAndModulus(_ divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
