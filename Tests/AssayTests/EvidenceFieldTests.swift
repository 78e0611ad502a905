import Assay
import AssayCore
import Foundation
import Testing

/// Evidence of a record that cannot be read is an error at its byte; evidence that is wrong is a verdict.
@Suite("Evidence fields")
struct EvidenceFieldTests {
    private func verify(_ evidence: String, kind: String = "app-attest.attestation") async throws -> Verdict {
        let text = "{\"kind\":\"\(kind)\",\"evidence\":\(evidence)}"
        let record = try #require(try RecordFile.read(Array(text.utf8)).first?.get())
        return try await Verifier(policy: Fixtures.policy(), ledger: MemoryLedger()).verify(record, at: Fixtures.time)
    }

    /// Where the evidence of an attestation's record begins.
    private let start = 44

    @Test(
        "Binary is standard base64 with padding; an error names the field and the byte",
        arguments: [
            ("AAA", 3), ("AA", 2), ("AAAA=", 5), ("A===", 1), ("AB==", 1), ("AAB=", 2), ("-_AA", 0), ("AA-_", 2),
            ("AA AA", 2), (" AAAA", 0), ("AAAA ", 4), ("AA==AA==", 2), ("ÄAAA", 0), ("=", 1), ("====", 0),
        ])
    func base64(keyID: String, offset: Int) async throws {
        let error = await #expect(throws: VerificationError.self) {
            try await verify("{\"keyId\":\"\(keyID)\",\"attestation\":\"AA==\",\"challenge\":\"AA==\"}")
        }
        guard case .record(let record)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record.field == "evidence.keyId")
        #expect(record.offset == start + 10 + offset, "\(record)")
    }

    @Test(
        "Fields are known, there, of their type and not in conflict",
        arguments: [
            ("{}", "evidence.keyId", "missing"),
            (#"{"keyId":7,"attestation":"","challenge":"AA=="}"#, "evidence.keyId", "found a number"),
            (#"{"keyId":"","challenge":"AA=="}"#, "evidence.attestation", "missing"),
            (#"{"keyId":"","attestation":""}"#, "evidence", "challenge or clientDataHash is missing"),
            (
                #"{"keyId":"","attestation":"","challenge":"AA==","clientDataHash":"AA=="}"#, "evidence",
                "exclude each other"
            ),
            (#"{"keyId":"","attestation":"","challenge":"","x":""}"#, "evidence.x", "unknown field"),
            (#"{"keyId":"","attestation":"","challenge":""}"#, "evidence.challenge", "at least one byte"),
            (#"{"keyId":"","attestation":"","clientDataHash":""}"#, "evidence.clientDataHash", "at least one byte"),
        ])
    func fields(evidence: String, field: String, words: String) async throws {
        let error = await #expect(throws: VerificationError.self) { try await verify(evidence) }
        guard case .record(let record)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record.field == field)
        #expect(record.message.contains(words))
    }

    @Test(
        "An assertion's challenge and hash are not empty, and its counter is written in digits",
        arguments: [
            (#""clientData":"","challenge":"""#, "evidence.challenge", "at least one byte"),
            (#""clientDataHash":"""#, "evidence.clientDataHash", "at least one byte"),
            (#""clientData":"","key":{"publicKey":"","counter":-0}"#, "evidence.key.counter", "found -0"),
            (#""clientData":"","key":{"publicKey":"","counter":1.0}"#, "evidence.key.counter", "found 1.0"),
            (#""clientData":"","key":{"publicKey":"","counter":1e2}"#, "evidence.key.counter", "found 1e2"),
            (#""clientData":"","key":{"publicKey":"","counter":4294967296}"#, "evidence.key.counter", "429496729"),
            (#""clientData":"","key":{"publicKey":"","counter":"1"}"#, "evidence.key.counter", "a string"),
            (#""clientData":"","key":{"publicKey":""}"#, "evidence.key.counter", "missing"),
        ])
    func assertionFields(rest: String, field: String, words: String) async throws {
        let error = await #expect(throws: VerificationError.self) {
            try await verify("{\"keyId\":\"\",\"assertion\":\"\",\(rest)}", kind: "app-attest.assertion")
        }
        guard case .record(let record)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record.field == field)
        #expect(record.message.contains(words), "\(record)")
    }

    @Test("A value that was written with escapes is named with the byte at which it begins")
    func escapedBase64() async throws {
        let error = await #expect(throws: VerificationError.self) {
            try await verify(#"{"keyId":"\u0041AA!","attestation":"AA==","challenge":"AA=="}"#)
        }
        guard case .record(let record)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record.offset == start + 9)
    }

    @Test(
        "Evidence that is not what it should be is a rejection, never an error",
        arguments: [
            ("app-attest.attestation", #"{"keyId":"","attestation":"","challenge":"AA=="}"#),
            ("app-attest.attestation", #"{"keyId":"AAAA","attestation":"AAAA","clientDataHash":"AAAA"}"#),
            ("app-attest.assertion", #"{"keyId":"","assertion":"","clientData":""}"#),
            (
                "app-attest.assertion",
                #"{"keyId":"AA==","assertion":"oA==","clientDataHash":"AA==","challenge":"AA=="}"#
            ),
            (
                "app-attest.assertion",
                #"{"keyId":"","assertion":"oA==","clientData":"","key":{"publicKey":"","counter":0}}"#
            ),
            ("app-attest.receipt", #"{"keyId":"","receipt":""}"#),
            ("app-attest.receipt", #"{"keyId":"AA==","receipt":"MIA="}"#),
        ])
    func wrongEvidence(kind: String, evidence: String) async throws {
        let verdict = try await verify(evidence, kind: kind)
        #expect(verdict.outcome == .reject)
        #expect(verdict.failed.first?.name == "\(kind).decode")
    }
}
