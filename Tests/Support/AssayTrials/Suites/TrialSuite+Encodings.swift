import AssayCore
import AssayPrimitives
import AssayTestSupport

/// CBOR and JSON.
extension TrialSuite {
    static var encodings: [TrialSuite] { [cbor, json, jsonTransform] + asn1 + structuredFields }

    /// A case that the suite accepts and Assay rejects, with the data to decide whether the rejection is correct.
    private struct Refusal {
        let error: DecodeError
        /// The byte at the error's offset.
        let byte: UInt8
        let isDeterministic: Bool

        var majorType: UInt8 { byte >> 5 }
    }

    private struct CBORFile: Decodable {
        let count: Int
        let cases: [[SuiteColumn]]
    }

    /// Malformed and invalid items are rejected. Any other rejection must follow from a stricter rule of Assay.
    private static var cbor: TrialSuite {
        let file = "suites/cbor/cbor_vectors.json"
        return TrialSuite("RFC 8949 appendices, QCBOR, fxamacker/cbor, cbor-wg", file: file, exercises: "`CBORReader`")
        {
            let suite = try SharedFiles.json(file, as: CBORFile.self)
            var report = SuiteReport(cases: suite.count)
            var refusals: [String: Refusal] = [:]
            for row in suite.cases {
                let bytes = try bytes(row[1].text)
                let id = "\(row[0].text) \(row[1].text)"
                let error = readingError {
                    var reader = CBORReader(bytes)
                    try reader.skipItem()
                    try reader.finish()
                }
                report.record(id, expected: row[2].text == "ok", accepted: error == nil)
                guard let error, case .flag(let isDeterministic) = row[3] else { continue }
                let byte = bytes.indices.contains(error.offset) ? bytes[error.offset] : 0
                refusals[id] = Refusal(error: error, byte: byte, isDeterministic: isDeterministic)
            }
            report.register = register(refusals)
            return report
        }
    }

    private static func register(_ found: [String: Refusal]) -> [Divergence] {
        func rule(
            _ name: String, _ reason: String, _ holds: @escaping @Sendable (Refusal) -> Bool
        ) -> Divergence {
            Divergence(all: name, where: { found[$0].map(holds) ?? false }, reason)
        }
        return [
            rule(
                "indefinite lengths",
                "indefinite length: a second encoding of the same value; genuine evidence has none"
            ) {
                $0.error.reason == .indefiniteLength && !$0.isDeterministic && $0.byte & 0x1F == 31
            },
            rule("longer arguments than needed", "longer argument than needed: a second encoding of the same value") {
                $0.error.reason == .notMinimal && !$0.isDeterministic && $0.majorType < 7
            },
            rule("tags", "no evidence has tags") { $0.error.reason == .unexpected && $0.majorType == 6 },
            rule("keys that are neither text nor integers", "no evidence has keys that are neither text nor integers") {
                $0.error.reason == .unexpectedType && ![0, 1, 3].contains($0.majorType)
            },
            rule("simple values without a meaning", "simple value without a meaning; no evidence has any") {
                $0.error.reason == .malformed && ((0xE0...0xF3).contains($0.byte) || $0.byte == 0xF8)
            },
            rule("nesting beyond the limit", "nested beyond the limit; genuine evidence nests three deep") {
                $0.error.reason == .tooDeep && $0.error.offset >= InputLimits.cborDepth
            },
        ]
    }

    private struct JSONFile: Decodable {
        let count: Int
        let cases: [[SuiteColumn]]
        let transform: [[SuiteColumn]]
    }

    private static let jsonFile = "suites/json/json_parsing.json"

    private static func accepts(_ row: [SuiteColumn]) throws -> Bool {
        var bytes = try Base64.decode(row[2].text, .standard)
        if row.count > 3, case .number(let count) = row[3] {
            bytes = [[UInt8]](repeating: bytes, count: count).flatMap { $0 }
        }
        if row.count > 4 { bytes += try Base64.decode(row[4].text, .standard) }
        return readingError { _ = try JSONReader.read(bytes, limit: InputLimits.record) } == nil
    }

    /// Assay rejects what the suite rejects, accepts what it accepts, and is strict where it leaves the result open:
    /// numbers stay text, so none is too large; invalid UTF-8, a byte order mark and 500 levels are rejected.
    private static var json: TrialSuite {
        TrialSuite("JSONTestSuite, test_parsing", file: jsonFile, exercises: "`JSONReader`") {
            let suite = try SharedFiles.json(jsonFile, as: JSONFile.self)
            let register = ["y_object_duplicated_key", "y_object_duplicated_key_and_value"]
            var report = SuiteReport(cases: suite.count, register: register.map { Divergence($0, "keys are unique") })
            for row in suite.cases {
                let (name, isAccepted) = (row[0].text, try accepts(row))
                let isOpen = row[1].text == "either"
                report.record(name, expected: isOpen ? nil : row[1].text == "accept", accepted: isAccepted)
                if isOpen {
                    report.require(isAccepted == name.hasPrefix("i_number_"), "\(name) is not judged strictly")
                }
            }
            return report
        }
    }

    /// Duplicate keys and invalid code points are rejected; numbers of any size pass. The suite describes the behaviour
    /// of parsers and demands none.
    private static var jsonTransform: TrialSuite {
        TrialSuite("JSONTestSuite, test_transform", file: jsonFile, exercises: "`JSONReader`") {
            let rows = try SharedFiles.json(jsonFile, as: JSONFile.self).transform
            var report = SuiteReport(cases: rows.count)
            for row in rows {
                let name = row[0].text
                // Keys are compared as bytes, which differ between composed and decomposed characters.
                let differsInBytes = ["object_key_nfc_nfd", "object_key_nfd_nfc"].contains(name)
                let expected = name.hasPrefix("number_") || name == "string_with_escaped_NULL" || differsInBytes
                let isAccepted = try accepts(row)
                report.record(name, expected: nil, accepted: isAccepted)
                report.require(isAccepted == expected, "\(name) is not judged strictly")
            }
            return report
        }
    }
}
