import Assay
import AssayTestSupport
import AssayTrials
import Testing

/// Nothing but declared don't-cares may be changed in accepted evidence. `make mutate` changes everything.
@Suite("Changed evidence", .timeLimit(.minutes(20)))
struct MutationRunTests {
    private func check(_ outcome: MutationRun.Outcome, more minimum: Int) {
        #expect(outcome.problems.prefix(10).map(\.description) == [])
        #expect(outcome.total.wrongAcceptances == 0)
        #expect(outcome.total.refused > minimum)
    }

    @Test("Some changes of every field of every vector: refused")
    func sample() async throws {
        var plan = MutationPlan()
        plan.sample = 5
        let outcome = try await MutationRun.run(AcceptedVector.all(), plan: plan)
        check(outcome, more: 5_000)
        #expect(outcome.kinds.count >= Verifier.kinds.count - 1)
    }

    @Test(
        "Every change of every field of one small vector of each kind: refused",
        arguments: [
            "assertion-accept.json/assertion-with-extensions", "message-accept.json/message-accepted-post",
            "token-accept.json/token-accepted-es256", "proof.json/proof-of-integrity",
            "pc/standard-accept.json/", "TestVectors/play-integrity/minted/classic-accept.json/classic-genuine",
        ])
    func small(name: String) async throws {
        var plan = MutationPlan()
        plan.names = [name]
        check(try await MutationRun.run(AcceptedVector.all(), plan: plan), more: 2_000)
    }

    @Test("Thousands of changes of Apple's sample attestation, its receipt and what it is held against: refused")
    func attestation() async throws {
        var plan = MutationPlan()
        plan.sample = 4_000
        plan.names = ["TestVectors/app-attest/apple-guide-2026"]
        let outcome = try await MutationRun.run(AcceptedVector.all(), plan: plan)
        check(outcome, more: 5_000)
        #expect(outcome.total.dontCares == [:])
    }

    @Test("Parts of one vector in another one, and other apps of a policy: refused")
    func splices() async throws {
        var plan = MutationPlan()
        plan.donors = 6
        let outcome = try await SpliceRun.run(AcceptedVector.all(), plan: plan)
        check(outcome, more: 2_000)
    }
}
