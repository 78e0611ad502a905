import AssayCore
package import Foundation

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
