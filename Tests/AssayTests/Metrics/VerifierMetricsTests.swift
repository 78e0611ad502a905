import AppAttest
import Approov
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import AssayVectors
import CoreMetrics
import Foundation
import MetricsTestKit
import Synchronization
import Testing

@Suite("Metrics of a verifier")
struct VerifierMetricsTests {
    private static func counts(_ metrics: TestMetrics, _ name: MetricName) -> [[String]: Int64] {
        var found: [[String]: Int64] = [:]
        for counter in metrics.counters where counter.label == name.rawValue && counter.totalValue > 0 {
            found[counter.dimensions.map(\.1)] = counter.totalValue
            #expect(counter.dimensions.map(\.0) == name.labels)
        }
        return found
    }

    private static func gauges(_ metrics: TestMetrics, _ name: MetricName) -> [[String]: Double] {
        Dictionary(
            metrics.meters.filter { $0.label == name.rawValue }.map { ($0.dimensions.map(\.1), $0.lastValue ?? .nan) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test("Every verdict counts once, every failed and annotated check by its code", arguments: VectorSets.all)
    func verdicts(_ set: any VectorSet.Type) async throws {
        let vectors = try MintedVectors.committed(set.name)
        let metrics = TestMetrics()
        var (outcomes, checks): ([[String]: Int64], [[String]: Int64]) = ([:], [:])
        var times: [String: Int] = [:]
        for policyFile in vectors.files where policyFile.name == "policy.yaml" {
            let policy = try vectors.policy(policyFile.folder)
            for file in vectors.files where file.path.hasSuffix(".json") && file.folder == policyFile.folder {
                let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: MemoryLedger()) }
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    // Only replays judge by what a capture has of the host.
                    guard record.evidence["presented"] == nil else { continue }
                    let verdict = try await verifier.verify(record, at: try #require(record.receivedAt))
                    outcomes[[verdict.app ?? "", verdict.kind.name, verdict.outcome.rawValue], default: 0] += 1
                    times[verdict.kind.name, default: 0] += 1
                    for result in verdict.checks where result.status == .failed || result.status == .annotated {
                        let code = try #require(result.finding?.code)
                        let labels = [verdict.app ?? "", result.check.name, result.status.rawValue, code]
                        checks[labels, default: 0] += 1
                    }
                }
            }
        }
        #expect(outcomes.count >= 2 && checks.count > 12)
        #expect(Self.counts(metrics, .verdicts) == outcomes)
        #expect(Self.counts(metrics, .checks) == checks)
        var recorded: [String: Int] = [:]
        for timer in metrics.timers where timer.label == MetricName.verification.rawValue {
            let kind = try #require(timer.dimensions.first?.1)
            recorded[kind, default: 0] += timer.values.count
            #expect(timer.values.allSatisfy { $0 > 0 })
        }
        #expect(recorded.filter { $0.value > 0 } == times)
    }

    @Test("Wrong calls and outages count by their codes; an unknown app and a foreign kind make no label")
    func errors() async throws {
        let metrics = TestMetrics()
        let ledger = FaultyLedger()
        let policy = try Fixtures.policy(["shop", "bank"])
        let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: ledger) }
        let input = Fixtures.input(try Fixtures.attestation())
        for index in 0..<100 {
            await #expect(throws: VerificationError.self) {
                try await verifier.verify(input, app: "app-\(index)", at: Fixtures.time)
            }
            await #expect(throws: VerificationError.self) {
                try await verifier.issueChallenge(app: "app-\(index)", for: .appAttestAttestation, at: Fixtures.time)
            }
        }
        ledger.follow { operation, _ in operation == .commit ? .outage() : nil }
        await #expect(throws: VerificationError.self) {
            try await verifier.verify(input, app: "shop", at: Fixtures.time)
        }
        #expect(Self.counts(metrics, .requestErrors) == [["unknown-app"]: 100])
        #expect(Self.counts(metrics, .outages) == [["ledger", "unreachable"]: 1])
        #expect(Self.counts(metrics, .verdicts) == [:])
        let apps = Set(metrics.counters.flatMap(\.dimensions).filter { $0.0 == "app" }.map(\.1))
        #expect(apps == ["shop", "bank", ""])
    }

    @Test("Challenges count when they are issued, used and presented too late")
    func challenges() async throws {
        let metrics = TestMetrics()
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Fixtures.appID)]
                  environments: [production]
                  challenge: ledger
                  clientData: raw
                  testRoots: ["file:root.pem"]
            """
        let policy = try PolicyFile.parse(
            text, file: "p.yaml", files: MemoryFiles(["file:root.pem": Fixtures.authority().rootPEM]))
        let verifier = withMetricsFactory(metrics) { Verifier(policy: policy, ledger: MemoryLedger()) }
        for (seed, delay) in [("one", 1.0), ("two", 301), ("three", 2)] {
            let challenge = try await verifier.issueChallenge(
                app: "shop", for: .appAttestAttestation, at: Fixtures.time)
            let minted = try AttestationBlueprint(
                authority: Fixtures.authority(), key: AttestedKey(seed: seed, label: "device"), appID: Fixtures.appID,
                clientData: .bytes(challenge.value), issuedAt: Fixtures.time
            ).mint()
            let input = AttestationInput(
                keyID: minted.keyID, attestation: minted.attestation, clientData: .data(challenge.value))
            let verdict = try await verifier.verify(input, app: "shop", at: Fixtures.time + delay)
            #expect((verdict.outcome == .accept) == (delay < 300), "\(verdict.failed)")
        }
        let kind = "app-attest.attestation"
        #expect(
            Self.counts(metrics, .challenges) == [
                ["shop", kind, "issued"]: 3, ["shop", kind, "used"]: 2, ["shop", kind, "expired"]: 1,
            ])
    }

    @Test("Distinct devices are those that all processes of a ledger have accepted; a document says nothing about one")
    func devices() async throws {
        let ledger = MemoryLedger()
        let policy = try Fixtures.policy(["shop", "bank"])
        let (first, second) = (TestMetrics(), TestMetrics())
        let verifiers = [first, second].map { metrics in
            withMetricsFactory(metrics) { Verifier(policy: policy, ledger: ledger) }
        }
        // Fetches the key with which devices are hashed.
        for verifier in verifiers { await verifier.refreshMetrics(at: Fixtures.time) }
        var keyIDs: [[UInt8]] = []
        for (verifier, seeds) in zip(verifiers, [["a", "b", "c"], ["c", "d"]]) {
            for seed in seeds {
                let minted = try AttestationBlueprint(
                    authority: Fixtures.authority(), key: AttestedKey(seed: seed, label: "device"),
                    appID: Fixtures.appID, clientData: .bytes(Fixtures.challenge), issuedAt: Fixtures.time
                ).mint()
                keyIDs.append(minted.keyID)
                // The second attestation of a key is rejected: it is no further device, and none of this process.
                _ = try await verifier.verify(Fixtures.input(minted), app: "shop", at: Fixtures.time)
            }
        }
        for _ in 0..<2 { for verifier in verifiers { await verifier.refreshMetrics(at: Fixtures.time + 1) } }
        for metrics in [first, second] {
            let gauges = Self.gauges(metrics, .distinctDevices)
            #expect(DevicePeriods.names.map { gauges[["shop", $0]] } == [4, 4, 4])
            #expect(DevicePeriods.names.map { gauges[["bank", $0]] } == [0, 0, 0])
            let refused = Self.gauges(metrics, .refusedDevices)
            #expect(DevicePeriods.names.map { refused[["shop", $0]] } == [1, 1, 1])
            #expect(DevicePeriods.names.map { refused[["bank", $0]] } == [0, 0, 0])
        }
        var documents: [String] = []
        try await ledger.export { entry in
            guard case .document(let document, let name) = entry else { return }
            documents.append(name)
            for keyID in keyIDs {
                #expect(
                    document.bytes.firstRange(of: keyID) == nil && document.bytes.firstRange(of: keyID.prefix(8)) == nil
                )
            }
        }
        #expect(documents.count == 3, "the key, and two sketches of the one app that was seen: \(documents)")
        await verifiers[0].refreshMetrics(at: Fixtures.time + 86_400)
        #expect(Self.gauges(first, .distinctDevices)[["shop", "day"]] == 0)
        #expect(Self.gauges(first, .refusedDevices)[["shop", "day"]] == 0)
    }

    @Test("Without a backend nothing is counted, and no document is stored")
    func withoutBackend() async throws {
        let ledger = MemoryLedger()
        let verifier = Verifier(policy: try Fixtures.policy(), ledger: ledger)
        await verifier.refreshMetrics(at: Fixtures.time)
        #expect(try await ledger.summary(at: Fixtures.time).documents == 0)
    }

    @Test("The end of a key is a gauge while the key is there: the earlier one of its window and its retirement")
    func keys() async throws {
        let metrics = TestMetrics()
        let store = MutableKeyStore()
        let policy = try Fixtures.policy()
        let verifier = withMetricsFactory(metrics) {
            Verifier(policy: policy, ledger: MemoryLedger(), keyStores: [store])
        }
        let end = Fixtures.time + 86_400
        let secret = try TestSecret(parts: TestSecret.parts("secret"))
        let window = KeyWindow(notBefore: nil, notAfter: end)
        store.set([
            NamedKey(name: "a", window: window, retiredAt: end - 60, material: secret),
            NamedKey(name: "b", window: window, material: secret), NamedKey(name: "c", material: secret),
        ])
        await verifier.refreshMetrics(at: Fixtures.time)
        let gauges = Self.gauges(metrics, .keyEnd)
        #expect(
            gauges == [
                ["a", "test"]: end.timeIntervalSince1970 - 60,
                ["b", "test"]: end.timeIntervalSince1970,
            ])
        store.set([])
        await verifier.refreshMetrics(at: Fixtures.time)
        #expect(Self.gauges(metrics, .keyEnd) == [:])
    }

    @Test("The facade turns assessments into verdicts in one file alone, which counts them")
    func oneFile() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Sources/Assay")
        let files = try #require(FileManager.default.subpaths(atPath: folder.path)).filter { $0.hasSuffix(".swift") }
        let making = try files.filter { path in
            try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8).contains(
                "committingTo: ledger")
        }
        #expect(making == ["Metrics/Verifier+Metrics.swift"])
    }
}

/// Keys that a test exchanges, for one of the purposes that engines have.
private final class MutableKeyStore: KeyStore {
    private let keys = Mutex<[NamedKey]>([])

    func set(_ new: [NamedKey]) { keys.withLock { $0 = new } }

    func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
        purpose == ApproovKey.purpose ? keys.withLock { $0 } : []
    }
}
