import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// A limit of the risk metric that a policy states rejects assertions of keys beyond it.
struct StatedRiskMetricTests {
    private func verdict(_ lines: String, metric: Int, age: Double) async throws -> Verdict {
        let roots = FileManager.default.temporaryDirectory.appendingPathComponent("roots-\(UUID().uuidString).pem")
        try Data(Fixtures.authority.get().rootPEM.utf8).write(to: roots)
        defer { try? FileManager.default.removeItem(at: roots) }
        let policy = try PolicyFile.parse(
            """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Fixtures.appID)]
                  environments: [production]
                  challenge: caller
                  clientData: none
                  testRoots: ["file:\(roots.path)"]
            \(lines)
            """, path: "policy.yaml")
        let key = AttestedKey(seed: "stated risk", label: "device")
        let ledger = MemoryLedger()
        let verifier = Verifier(policy: policy, ledger: ledger)
        let attestation = try Fixtures.attestation(key: key).mint()
        let enrolled = try await verifier.verify(
            AttestationInput(
                keyID: attestation.keyID, attestation: attestation.attestation, clientData: .data(Fixtures.challenge)),
            app: "shop", at: Fixtures.now)
        #expect(enrolled.outcome == .accept)
        // As the exchange of a receipt stores it.
        let stored = try #require(try await ledger.enrolledKey(KeyIdentifier.appAttest(key.keyID)))
        var properties = stored.properties
        properties["riskMetric"] = "\(metric)"
        properties["riskMetricTime"] = RFC3339.format(Fixtures.now.addingTimeInterval(-age))
        let refreshed = EnrolledKey(
            identifier: stored.identifier, app: stored.app, publicKey: stored.publicKey, counter: stored.counter,
            enrolledAt: stored.enrolledAt, properties: properties)
        let outcome = try await ledger.commit(
            [LedgerEffect(.appAttestAttestationEnrolment, .enrol(refreshed, EnrolmentRules(refreshKeeping: [])))],
            at: Fixtures.now)
        #expect(outcome.decisions == [nil])
        let assertion = try AssertionBlueprint(
            key: key, appID: Fixtures.appID, counter: 1, clientData: .bytes(Array("order".utf8))
        ).mint()
        return try await verifier.verify(
            AssertionInput(
                keyID: key.keyID, assertion: assertion.assertion, clientData: .data(Array("order".utf8))),
            app: "shop", at: Fixtures.now)
    }

    @Test("receipt.maximumRiskMetric and maximumRiskMetricAge reject, unless the policy only annotates the check")
    func enforced() async throws {
        let day = 86_400.0
        let (limit, both) = (
            "      receipt: { maximumRiskMetric: 5 }",
            "      receipt: { maximumRiskMetric: 5, maximumRiskMetricAge: 7d }"
        )
        let annotate = "\nchecks: { app-attest.assertion.risk-metric: annotate }"
        for (lines, metric, age, isRejected) in [
            (limit, 5, day * 30, false), (limit, 6, 0, true), (both, 5, day, false), (both, 5, day * 8, true),
            (limit + annotate, 6, 0, false), ("", 200, 0, false),
        ] as [(String, Int, Double, Bool)] {
            let verdict = try await verdict(lines, metric: metric, age: age)
            #expect(
                verdict.failed.map(\.name) == (isRejected ? ["app-attest.assertion.risk-metric"] : []),
                "\(lines) \(metric) \(age)")
        }
    }
}
