import AssayInspection
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Inspection of damaged blobs")
struct MutationTests {
    private static let formats: [any BlobFormat.Type] = [
        CBORFormat.self, DERFormat.self, CertificateFormat.self, PEMFormat.self, PublicKeyFormat.self,
        PrivateKeyFormat.self, CMSFormat.self, JSONFormat.self, JWSFormat.self, JWEFormat.self, JWTClaims.self,
        Base64Format.self, HTTPDumpFormat.self,
    ]

    /// A blob of every format.
    private static func blobs() throws -> [[UInt8]] {
        let samples = try Samples()
        let base64 = Data(samples.attestation.certificates[0]).base64EncodedString()
        let request =
            "POST /a?b=c HTTP/1.1\r\nAuthorization: Bearer \(samples.token)\r\nX-A: \(base64)\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\n0\r\n\r\n"
        let json = "{\"exp\": 1776795192, \"a\": [\"\(samples.token)\", \"\\ud83d\\ude00\"], \"b\": \"\(base64)\"}"
        return [
            samples.attestation.attestation, samples.attestation.certificates[0], samples.receipt,
            samples.attestation.publicPoint, samples.attestation.authenticatorData,
            try Samples.vector("app-attest/minted/test-root.pem"), Array(samples.token.utf8), Array(json.utf8),
            Array(base64.utf8), Array(request.utf8),
        ]
    }

    @Test("No change or cut makes a format trap or annotate bytes that do not exist", arguments: 0..<10)
    func mutations(index: Int) throws {
        let blob = try MutationTests.blobs()[index]
        var generator = SeededGenerator(seed: UInt64(index) + 1)
        for number in 0..<1000 {
            let bytes = number == 0 ? blob : generator.mutated(blob)
            for format in MutationTests.formats {
                // Inspection uses formats that recognise the bytes, and formats that a field states.
                let isAsked = format.recognise(bytes) != nil || number % 8 == 0
                guard isAsked else { continue }
                let problems = AnnotationRules.problems(format.annotate(bytes), of: bytes)
                #expect(problems == [], "\(format.name), case \(number): \(Hexadecimal.text(bytes))")
                _ = format.violation(in: bytes)
            }
        }
    }

    @Test("Every format handles empty input, and every input of one or two bytes")
    func tiny() {
        for first in 0...255 {
            for length in 0...2 {
                let bytes = Array([UInt8(first), UInt8(first ^ 0x5A)].prefix(length))
                for format in MutationTests.formats {
                    _ = format.recognise(bytes)
                    #expect(AnnotationRules.problems(format.annotate(bytes), of: bytes) == [])
                }
            }
        }
    }
}
