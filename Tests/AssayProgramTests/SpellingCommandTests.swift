import AssayInspectionTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify, spellings")
struct SpellingCommandTests {
    private static func verify(_ bytes: [UInt8], in scratch: Scratch) throws -> Run {
        try scratch.write("blob", Data(bytes))
        return try scratch.run(
            ["verify", "--kind", "app-attest.attestation", "--challenge", "challenge", "blob"] + VerifyRawTests.common)
    }

    private static func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("root.pem", Data(TestEvidence.authority().rootPEM.utf8))
        return scratch
    }

    /// The text without the line ends and margins of the report.
    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("Each spelling of an attestation gets a verdict, or a hint that names how it is wrapped and what to give")
    func hints() throws {
        let scratch = try Self.scratch()
        for spelling in Spelling.all(of: try TestEvidence.attestation().attestation) {
            let run = try Self.verify(spelling.bytes, in: scratch)
            let text = Self.words(run.output + run.errors)
            switch spelling.result {
            case .read: #expect(run.status == 0, "\(spelling.name): \(text)")
            case .found(let wrapping):
                #expect(run.status != 0)
                #expect(text.contains("give the bytes, or base64 of them"), "\(spelling.name): \(text)")
                #expect(text.contains(wrapping), "\(spelling.name): \(text)")
            case .lost(let reason): #expect(run.status != 0, "\(spelling.name), \(reason): \(text)")
            }
        }
    }

    @Test("A file in which nothing is found, and an empty one, end with what was looked for")
    func unknown() throws {
        let scratch = try Self.scratch()
        for bytes in [
            [], Array("hello, how are you?".utf8), (0..<23).map { UInt8(truncatingIfNeeded: $0 * 89 + 0xF1) },
        ] {
            let run = try Self.verify(bytes, in: scratch)
            #expect(run.status != 0)
            #expect(Self.words(run.output + run.errors).contains("looked for evidence, tokens, keys"), "\(run)")
        }
        try scratch.write("empty", Data())
        let empty = try scratch.run(["inspect", "empty"])
        #expect(empty.status == 2 && empty.errors.contains("looked for evidence, tokens, keys"), "\(empty.errors)")
    }
}
