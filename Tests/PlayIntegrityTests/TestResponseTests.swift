import Assay
import AssayCore
import Foundation
import PlayIntegrity
import Testing

/// Test responses of the Play Console, and of a test Google, say nothing genuine: a policy must allow them, and the verdict says so.
@Suite("Test responses of Play Integrity")
struct TestResponseTests {
    private func verdict(
        _ rule: PlayIntegrityConfiguration.TestRule?, isTest: Bool, isClassic: Bool
    ) async throws -> Verdict {
        var payload = isClassic ? Fixtures.android : Fixtures.standard
        if isTest { payload["testingDetails.isTestingResponse"] = true }
        let configuration = try PlayIntegrityConfiguration(
            packageName: Fixtures.packageName, android: Fixtures.rules(), challenge: .caller
        ) {
            if let rule { $0.testResponses = rule }
            $0.answers = .caller
        }
        let verifier = try Fixtures.verifier(configuration, keys: isClassic ? [Fixtures.key()] : [])
        guard isClassic else {
            return try await verifier.verify(Fixtures.answer(payload), at: Fixtures.now)
        }
        return try await verifier.verify(Fixtures.classic(payload), at: Fixtures.now)
    }

    @Test(
        "Only a policy that allows them accepts them, and its verdict names the test authority",
        arguments: [true, false])
    func allowed(isClassic: Bool) async throws {
        for rule in [nil, PlayIntegrityConfiguration.TestRule.refuse] {
            let refused = try await verdict(rule, isTest: true, isClassic: isClassic)
            #expect(refused.failed == [CheckID.playIntegrityTestingResponse])
        }
        let accepted = try await verdict(.allow, isTest: true, isClassic: isClassic)
        #expect(accepted.failed == [] && accepted.testAuthority == "the test responses of the Play Console")
    }

    @Test("A genuine response counts as such under either rule", arguments: [true, false])
    func genuine(isClassic: Bool) async throws {
        for rule in [PlayIntegrityConfiguration.TestRule.refuse, .allow] {
            let verdict = try await verdict(rule, isTest: false, isClassic: isClassic)
            #expect(verdict.failed == [] && verdict.testAuthority == nil)
        }
    }
}
