import Assay
import AssayCore
import AssayPrimitives
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// Redacted fields are in no file, and all that can be judged without them is judged the same.
@Suite("Redacted captures")
struct RedactionTests {
    private func record(_ kind: String, _ evidence: [(String, RecordValue.Content)]) -> EvidenceRecord {
        EvidenceRecord(
            id: "i", kind: EvidenceKind(kind), app: "a", receivedAt: Fixtures.time, evidence: RecordObject(evidence),
            expect: nil)
    }

    @Test("Client data is replaced by its digest; invalid client data is removed")
    func clientData() throws {
        let kind = "app-attest.assertion"
        let digest = Base64.encode(Digest.sha256(Array("secret".utf8)), .standard)
        let secret = RecordValue.Content.text(Data("secret".utf8).base64EncodedString())
        let redacted = try record(kind, [("clientData", secret)]).redacted().evidence.members
        #expect(redacted.map(\.name) == ["clientDataHash"])
        #expect(redacted.first.map { Outline.isText($0.value, digest) } == true)
        let cases: [[(String, RecordValue.Content)]] = [
            [("clientData", .text("not base64: secret"))], [("clientData", .number("42"))],
            [("clientData", .object(RecordObject([("secret", .null)])))],
        ]
        for evidence in cases { #expect(try record(kind, evidence).redacted().evidence.members.isEmpty) }
        let both = try record(kind, [("clientDataHash", .text("h")), ("clientData", secret)]).redacted()
        #expect(both.evidence.members.map(\.name) == ["clientDataHash"])
    }

    @Test("A redacted assertion is judged as the whole one is")
    func judged() async throws {
        let folder = try TestFolder()
        var options = CaptureOptions()
        options.fields = .redact
        let capture = try RecordCapture(folder: folder.path("c"), options: options)
        try capture.append(
            EvidenceRecord(Fixtures.attestation(), receivedAt: Fixtures.time), at: Fixtures.time)
        try capture.append(
            EvidenceRecord(Fixtures.assertion(counter: 1), receivedAt: Fixtures.time), at: Fixtures.time)
        let records = try Captured.records(folder.path("c"))
        #expect(!records.map(\.jsonLine).joined().contains(Data(Fixtures.clientData).base64EncodedString()))
        let verifier = try Fixtures.verifier()
        for record in records {
            #expect(try await verifier.verify(record, at: Fixtures.time).outcome == .accept)
        }
    }

    @Test("A record names what was removed or replaced, and equal accounts stay equal")
    func marked() throws {
        let kind = "app-attest.assertion"
        var whole = record(kind, [("clientData", .text("c2VjcmV0")), ("mail of alice", .null), ("keyId", .text("k"))])
        whole.account = "alice@example.com"
        whole.deviceToken = "AAAA"
        whole.property = "alice's phone"
        let redacted = try whole.redacted()
        #expect(redacted.redacted == ["evidence.clientData", "evidence.*", "account", "deviceToken", "property"])
        let digest = Base64.encode(Digest.sha256(Array("alice@example.com".utf8)), .url)
        #expect(redacted.account == "sha256:\(digest)" && redacted.deviceToken == nil)
        #expect(!redacted.jsonLine.contains("alice"))
        let read = try RecordFile.readLine(Array(redacted.jsonLine.utf8)[...]).get()
        #expect(read.redacted == redacted.redacted)
        #expect(try read.redacted().jsonLine == redacted.jsonLine, "once more changes nothing")
        #expect(read.indispensableFields(knowing: .standard) == ["evidence.*"])
        #expect(try record(kind, [("keyId", .text("k"))]).redacted().redacted == [])
        let key = try CapturePrivateKey.make()
        let sealed = try JSONReader.read(
            Array(redacted.sealedLine(for: key.publicKey).utf8), limit: InputLimits.record)
        #expect(try SealedRecord(sealed)?.open(with: key).jsonLine == redacted.jsonLine)
    }

    @Test("A replay reports a record that cannot be judged as redacted, and never as false evidence")
    func replayed() async throws {
        let lines = try [
            ReplayCorpus.attestation("a", of: "redacted"),
            ReplayCorpus.assertion("b", of: "redacted", counter: 1),
            ReplayCorpus.assertion("c", of: "redacted", counter: 1),
        ]
        var token = record(
            "play-integrity.standard",
            [("packageName", .text("p")), ("requestHash", .text("hash")), ("token", .text("token"))])
        token.expect = EvidenceRecord.Expectation(outcome: .accept, failed: [])
        let redacted = try lines.map { line in
            try RecordFile.readLine(Array(line.utf8)[...]).get().redacted().jsonLine
        }
        let outcome = try await ReplayCorpus.replay(
            redacted + [token.redacted().jsonLine], ReplayPolicies(ReplayCorpus.policy()))
        #expect(
            outcome.words == ["accept", "accept", "app-attest.assertion.counter", "redacted"], "\(outcome.lines)")
        #expect(outcome.records.allSatisfy { !$0.isMismatch })
        #expect(outcome.lines.contains("cannot be judged without evidence.token"))
        // The challenge cannot be looked for in what is gone.
        let searching = try ReplayCorpus.policy(clientData: "{ challengeAt: /nonce }")
        #expect(
            try await ReplayCorpus.replay(redacted, ReplayPolicies(searching)).words[1...] == ["redacted", "redacted"])
    }

    @Test("An unknown kind is not captured: its sensitive fields are unknown")
    func unknownKind() throws {
        let folder = try TestFolder()
        var options = CaptureOptions()
        options.fields = .redact
        let capture = try RecordCapture(folder: folder.path("c"), options: options)
        let error = #expect(throws: CaptureError.self) {
            try capture.append(Fixtures.record("x", payload: "secret"), at: Fixtures.time)
        }
        #expect(error?.reason == .record)
        #expect(try Captured.files(folder.path("c")) == [])
    }
}

extension Outline {
    static func isText(_ value: RecordValue, _ expected: String) -> Bool {
        if case .text(let text) = value.content { text == expected } else { false }
    }
}
