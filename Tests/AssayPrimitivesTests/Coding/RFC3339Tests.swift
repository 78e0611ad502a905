import AssayPrimitives
import Foundation
import Testing

/// Times decide whether certificates and challenges are valid: each text is exactly one time, or none.
@Suite("RFC 3339")
struct RFC3339Tests {
    @Test(
        "Times of RFC 3339 section 5.6 are read with the precision of a Date",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-04-21T18:13:12Z", 1_776_795_192),
            ("2026-04-21T18:13:12.153Z", 1_776_795_192.153),
            ("2026-04-21T18:13:12.123456789Z", 1_776_795_192.123456789),
            ("2026-04-21T20:13:12+02:00", 1_776_795_192), ("2026-04-21T12:43:12-05:30", 1_776_795_192),
            ("2026-04-22T18:12:12+23:59", 1_776_795_192), ("2026-04-21T18:13:12-00:00", 1_776_795_192),
            ("2000-02-29T00:00:00Z", 951_782_400), ("2024-02-29T23:59:59Z", 1_709_251_199),
            ("1969-12-31T23:59:59.5Z", -0.5), ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("0000-02-29T00:00:00Z", -62_162_121_600), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("1582-10-10T00:00:00Z", -12_219_724_800),
        ] as [(String, Double)])
    func reads(text: String, seconds: Double) {
        #expect(RFC3339.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "Any other text is not a time",
        arguments: [
            "", "2026", "2026-04-21", "2026-04-21T18:13:12", "2026-04-21T18:13Z", "2026-04-21t18:13:12Z",
            "2026-04-21T18:13:12z", "2026-04-21 18:13:12Z", " 2026-04-21T18:13:12Z", "2026-04-21T18:13:12Z ",
            "2026-04-21T18:13:12Z\n", "2026-04-21T18:13:12ZZ", "2026-04-21T18:13:12.Z", "2026-04-21T18:13:12,5Z",
            "2026-04-21T18:13:12.1234567890Z", "2026-04-21T24:00:00Z", "2026-04-21T23:60:00Z", "2026-04-21T23:59:60Z",
            "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "2026-04-21T18:13:12+0200", "2026-04-21T18:13:12+02", "2026-04-21T18:13:12+24:00",
            "2026-04-21T18:13:12+02:60", "2026-04-21T18:13:12+02:00Z", "2026-04-21T18:13:12\u{2212}02:00",
            "-026-04-21T18:13:12Z", "+2026-04-21T18:13:12Z", "12026-04-21T18:13:12Z", "2026-4-21T18:13:12Z",
            "\u{0662}026-04-21T18:13:12Z", "２０２６-04-21T18:13:12Z", "2026-04-21T18:13:1\u{0662}Z",
            "2026-04-21T18:13:12.٣Z",
            String(repeating: "2", count: 100_000),
        ])
    func refuses(text: String) {
        #expect(RFC3339.parse(text) == nil)
    }

    @Test(
        "Times are written in UTC, rounded to milliseconds; a fraction of zero is omitted",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_776_795_192.153, "2026-04-21T18:13:12.153Z"),
            (1_776_795_192.5, "2026-04-21T18:13:12.500Z"), (1_776_795_192.9994, "2026-04-21T18:13:12.999Z"),
            (1_776_795_192.9996, "2026-04-21T18:13:13Z"), (1_767_225_599.9996, "2026-01-01T00:00:00Z"),
            (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (-12_219_724_800, "1582-10-10T00:00:00Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            // Times outside the format become its first or last time, and never trap.
            (-62_167_219_201, "0000-01-01T00:00:00Z"), (253_402_300_800, "9999-12-31T23:59:59.999Z"),
            (1e300, "9999-12-31T23:59:59.999Z"), (.infinity, "9999-12-31T23:59:59.999Z"),
            (-.infinity, "0000-01-01T00:00:00Z"), (.nan, "0000-01-01T00:00:00Z"),
        ] as [(Double, String)])
    func writes(seconds: Double, text: String) {
        #expect(RFC3339.format(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test("Reading a written time gives the same time, for every day of four centuries and its last millisecond")
    func roundTrip() {
        for day in stride(from: -146_097, through: 146_097, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86400 - 0.001)
            let text = RFC3339.format(date)
            guard text.hasSuffix("T23:59:59.999Z"), let read = RFC3339.parse(text),
                abs(read.timeIntervalSince(date)) < 1e-4
            else {
                Issue.record("\(day): \(text)")
                return
            }
        }
    }
}
