import AssayCore
package import Foundation

/// Parses dates of HTTP fields in the form that servers must send (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. Ignores
/// the name of the day.
package enum HTTPDate {
    static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The time of a field's value; nil for another form.
    package static func parse(_ field: String) -> Date? { parse(field.utf8.drop { $0 == 0x20 }) }

    static func parse(_ text: some Collection<UInt8>) -> Date? {
        let bytes = Array(text)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard bytes.count == 29, bytes[3...4].elementsEqual(", ".utf8), bytes[25...].elementsEqual(" GMT".utf8),
            let day = number(bytes[5...6]), let year = number(bytes[12...15]), let hour = number(bytes[17...18]),
            let minute = number(bytes[20...21]), let second = number(bytes[23...24]), hour < 24, minute < 60,
            second < 61,
            let month = months.firstIndex(where: { bytes[8...10].elementsEqual($0.utf8) }),
            let days = RFC3339.daysSince1970(year: year, month: month + 1, day: day)
        else { return nil }
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }
}

/// Parses the `Retry-After` field (RFC 9110 section 10.2.3).
package enum RetryAfter {
    private static let day = 86_400

    /// The time to wait, at most a day; nil for an invalid value.
    /// - Parameter field: seconds, or a date (IMF-fixdate, section 5.6.7).
    package static func parse(_ field: String, now: Date) -> Duration? {
        let text = field.utf8.drop { $0 == 0x20 }
        if let seconds = HTTPDate.number(text[...]) { return .seconds(min(seconds, day)) }
        guard let date = HTTPDate.parse(text) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(now)), Double(day)))
    }
}
