import AssayCore
package import FoundationEssentials

/// Phrases for annotations.
package enum Words {
    /// A name from the bytes, or a placeholder for an empty name.
    package static func name(_ text: String) -> String { text.isEmpty ? "(empty name)" : text }

    /// A number with its noun: `1 byte`, `3 bytes`. `plural` is for irregular nouns.
    package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(plural ?? noun + "s")"
    }
}

package enum Hexadecimal {
    /// Two lower-case digits per byte, without separators.
    package static func text(_ bytes: some Collection<UInt8>) -> String { Array(bytes).hexadecimal }
}

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

    /// A duration in its two largest units: `3 days`, `25 years 6 days`. A year has 365 days, as in the validity of certificates.
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

/// Recognises numbers that count time units since 1970.
package enum EpochTime {
    /// The units, and the numbers that mean times between 2001 and 2100.
    private static let units: [(name: String, perSecond: Double)] = [
        ("seconds", 1), ("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9),
    ]
    private static let plausible = 978_307_200.0..<4_102_444_800.0

    /// The meaning of a number whose name suggests a time; nil if name or number do not fit.
    static func meaning(of number: String, under name: String) -> String? {
        guard isTimeName(name), number.utf8.count <= 32, let value = Double(number) else { return nil }
        for unit in units where plausible.contains(value / unit.perSecond) {
            return describe(value / unit.perSecond, unit: unit.name)
        }
        return nil
    }

    /// The meaning of any number of seconds.
    package static func seconds(_ number: String) -> String? {
        guard number.utf8.count <= 400, let value = Double(number) else { return nil }
        return describe(value, unit: "seconds") ?? "seconds since 1970, beyond all calendars"
    }

    private static func describe(_ seconds: Double, unit: String) -> String? {
        TimeWords.epoch(seconds).map { "\($0.text), \($0.words) (\(unit) since 1970)" }
    }

    private static let names = ["exp", "iat", "nbf", "auth_time", "updated_at", "created", "expires", "expiry"]

    private static let parts = ["time", "date", "_at", "seconds"].map { Array($0.utf8) }

    private static func isTimeName(_ name: String) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        if name.hasSuffix("At") || name.hasSuffix("Millis") { return true }
        let lower = LenientText.lowercased(name)
        let bytes = Array(lower.utf8)
        return names.containsBytes(of: lower) || parts.contains { LenientText.contains(bytes, $0) }
    }
}
