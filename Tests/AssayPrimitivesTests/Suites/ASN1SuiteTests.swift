import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// Yury Strozhevsky's ASN.1:2008 suite and the tests of Go's encoding/asn1, held to DER and the times of RFC 5280.
@Suite("Third-party suite: DER", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct ASN1SuiteTests {
    private struct Table: Decodable {
        let cases: [[SuiteColumn]]
    }

    private struct File: Decodable {
        let strozhevsky: Table
        let go: Table
    }

    /// A universal type that nothing here reads. Whoever demands a type that is read never gets such an element.
    private struct NoReader: Error {
        let tag: ASN1Tag
    }

    /// Reads one element with the reader of its type. Elements of the other classes have no type by themselves.
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

    @Test("Whole encodings, each by the reader of its type")
    func strozhevsky() throws {
        var report = SuiteReport()
        var unread: Set<String> = []
        for row in try SharedFiles.json("suites/asn1/der_primitives.json", as: File.self).strozhevsky.cases {
            var accepted = true
            do {
                try Self.readByType(try #require([UInt8](hex: row[1].text)))
            } catch let error as NoReader {
                // REAL is the one type of this suite that nothing here reads; any other one would be an omission.
                #expect(error.tag.number == 9)
                unread.insert(row[0].text)
                accepted = false
            } catch is DecodeError {
                accepted = false
            }
            report.record(row[0].text, expected: Self.expectation(row[3].text), accepted: accepted)
        }
        #expect(report.problems(cases: 48) == [])
        #expect(unread.count <= 12)
    }

    @Test("Contents of primitive types, times in the profile of RFC 5280, and tags with lengths")
    func go() throws {
        let tags: [String: UInt8] = [
            "boolean": 1, "integer": 2, "bitString": 3, "oid": 6, "utcTime": 23, "generalizedTime": 24,
        ]
        var report = SuiteReport()
        for row in try SharedFiles.json("suites/asn1/der_primitives.json", as: File.self).go.cases {
            let kind = row[0].text
            let content = row[1].text
            let isTime = kind.hasSuffix("Time")
            let bytes = isTime ? Array(content.utf8) : try #require([UInt8](hex: content))
            let error = decodeError {
                if let tag = tags[kind] {
                    try Self.readByType([tag, UInt8(bytes.count)] + bytes)
                } else {
                    // Enough contents for every length but one, so that no case is refused just for having none, and
                    // none that could complete a tag or a length.
                    var reader = DERReader(bytes + [UInt8](repeating: 0xFF, count: 1 << 17))
                    _ = try reader.read()
                }
            }
            report.record("\(kind) \(content)", expected: Self.expectation(row[3].text), accepted: error == nil)
        }
        let register = [
            Divergence("tagAndLength 008180", "universal tag 0 is reserved (X.690 section 8.1.5)"),
            Divergence("tagAndLength 00820100", "universal tag 0 is reserved (X.690 section 8.1.5)"),
            Divergence("tagAndLength a0847fffffff", "the 2 GiB that the header claims are not there"),
        ]
        #expect(report.problems(cases: 104, register: register) == [])
    }
}
