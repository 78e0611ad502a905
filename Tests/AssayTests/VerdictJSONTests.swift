import AppAttest
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// The JSON of a verdict is API: its fields, their order and their text.
@Suite("Verdicts in JSON")
struct VerdictJSONTests {
    private func verdict(_ checks: String = "", challenge: [UInt8] = Fixtures.challenge) async throws -> Verdict {
        let minted = try Fixtures.attestation()
        return try await Verifier(policy: Fixtures.policy(checks: checks), ledger: MemoryLedger()).verify(
            AttestationInput(keyID: minted.keyID, attestation: minted.attestation, clientData: .data(challenge)),
            at: Fixtures.time)
    }

    private func object(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test("An accepted attestation, to the letter")
    func accepted() async throws {
        let verdict = try await verdict()
        #expect(verdict.checks.map(\.check) == AttestationCheck.catalogue.map(\.id))
        let json = verdict.json(id: "a-1")
        #expect(json == Self.golden(Self.accepted, of: verdict), "\(json)")
    }

    @Test("A rejected attestation, to the letter: what depends on the failed gate is skipped because of it")
    func rejected() async throws {
        let verdict = try await verdict(challenge: [1])
        for result in verdict.checks.drop(while: { $0.status == .passed }).dropFirst() {
            let isLeftToCaller = result.check == CheckID.appAttestAttestationChallenge
            #expect(
                result.because == (isLeftToCaller ? .policy : .check(.appAttestAttestationNonce)), "\(result.check)")
        }
        let json = verdict.json(id: nil)
        #expect(json == Self.golden(Self.rejected, of: verdict), "\(json)")
    }

    @Test("Foundation reads what is written, and finds the test authority named")
    func parseable() async throws {
        let object = try object(try await verdict().json(id: "a\"\\\n\u{1}\u{7F}\u{2028}\u{202E}ü🙂"))
        #expect(object["id"] as? String == "a\"\\\n\u{1}\u{7F}\u{2028}\u{202E}ü🙂")
        #expect((object["testAuthority"] as? String)?.contains("Assay Test App Attestation Root CA") == true)
        #expect((object["checks"] as? [[String: Any]])?.count == AttestationCheck.catalogue.count)
        #expect((object["subject"] as? [String: Any])?["counter"] as? Int == 0)
    }

    @Test("A verdict prints as one line: outcome, kind, app, and each failed check with its code")
    func line() async throws {
        let (accepted, rejected) = (try await verdict(), try await verdict(challenge: [1]))
        #expect("\(accepted)" == "accept app-attest.attestation of shop")
        #expect(
            "\(rejected)" == "reject app-attest.attestation of shop: app-attest.attestation.nonce nonce-differs")
    }

    @Test("A ledger that may forget what it has committed is named in every verdict", arguments: [true, false])
    func durability(isAccepted: Bool) async throws {
        let minted = try Fixtures.attestation()
        let input = AttestationInput(
            keyID: minted.keyID, attestation: minted.attestation,
            clientData: .data(isAccepted ? Fixtures.challenge : [1]))
        for isWaived in [true, false] {
            let ledger = FaultyLedger(isDurabilityWaived: isWaived)
            let verdict = try await Verifier(policy: Fixtures.policy(), ledger: ledger).verify(
                input, at: Fixtures.time)
            #expect(verdict.outcome == (isAccepted ? .accept : .reject))
            #expect(verdict.isDurabilityWaived == isWaived)
            #expect(try object(verdict.json(id: nil))["durability"] as? String == (isWaived ? "waived" : nil))
        }
    }

    @Test("A check that is off is skipped because of the policy; an annotated one is in `annotated`")
    func reasons() async throws {
        let object = try object(
            try await verdict("checks:\n  app-attest.attestation.receipt: off\n", challenge: [1]).json(id: nil))
        let checks = try #require(object["checks"] as? [[String: Any]])
        let reasons = Set(checks.compactMap { $0["because"] as? String })
        #expect(reasons == ["policy", "app-attest.attestation.nonce"])
        for check in checks { #expect((check["status"] as? String == "skipped") == (check["because"] != nil)) }
        #expect(object["annotated"] as? [String] == [])
        #expect(object["id"] == nil)
        #expect(object["subject"] == nil)
    }

    @Test(
        "Control characters for terminals, logs and line readers are escaped",
        arguments: [
            ("a\"\\", #""a\"\\""#), ("\n\r\t", #""\n\r\t""#), ("\u{0}\u{1B}\u{1F}", #""\u0000\u001b\u001f""#),
            ("\u{7F}\u{9B}", #""\u007f\u009b""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#),
            ("\u{202E}\u{2066}\u{FEFF}", #""\u202e\u2066\ufeff""#), ("\u{E0041}", #""\udb40\udc41""#),
            ("ü/🙂\u{301}", "\"ü/🙂\u{301}\""), ("", "\"\""),
        ])
    func escapes(text: String, json: String) throws {
        #expect(JSONText.string(text) == json)
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed) as? String
        #expect(read.map { Array($0.utf8) } == Array(text.utf8))
    }
}
