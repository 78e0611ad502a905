import ArgumentParser
import AssayCore
import Foundation

/// Parses times and durations on the command line.
enum TimeArgument {
    /// Parses an RFC 3339 time.
    static func time(_ text: String) throws -> Date {
        guard let time = RFC3339.parse(text) else {
            throw ValidationError(
                "expected an RFC 3339 time such as 2026-04-21T18:13:12Z, found \"\(text.prefix(40))\"")
        }
        return time
    }

    /// Parses a duration as in policies. Returns seconds, more than zero and at most a hundred years.
    static func duration(_ text: String) throws -> Double {
        let seconds: Double
        do {
            seconds = try PolicyNode(.scalar(text), path: "", line: 0, file: nil).duration()
        } catch {
            throw ValidationError(error.message)
        }
        guard seconds > 0, seconds <= 36_500 * 86_400 else {
            throw ValidationError("expected a length of time from 1s to 36500d, found \"\(text.prefix(40))\"")
        }
        return seconds
    }
}
