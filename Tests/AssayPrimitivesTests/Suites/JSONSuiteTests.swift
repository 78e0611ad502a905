import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// Nicolas Seriot's JSONTestSuite.
@Suite("Third-party suite: JSON", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct JSONSuiteTests {
    private struct File: Decodable {
        let cases: [[SuiteColumn]]
        let transform: [[SuiteColumn]]
    }

    private static func accepts(_ row: [SuiteColumn]) throws -> Bool {
        var bytes = try Base64.decode(row[2].text, .standard)
        if row.count > 3, case .number(let count) = row[3] {
            bytes = [[UInt8]](repeating: bytes, count: count).flatMap { $0 }
        }
        if row.count > 4 { bytes += try Base64.decode(row[4].text, .standard) }
        return decodeError { _ = try JSONReader.read(bytes, limit: InputLimits.record) } == nil
    }

    @Test("What the suite rejects is refused, what it accepts passes, and what it leaves open is judged strictly")
    func parsing() throws {
        var report = SuiteReport()
        for row in try SharedFiles.json("suites/json/json_parsing.json", as: File.self).cases {
            let name = row[0].text
            var expected: Bool? = row[1].text == "accept"
            if row[1].text == "either" {
                // Numbers are kept as written, so none is too large; invalid text, a byte order mark and 500 levels are
                // all refused.
                expected = name.hasPrefix("i_number_")
            }
            report.record(name, expected: expected, accepted: try Self.accepts(row))
        }
        let register = [
            Divergence("y_object_duplicated_key", "keys are unique"),
            Divergence("y_object_duplicated_key_and_value", "keys are unique"),
        ]
        #expect(report.problems(cases: 318, register: register) == [])
    }

    @Test("Keys that come twice and code points that do not exist are refused; numbers of any size pass")
    func transform() throws {
        var report = SuiteReport()
        for row in try SharedFiles.json("suites/json/json_parsing.json", as: File.self).transform {
            let name = row[0].text
            // Keys are compared as bytes, which composed and decomposed characters differ in.
            let differsInBytes = ["object_key_nfc_nfd", "object_key_nfd_nfc"].contains(name)
            let expected = name.hasPrefix("number_") || name == "string_with_escaped_NULL" || differsInBytes
            report.record(name, expected: expected, accepted: try Self.accepts(row))
        }
        #expect(report.problems(cases: 22) == [])
    }
}
