import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import CoreMetrics
import Foundation
import MetricsTestKit
import Testing

@Suite("Verdicts counted by facts")
struct FactCountTests {
    private static let secret = [UInt8](repeating: 0x5A, count: 64)

    private static func policy(_ facts: String) throws -> VerificationPolicy {
        let text = """
            version: 1
            keys:
              - { name: now, use: approov, secret: "file:secret" }
            apps:
              - name: api
                approov: { keys: [now] }
              - name: old
                noEvidence: { reasons: [unsupported], minimumAppVersion: "5" }
            \(facts)
            """
        return try PolicyFile.parse(
            text, file: "p.yaml", files: MemoryFiles(["file:secret": Base64.encode(secret, .standard)]))
    }

    /// The counts by app, fact, value and outcome.
    private static func counts(_ metrics: TestMetrics) -> [[String]: Int64] {
        var found: [[String]: Int64] = [:]
        for counter in metrics.counters
        where counter.label == MetricName.verdictFacts.rawValue && counter.totalValue > 0 {
            #expect(counter.dimensions.map(\.0) == MetricName.verdictFacts.labels)
            found[counter.dimensions.map(\.1)] = counter.totalValue
        }
        return found
    }

    private static func state(_ verifier: Verifier, _ code: String, version: String = "5.1") async throws {
        let input = DeviceStatementInput(
            reason: "unsupported", code: code, appVersion: version, systemVersion: nil)
        _ = try await verifier.verify(input, app: "old", at: Fixtures.time)
    }

    @Test("A thousand values give a hundred labels and one for the others, also if the policy is read again meanwhile")
    func bounded() async throws {
        let metrics = TestMetrics()
        let (policy, facts) = (try Self.policy("metrics: { by: [code, appVersion] }"), FactCounts())
        for half in 0..<2 {
            let verifier = withMetricsFactory(metrics) {
                Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, facts: facts)
            }
            for number in 0..<500 { try await Self.state(verifier, "c\(half * 500 + number)") }
        }
        var expected: [[String]: Int64] = [
            ["old", "code", "other", "accept"]: 900, ["old", "appVersion", "5.1", "accept"]: 1000,
        ]
        for number in 0..<100 { expected[["old", "code", "c\(number)", "accept"]] = 1 }
        #expect(Self.counts(metrics) == expected)
    }

    @Test("Accepted and rejected verdicts count apart; facts that the policy does not list do not count")
    func outcomes() async throws {
        let metrics = TestMetrics()
        let policy = try Self.policy("metrics: { by: [appVersion] }")
        let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: MemoryLedger()) }
        try await Self.state(verifier, "a")
        try await Self.state(verifier, "b", version: "4.9")
        try await Self.state(verifier, "c", version: "not\na version")
        #expect(
            Self.counts(metrics) == [
                ["old", "appVersion", "5.1", "accept"]: 1, ["old", "appVersion", "4.9", "reject"]: 1,
            ])
        let without = TestMetrics()
        let silent = try Self.policy("")
        let other = withMetricsFactory(without) { Verifier(policy: silent, ledger: MemoryLedger()) }
        try await Self.state(other, "a")
        #expect(!without.counters.contains { $0.label == MetricName.verdictFacts.rawValue })
    }

    @Test("Properties that the policy lists have labels of their own, others share one, and none decides a verdict")
    func properties() async throws {
        let metrics = TestMetrics()
        let policy = try Self.policy("metrics: { property: [beta] }")
        let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: MemoryLedger()) }
        func judge(_ property: String?, version: String = "5.1") async throws -> Verdict {
            let member = property.map { #""property":"\#($0)","# } ?? ""
            let text =
                #"{"kind":"none","app":"old",\#(member)"evidence":{"reason":"unsupported","appVersion":"\#(version)"}}"#
            let record = try #require(RecordFile.read(Array(text.utf8)).first).get()
            return try await verifier.verify(record, at: Fixtures.time)
        }
        let verdict = try await judge("beta")
        #expect(verdict.json(id: nil).contains(#""property":{"value":"beta","signed":false}"#))
        for property in ["x", "y", nil] { #expect(try await judge(property).outcome == .accept) }
        #expect(try await judge("beta", version: "4.9").outcome == .reject)
        #expect(
            Self.counts(metrics) == [
                ["old", "property", "beta", "accept"]: 1, ["old", "property", "beta", "reject"]: 1,
                ["old", "property", "other", "accept"]: 2,
            ])
    }

    @Test("Each element of a list counts once; values are cut, and have no line ends and no escapes of terminals")
    func values() async throws {
        let metrics = TestMetrics()
        let policy = try Self.policy("metrics: { by: [annotations, issuer] }")
        let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: MemoryLedger()) }
        let issuer = "a\"b\\\r\n\u{1B}[2J" + String(repeating: "x", count: 100)
        let claims: JSONItem = [
            "exp": .integer(Int(Fixtures.time.timeIntervalSince1970) + 300), "iss": .text(issuer),
            "did": "h4gubfCFzJu81j/U2BJsdg==", "anno": ["rooted", "emulator", "rooted"],
        ]
        let token = try JWSBlueprint(payload: claims.encoded, signer: .hs256(Self.secret)).mint()
        let text = #"{"kind":"approov.token","app":"api","evidence":{"token":"\#(token)"}}"#
        let record = try #require(RecordFile.read(Array(text.utf8)).first).get()
        let verdict = try await verifier.verify(record, at: Fixtures.time)
        #expect(verdict.approov?.claims?.issuer == issuer, "\(verdict)")
        let counts = Self.counts(metrics)
        #expect(counts.values.allSatisfy { $0 == 1 })
        let values = Set(counts.keys.map { "\($0[1]) \($0[2])" })
        #expect(values == ["annotations rooted", "annotations emulator", "issuer \(issuer.excerpt)"])
        #expect(values.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } && $0.utf8.count < 100 })
    }

    @Test("Checks count by app, from 0 in a policy of few apps, and only those that occur in one of many")
    func checks() async throws {
        for count in [2, 9] {
            let metrics = TestMetrics()
            let names = (1...count).map { "app\($0)" }
            let policy = try Fixtures.policy(names)
            let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: MemoryLedger()) }
            func series() -> [[String]: Int64] {
                let counters = metrics.counters.filter { $0.label == MetricName.checks.rawValue }
                let pairs = counters.map { ($0.dimensions.map(\.1), $0.totalValue) }
                return Dictionary(pairs) { $0 + $1 }.filter { $0.key.first != "" }
            }
            let labels = ["app2", "app-attest.attestation.enrolment", "failed", "key-enrolled"]
            #expect(series()[labels] == (count == 2 ? 0 : nil))
            let minted = try Fixtures.attestation(appID: "1234567890.com.example.app2")
            for _ in 0..<3 { _ = try await verifier.verify(Fixtures.input(minted), app: "app2", at: Fixtures.time) }
            #expect(series()[labels] == 2)
            #expect(series().filter { $0.key.first != "app2" && $0.value > 0 } == [:])
            if count == 9 { #expect(Set(series().keys.map { $0[0] }) == ["app2"]) }
        }
    }
}
