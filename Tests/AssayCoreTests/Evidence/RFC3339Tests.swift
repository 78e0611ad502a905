import AssayCore
import Foundation
import Testing

@Suite("Times as text")
struct RFC3339Tests {
    @Test(
        "A time has the value that it says",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-04-21T18:13:12Z", 1_776_795_192), ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400), ("2026-04-21T20:13:12+02:00", 1_776_795_192),
            ("2026-04-21T12:43:12-05:30", 1_776_795_192), ("2026-04-21T18:13:12.5Z", 1_776_795_192.5),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double)])
    func parses(_ text: String, _ seconds: Double) {
        #expect(RFC3339.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "Anything else is no time: one that were guessed at would decide what is expired",
        arguments: [
            "", "2026-04-21", "2026-04-21T18:13Z", "2026-04-21 18:13:12Z", "2026-04-21t18:13:12Z",
            "2026-04-21T18:13:12",
            "2026-04-21T18:13:12z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-04-00T00:00:00Z", "2026-04-21T24:00:00Z", "2026-04-21T18:60:00Z",
            "2016-12-31T23:59:60Z", "2026-04-21T18:13:12.Z", "2026-04-21T18:13:12.1234567890Z",
            "2026-04-21T18:13:12+2:00", "2026-04-21T18:13:12+24:00", "2026-04-21T18:13:12ZZ", " 2026-04-21T18:13:12Z",
            "+026-04-21T18:13:12Z", "2026-04-21T18:13:12٫5Z",
        ])
    func refuses(_ text: String) {
        #expect(RFC3339.parse(text) == nil)
    }

    @Test(
        "A time is written in UTC, with milliseconds only when there are any",
        arguments: [
            (1_776_795_192, "2026-04-21T18:13:12Z"), (1_776_795_192.153, "2026-04-21T18:13:12.153Z"),
            (1_776_795_192.9996, "2026-04-21T18:13:13Z"), (0, "1970-01-01T00:00:00Z"),
        ] as [(Double, String)])
    func formats(_ seconds: Double, _ text: String) {
        #expect(RFC3339.format(Date(timeIntervalSince1970: seconds)) == text)
    }
}
