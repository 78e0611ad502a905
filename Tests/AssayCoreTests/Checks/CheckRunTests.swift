import AssayCore
import Testing

@Suite("The order of checks, and what a failure does to the others")
struct CheckRunTests {
    private static let gate = CheckID("test.gate")
    private static let policy = CheckID("test.policy")
    private static let failure = CheckFailure("wrong", "it is wrong")

    private func run(
        _ modes: [CheckID: CheckMode] = [:], _ body: (inout CheckRun) -> Void
    ) -> [CheckResult] {
        var run = CheckRun(modes: modes, capacity: 2)
        body(&run)
        return run.results
    }

    @Test("After a failed authenticity gate nothing runs, and everything says because of which one")
    func authenticity() {
        var hasRun = false
        let results = run { run in
            _ = run.authenticity(CheckID("test.signature")) { () throws(CheckFailure) in throw Self.failure }
            _ = run.authenticity(CheckID("test.nonce")) { () throws(CheckFailure) in hasRun = true }
            _ = run.gate(Self.gate) { () throws(CheckFailure) in hasRun = true }
            run.policy(Self.policy) { () throws(CheckFailure) in
                hasRun = true
                return .holds
            }
            run.skip([CheckID("test.ledger")])
        }
        #expect(!hasRun)
        #expect(results.map(\.status) == [.failed, .skipped, .skipped, .skipped, .skipped])
        #expect(results.dropFirst().allSatisfy { $0.because == .check(CheckID("test.signature")) })
    }

    @Test("A failure to decode is a finding with the code of the decoder")
    func decode() {
        let results = run { run in
            let value = run.decode(Self.gate) { () throws(DecodeError) -> Int in
                throw DecodeError(.truncated, at: 7, field: "x5c", "it ends")
            }
            #expect(value == nil)
        }
        #expect(results.first?.finding?.code == "truncated")
        #expect(results.first?.finding?.detail == "x5c, byte 7: it ends")
    }

    @Test("Another gate fails by itself: what comes after it runs")
    func gate() {
        let results = run { run in
            _ = run.gate(Self.gate) { () throws(CheckFailure) in throw Self.failure }
            run.policy(Self.policy) { () throws(CheckFailure) in .holds }
            run.skip([CheckID("test.ledger")])
        }
        #expect(results.map(\.status) == [.failed, .passed])
    }

    @Test(
        "A policy check counts as its mode says, and is enforced without one",
        arguments: [(nil, CheckResult.Status.failed), (.enforce, .failed), (.annotate, .annotated), (.off, .skipped)]
            as [(CheckMode?, CheckResult.Status)])
    func modes(_ mode: CheckMode?, _ status: CheckResult.Status) {
        let results = run(mode.map { [Self.policy: $0] } ?? [:]) { run in
            run.policy(Self.policy) { () throws(CheckFailure) in throw Self.failure }
        }
        #expect(results.map(\.status) == [status])
    }

    @Test("A policy that asks for nothing skips its check, and so does evidence that cannot have what it looks at")
    func skipped() {
        let results = run { run in
            run.policy(Self.policy) { () throws(CheckFailure) in .notAsked }
            run.policy(Self.policy) { () throws(CheckFailure) in .notApplicable(Finding("old", "too old")) }
        }
        #expect(results.map(\.because) == [.policy, .notApplicable])
        #expect(results.last?.finding?.code == "old")
    }
}
