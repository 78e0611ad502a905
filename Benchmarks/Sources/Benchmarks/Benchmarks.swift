import Assay
import Crypto
import Foundation

/// Measures what the README promises. Every figure is a ratio to a bare operation in the same run, since absolute times
/// depend on the machine and its neighbours. Exits with 1 when a target is missed.
@main
struct Benchmarks {
    let subjects: Subjects
    let classicToken: ClassicTokenSubject
    let hs256: HS256Subject
    let approov: ApproovTokenSubject
    let messages: ApproovMessageSubject

    static func main() async throws {
        let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../TestVectors").standardizedFileURL
        let benchmarks = Benchmarks(
            subjects: try Subjects(vectors: vectors),
            classicToken: try ClassicTokenSubject(now: Date(timeIntervalSince1970: 1_795_132_800)),
            hs256: try HS256Subject(), approov: try ApproovTokenSubject(now: Date()),
            messages: try ApproovMessageSubject(now: Date()))
        let wanted = Set(CommandLine.arguments.dropFirst())
        var isReached = true
        for (name, run) in [
            ("rate", benchmarks.rates), ("steps", benchmarks.steps), ("hs256-steps", benchmarks.hs256Steps),
            ("threads", benchmarks.scaling), ("memory", benchmarks.memory),
        ] where wanted.isEmpty || wanted.contains(name) {
            isReached = run() && isReached
        }
        if wanted.isEmpty || wanted.contains("approov") {
            isReached = try await ApproovRun(subject: benchmarks.approov).reachesTargets() && isReached
            isReached = benchmarks.signedMessages() && isReached
        }
        if wanted.isEmpty || wanted.contains("replay") {
            isReached = try await benchmarks.replay() && isReached
        }
        if wanted.isEmpty || wanted.contains("replay-memory") {
            isReached = try ReplayMemoryRun(keys: 1000, rounds: 1000).reachesTarget() && isReached
        }
        // One thing and nothing else, for a profiler to look at.
        if wanted.contains("replay-profile") {
            let subject = try ReplaySubject(keys: 1000, rounds: 10)
            for _ in 0..<5 { _ = await subject.replay(jobs: 1) }
        }
        if wanted.contains("approov-profile") { benchmarks.approov.assess(2_000_000) }
        if wanted.contains("approov-message-profile") { benchmarks.messages.assessWrites(200_000) }
        if wanted.contains("approov-verify-profile") { await benchmarks.approov.verify(1_000_000) }
        exit(isReached ? 0 : 1)
    }

    private func rates() -> Bool {
        print("rate, as a share of the bare verification's; one thread, processor time")
        let results = [
            Comparison(count: 1500).rate(
                "assertion / bare P-256", of: assertions, against: bareP256, target: 0.85),
            Comparison(count: 150).rate(
                "attestation / bare P-384", of: attestationsWithoutReceipt, against: bareP384, target: 0.70),
            Comparison(count: 150).rate(
                "attestation with its receipt / bare P-384", of: attestations, against: bareP384, target: 0.70),
            Comparison(count: 1500).rate(
                "classic token / its bare cryptography", of: classicToken.verify, against: classicToken.bare,
                target: 0.75),
        ]
        return !results.contains(false)
    }

    /// Messages that installations have signed, with their tokens, all checks but the ledger's.
    private func signedMessages() -> Bool {
        print("signed messages, as a share of the bare verification's; one thread, processor time")
        let results = [
            Comparison(count: 1500).rate(
                "message without a body / bare P-256", of: messages.assessReads, against: bareP256, target: 0.70),
            Comparison(count: 1500).rate(
                "message with a body / bare P-256", of: messages.assessWrites, against: bareP256, target: 0.70),
        ]
        return !results.contains(false)
    }

    private func scaling() -> Bool {
        print("throughput of two threads, in units of one; wall time")
        let results = [
            Comparison(count: 3000).scaling(
                "assertion", of: { copied.assertions }, against: bareP256, target: 1.9),
            Comparison(count: 400).scaling(
                "attestation with its receipt", of: { copied.attestations }, against: bareP384, target: 1.9),
            Comparison(count: 3000).scaling(
                "classic token", of: { copied.classicToken.verify }, against: bareP256, target: 1.9),
        ]
        return !results.contains(false)
    }

    /// The same benchmarks with evidence of their own: no two requests share the memory of what they carry, and neither
    /// do the threads here. What requests do share, policy and authorities, stays shared.
    private var copied: Benchmarks {
        Benchmarks(
            subjects: subjects.copied(), classicToken: classicToken.copied(), hs256: hs256, approov: approov,
            messages: messages)
    }

    private func replay() async throws -> Bool {
        let subject = try ReplaySubject(keys: 1000, rounds: 10)
        defer { try? FileManager.default.removeItem(at: subject.file) }
        return await ReplayRun(subject: subject, bareP256: bareP256).reachesTargets()
    }

    private func memory() -> Bool { MemoryRun(assertions: 1_000_000).reachesTarget(assertions) }

    @Sendable private func assertions(_ count: Int) {
        for _ in 0..<count {
            let assessment = AssertionAssessor.assess(
                subjects.assertion, keys: subjects.assertionKeys, expectations: subjects.assertionExpectations,
                now: subjects.now)
            demand(assessment.holds, "the assertion does not hold")
        }
    }

    @Sendable private func attestations(_ count: Int) {
        attestations(count, subjects.attestationExpectations)
    }

    @Sendable private func attestationsWithoutReceipt(_ count: Int) {
        attestations(count, subjects.attestationWithoutReceipt)
    }

    private func attestations(_ count: Int, _ expectations: AppAttestExpectations) {
        for _ in 0..<count {
            let assessment = AttestationAssessor.assess(
                subjects.attestation, expectations: expectations, now: subjects.now)
            demand(assessment.holds, "the attestation does not hold")
        }
    }

    @Sendable private func bareP256(_ count: Int) {
        for _ in 0..<count {
            demand(subjects.p256.isValidSignature(subjects.p256Signature, for: subjects.p256Message), "P-256")
        }
    }

    @Sendable private func bareP384(_ count: Int) {
        for _ in 0..<count {
            let digest = SHA256.hash(data: subjects.p384Message)
            demand(subjects.p384.isValidSignature(subjects.p384Signature, for: digest), "P-384")
        }
    }

    /// What each step of a classic token's verification takes of the whole.
    private func steps() -> Bool {
        print("steps of a classic token's verification, as a share of the whole; one thread, processor time")
        do {
            let comparison = Comparison(count: 1500)
            for (name, work) in try classicToken.steps { comparison.share(name, of: work, in: classicToken.verify) }
            return true
        } catch {
            stop("\(error)")
        }
    }

    /// What each step below a token with HS256 takes of them all.
    private func hs256Steps() -> Bool {
        print("steps of a token with HS256, as a share of them all; one thread, processor time")
        let comparison = Comparison(count: 20_000)
        for (name, work) in hs256.steps { comparison.share(name, of: work, in: hs256.verify) }
        return true
    }
}

/// Stops the run when what is measured does not do what it should.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { stop(what()) }
}

/// Stops the run.
func stop(_ what: String) -> Never {
    print("unexpected: \(what)")
    exit(2)
}
