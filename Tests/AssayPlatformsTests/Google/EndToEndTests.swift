import Assay
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import Foundation
import PlayIntegrity
import Testing

/// Records of standard tokens, judged through the client.
@Suite(.timeLimit(.minutes(20))) struct EndToEndTests {
    /// Ten seconds after the token was made.
    private static let now = Date(timeIntervalSince1970: 1_776_794_400)

    private static func verifier(
        _ test: TestClient, ledger: MemoryLedger = MemoryLedger(),
        _ change: (inout PlayIntegrityConfiguration.AndroidRules) -> Void = { _ in }
    ) throws -> Verifier {
        let digest = try Base64.decode("pnpa8e8eCArtvmaf49bJE1f5iG5-XLSU6w1U9ZvI96g", .url)
        var rules = PlayIntegrityConfiguration.AndroidRules(certificateDigests: [digest])
        change(&rules)
        let configuration = try PlayIntegrityConfiguration(packageName: TestClient.package, android: rules)
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", configuration)], catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: ledger, services: [test.client])
    }

    private static func record(token: String = TestClient.token) throws -> EvidenceRecord {
        let evidence = ["packageName": TestClient.package, "requestHash": "aGFzaA", "token": token]
        let document: [String: Any] = ["kind": "play-integrity.standard", "evidence": evidence]
        let records = RecordFile.read(Array(try JSONSerialization.data(withJSONObject: document)))
        return try #require(records.first).get()
    }

    @Test("a genuine answer is accepted, and its token not a second time")
    func accepts() async throws {
        try await TestClient.run { test in
            let verifier = try EndToEndTests.verifier(test)
            let verdict = try await verifier.verify(EndToEndTests.record(), at: EndToEndTests.now)
            #expect(verdict.outcome == .accept, "\(verdict.failed)")
            let again = try await verifier.verify(EndToEndTests.record(), at: EndToEndTests.now)
            #expect(again.failed.map(\.name) == ["play-integrity.challenge"])
        }
    }

    @Test("a token that Google cannot decode is rejected at its decoding")
    func rejectsRefused() async throws {
        try await TestClient.run { test in
            test.google.script(
                .answer(400, FakeGoogle.error(400, "INVALID_ARGUMENT", "Integrity token cannot be decoded.")))
            let verdict = try await EndToEndTests.verifier(test).verify(EndToEndTests.record(), at: EndToEndTests.now)
            #expect(verdict.outcome == .reject)
            #expect(verdict.failed.map(\.name) == ["play-integrity.decode"])
            #expect(verdict.checks.first?.finding?.code == "google-refused")
        }
    }

    @Test("a token that cannot be sent is false evidence and no outage", arguments: ["a b", "\u{e9}", "a\u{0}b"])
    func rejectsUnsendable(_ token: String) async throws {
        try await TestClient.run { test in
            let verdict = try await EndToEndTests.verifier(test).verify(
                EndToEndTests.record(token: token), at: EndToEndTests.now)
            #expect(verdict.failed.map(\.name) == ["play-integrity.decode"])
            #expect(test.google.apiRequests.isEmpty)
        }
    }

    @Test("a token that was decoded before is rejected for its cleared verdicts")
    func rejectsReplay() async throws {
        try await TestClient.run { test in
            test.google.setPayload(FakeGoogle.cleared)
            let verdict = try await EndToEndTests.verifier(test).verify(EndToEndTests.record(), at: EndToEndTests.now)
            #expect(verdict.failed.first?.name == "play-integrity.app-recognition")
        }
    }

    @Test("the token of a blocked account bans its device at Google, after it was decoded")
    func bansDevice() async throws {
        try await TestClient.run { test in
            test.google.setPayload(
                FakeGoogle.payload.replacingOccurrences(
                    of: #""deviceAttributes""#,
                    with: #""deviceRecall":{"values":{"bitFirst":false}},"deviceAttributes""#)
            )
            let ledger = MemoryLedger()
            try await ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.account, "mallory"), reason: "fraud", since: EndToEndTests.now, until: nil))
            let verifier = try EndToEndTests.verifier(test, ledger: ledger) {
                $0.rejectedRecallBits = [.bitFirst]
                $0.blocks = .ban
            }
            var record = try EndToEndTests.record()
            record.account = "mallory"
            let verdict = try await verifier.verify(record, at: EndToEndTests.now)
            #expect(verdict.failed.map(\.name) == ["play-integrity.account"])
            #expect(
                test.google.apiRequests.map(\.path).map { $0.split(separator: "/").last } == [
                    "com.example.shop:decodeIntegrityToken", "deviceRecall:write",
                ])
            #expect(
                test.google.apiRequests.last?.text
                    == #"{"integrityToken":"\#(TestClient.token)","newValues":{"bitFirst":true}}"#)
        }
    }

    @Test(
        "no answer is an outage and no rejection",
        arguments: [
            (FakeGoogle.Step.answer(403, FakeGoogle.error(403, "PERMISSION_DENIED", "Not you.")), "not-authorised"),
            (.answer(200, "<html>"), "unexpected-answer"), (.answer(200, "{}"), "unexpected-answer"),
            (.cut, "unexpected-answer"), (.answer(503, "", fields: ["Retry-After": "60"]), "server-error"),
            (.answer(429, "", fields: ["Retry-After": "60"]), "quota"),
        ])
    func outage(_ step: FakeGoogle.Step, _ code: String) async throws {
        try await TestClient.run { test in
            test.google.script(step)
            let verifier = try EndToEndTests.verifier(test)
            let error = await #expect(throws: VerificationError.self) {
                try await verifier.verify(EndToEndTests.record(), at: EndToEndTests.now)
            }
            guard case .outage(let outage) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(outage.code.name == code)
            #expect(outage.description.hasPrefix("Google Play outage (\(code))"))
            let verdict = try await verifier.verify(EndToEndTests.record(), at: EndToEndTests.now)
            #expect(verdict.outcome == .accept, "an outage uses nothing up in the ledger")
        }
    }
}
