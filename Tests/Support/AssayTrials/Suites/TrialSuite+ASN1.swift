import AssayCore
import AssayPrimitives
import AssayTestSupport

/// Yury Strozhevsky's ASN.1:2008 suite and the tests of Go's encoding/asn1, judged by DER and the time formats of RFC
/// 5280.
extension TrialSuite {
    static var asn1: [TrialSuite] { [strozhevsky, go] }

    private struct Table: Decodable {
        let cases: [[SuiteColumn]]
    }

    private struct File: Decodable {
        let strozhevsky: Table
        let go: Table
    }

    private static let asn1File = "suites/asn1/der_primitives.json"

    /// A universal type that Assay has no reader for.
    private struct NoReader: Error {
        let tag: ASN1Tag
    }

    /// Reads one element with the reader of its type. Elements of other classes have no known type.
    private static func readByType(_ bytes: [UInt8]) throws {
        var reader = DERReader(bytes)
        let element = try reader.read()
        switch element.tag {
        case .boolean: _ = try element.boolean()
        case .integer: _ = try element.integerBytes()
        case .bitString: _ = try element.bitString()
        case .octetString: _ = try element.octetString()
        case .null: try element.null()
        case .objectIdentifier: _ = try ObjectIdentifier(element)
        case .utcTime, .generalizedTime: _ = try element.time()
        case let tag where tag.tagClass == .universal: throw NoReader(tag: tag)
        default: break
        }
        try reader.finish()
    }

    private static func expectation(_ verdict: String) -> Bool? {
        switch verdict {
        case "accept": true
        case "reject": false
        default: nil
        }
    }

    /// Complete encodings, each read by the reader of its type.
    private static var strozhevsky: TrialSuite {
        TrialSuite("ASN.1:2008 suite", file: asn1File, part: 0, exercises: "`DERReader`") {
            let rows = try SharedFiles.json(asn1File, as: File.self).strozhevsky.cases
            var report = SuiteReport(cases: rows.count)
            for row in rows {
                let id = row[0].text
                do {
                    try readByType(try bytes(row[1].text))
                    report.record(id, expected: expectation(row[3].text), accepted: true)
                } catch let error as NoReader {
                    // Of the types in this suite, Assay has no reader only for REAL.
                    report.require(error.tag.number == 9, "\(id): no reader for tag \(error.tag.number)")
                    if expectation(row[3].text) == true {
                        report.skip(id, "REAL, a type that no evidence has and nothing here reads")
                    } else {
                        report.record(id, expected: expectation(row[3].text), accepted: false)
                    }
                } catch is DecodeError {
                    report.record(id, expected: expectation(row[3].text), accepted: false)
                }
            }
            return report
        }
    }

    private static let tags: [String: UInt8] = [
        "boolean": 1, "integer": 2, "bitString": 3, "oid": 6, "utcTime": 23, "generalizedTime": 24,
    ]

    /// Contents of primitive types, times in the profile of RFC 5280, and tags with lengths.
    private static var go: TrialSuite {
        TrialSuite("Go encoding/asn1", file: asn1File, part: 1, exercises: "`DERReader`") {
            let rows = try SharedFiles.json(asn1File, as: File.self).go.cases
            var report = SuiteReport(
                cases: rows.count,
                register: [
                    Divergence("tagAndLength 008180", "universal tag 0 is reserved (X.690 section 8.1.5)"),
                    Divergence("tagAndLength 00820100", "universal tag 0 is reserved (X.690 section 8.1.5)"),
                    Divergence("tagAndLength a0847fffffff", "the 2 GiB that the header claims are not there"),
                ])
            for row in rows {
                let (kind, content) = (row[0].text, row[1].text)
                let contents = kind.hasSuffix("Time") ? Array(content.utf8) : try bytes(content)
                let error = readingError {
                    if let tag = tags[kind] {
                        try readByType([tag, UInt8(contents.count)] + contents)
                    } else {
                        // Append enough contents for every length but one, so that no case fails only because contents
                        // are missing. 0xFF cannot complete a tag or a length.
                        var reader = DERReader(contents + [UInt8](repeating: 0xFF, count: 1 << 17))
                        _ = try reader.read()
                    }
                }
                report.record("\(kind) \(content)", expected: expectation(row[3].text), accepted: error == nil)
            }
            return report
        }
    }
}
