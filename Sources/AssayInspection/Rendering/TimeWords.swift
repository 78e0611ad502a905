import AssayCore
package import FoundationEssentials

/// Times and durations in words.
package enum TimeWords {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    /// 1970-01-01 was a Thursday.
    private static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    /// A time in UTC without fractions of a second: `Tuesday 21 April 2026, 18:13:12 UTC`.
    package static func describe(_ date: Date) -> String {
        // Parse the formatted time, so that only one calendar implementation is used.
        let text = Array(RFC3339.format(date).utf8)
        guard text.count >= 20 else { return "" }
        func number(_ range: Range<Int>) -> Int { text[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        guard months.indices.contains(month - 1),
            let days = RFC3339.daysSince1970(year: year, month: month, day: day)
        else { return "" }
        let weekday = weekdays[((days % 7) + 7) % 7]
        return "\(weekday) \(day) \(months[month - 1]) \(year), \(String(decoding: text[11..<19], as: UTF8.self)) UTC"
    }

    /// A duration in its two largest units: `3 days`, `5 minutes 3 seconds`, `25 years 6 days`.
    ///
    /// A year has 365 days, as in the validity of certificates.
    package static func duration(_ seconds: Double) -> String {
        // A comparison with NaN is false.
        guard abs(seconds) < 1e15 else { return "a length of time that is no number or beyond all calendars" }
        var rest = Int(abs(seconds))
        guard rest > 0 else { return seconds == 0 ? "no time" : "less than a second" }
        var parts: [String] = []
        for (length, unit) in [(31_536_000, "year"), (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")] {
            let count = rest / length
            rest %= length
            if count > 0, parts.count < 2 { parts.append(Words.count(count, unit)) }
            // Stop if the next smaller unit is zero.
            if !parts.isEmpty, count == 0 { break }
        }
        return parts.joined(separator: " ")
    }

    /// Seconds since 1970 as RFC 3339 and in words; nil for times outside the years 1 to 9999.
    static func epoch(_ seconds: Double) -> (text: String, words: String)? {
        guard seconds > -62_135_596_800, seconds < 253_402_300_800 else { return nil }
        let date = Date(timeIntervalSince1970: seconds)
        return (RFC3339.format(date), describe(date))
    }
}
