import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Testing

/// PEM files come from many tools, and are read alike.
@Suite("PEM files")
struct PEMTests {
    @Test("Line ends, space around lines and text between blocks do not matter")
    func forms() throws {
        let pem = try Fixtures.authority().rootPEM
        let lines = pem.split(separator: "\n").map(String.init)
        let expected: Certificate = try #require(try PEM.certificates(in: Array(pem.utf8)).first)
        let forms = [
            (lines.joined(separator: "\r\n"), 1), (lines.map { "\($0) \t" }.joined(separator: "\n"), 1),
            (lines.map { "  \($0)" }.joined(separator: "\r\n") + "\r\n", 1),
            ("Root\u{301}\r\n\(pem)\nand again:\n\(pem)", 2),
            (lines.joined(separator: "\n\n"), 1),
        ]
        for (text, count) in forms {
            let certificates = try PEM.certificates(in: Array(text.utf8))
            #expect(certificates.map(\.der) == Array(repeating: expected.der, count: count))
        }
        #expect(try JSONPointer("/a").tokens == ["a"])
    }

    @Test("Files without a certificate are refused with a short message")
    func refused() throws {
        let pem = try Fixtures.authority().rootPEM
        let marks = String(repeating: "\u{301}\u{323}", count: 200_000)
        for text in [
            "-----BEGIN a\(marks)-----\n", "\(pem)\n-----BEGIN PRIVATE KEY-----\n", "\(marks)\n", "",
            "-----BEGIN CERTIFICATE-----\n\(pem)", String(pem.dropLast(30)), "-----BEGIN CERTIFICATE-----\n\(marks)\n",
            pem.replacing("\n", with: "\r"),
        ] {
            let time = ProcessorTime.measure {
                let error = #expect(throws: DecodeError.self) { try PEM.certificates(in: Array(text.utf8)) }
                #expect((error?.description.utf8.count ?? .max) < 300)
            }
            #expect(time < .seconds(10) * Sanitizer.slowdown)
        }
    }
}
