import Assay
import AssayCore
import AssayTesting
import AssayVectors
import Foundation
import Testing

/// Every minted record of every kind, judged over a ledger that fails at each of the operations that its verdict takes.
@Suite("Verdicts over a ledger that fails", .timeLimit(.minutes(20)))
struct LedgerFaultTests {
    private static let engines = ["app-attest", "play-integrity", "approov"]

    @Test(
        "An outage gives no verdict and uses up nothing: the evidence is judged normally afterwards",
        arguments: engines)
    func outageBefore(_ engine: String) async throws {
        var outages = 0
        try await judge(engine) { sample in
            for step in sample.steps {
                let outage = try await sample.outage { operation, number in
                    operation == step.operation && number == step.number ? .outage() : nil
                }
                #expect(outage == .planned, "\(sample.name): \(step.operation)")
                outages += 1
            }
            #expect(try await sample.verdict().words == sample.words, "\(sample.name)")
        }
        #expect(outages > 20)
    }

    @Test(
        "A commit whose answer is lost is an outage; a second attempt is not accepted, and the check says why",
        arguments: engines)
    func answerLost(_ engine: String) async throws {
        var retries = 0
        try await judge(engine) { sample in
            guard sample.steps.contains(where: { $0.operation == .commit }) else {
                #expect(try await sample.verdict().words == sample.words)
                return
            }
            let outage = try await sample.outage { operation, _ in operation == .commit ? .answerLost() : nil }
            #expect(outage == .planned, "\(sample.name)")
            let words = try await sample.verdict().words
            guard sample.words == ["accept"] else {
                #expect(words == sample.words, "\(sample.name)")
                return
            }
            retries += 1
            #expect(words.first == "reject", "\(sample.name)")
            // The check that the ledger decides, and none that says the evidence is false.
            let decided = ["challenge", "enrolment", "counter", "replay"].map {
                words.last?.hasSuffix(".\($0)") == true
            }
            #expect(decided.contains(true), "\(sample.name): \(words)")
        }
        #expect(retries > 3)
    }

    @Test("A slow ledger changes no verdict")
    func delay() async throws {
        let ledger = FaultyLedger { _, _ in .delay(.milliseconds(20)) }
        let verifier = Verifier(policy: try Fixtures.policy(), ledger: ledger)
        let record = try Fixtures.attestation().record(id: "a")
        let start = ContinuousClock.now
        #expect(try await verifier.verify(record, at: Fixtures.time).outcome == .accept)
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        #expect(ledger.history.last?.operation == .commit)
        #expect(try await verifier.verify(record, at: Fixtures.time).outcome == .reject)
    }

    /// Hands every record of an engine's vectors to `body`, in the order of its file, with what comes of it over a ledger
    /// that never fails.
    private func judge(_ engine: String, _ body: (FaultSample) async throws -> Void) async throws {
        let vectors = try MintedVectors.committed(engine)
        for policyFile in vectors.files where policyFile.path.hasSuffix("policy.yaml") {
            let folder = String(policyFile.path.dropLast("policy.yaml".count))
            let policy = try vectors.policy(folder)
            for file in vectors.files where file.path.hasPrefix(folder) && file.path.hasSuffix(".json") {
                guard !file.path.dropFirst(folder.count).contains("/") else { continue }
                let (sound, faulty) = (FaultyLedger(), FaultyLedger())
                let verifier = Verifier(policy: policy, ledger: sound)
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    let time = try #require(record.receivedAt)
                    sound.recover()
                    let words = try await verifier.verify(record, at: time).words
                    try await body(
                        FaultSample(
                            name: "\(file.path) \(record.id ?? "")", record: record, time: time, words: words,
                            steps: sound.history, ledger: faulty, verifier: Verifier(policy: policy, ledger: faulty)))
                }
            }
        }
    }
}

/// A record, and a ledger that fails on request while the record is judged.
private struct FaultSample {
    let name: String
    let record: EvidenceRecord
    let time: Date
    /// The outcome and the failed checks over a ledger that does not fail.
    let words: [String]
    /// What that ledger was asked.
    let steps: [LedgerOperation.Step]
    let ledger: FaultyLedger<MemoryLedger>
    let verifier: Verifier

    func verdict() async throws -> Verdict {
        ledger.recover()
        return try await verifier.verify(record, at: time)
    }

    /// The outage that a plan leads to, and nil for a verdict.
    func outage(_ plan: @escaping FaultyLedger<MemoryLedger>.Plan) async throws -> LedgerOutage? {
        ledger.follow(plan)
        do {
            _ = try await verifier.verify(record, at: time)
            return nil
        } catch VerificationError.outage(let outage) {
            return outage as? LedgerOutage
        }
    }
}

extension Verdict {
    fileprivate var words: [String] { [outcome == .accept ? "accept" : "reject"] + failed.map(\.name) }
}
