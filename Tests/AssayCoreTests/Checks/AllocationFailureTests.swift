import AssayCore
import Foundation
import Testing

/// When an allocation fails, C libraries report valid input as invalid. That is an outage, not a result.
@Suite("Allocation failures")
struct AllocationFailureTests {
    /// Sets errno as a failed allocation in C does.
    private func failToAllocate() { errno = ENOMEM }

    private func refuse(_ isFailing: Bool) throws(CheckFailure) {
        if isFailing { failToAllocate() }
        throw CheckFailure(Objection())
    }

    /// Runs a failing check in one of five ways.
    private func run(_ form: Int, isFailing: Bool, mode: CheckMode? = nil) -> CheckRun {
        var run = CheckRun(modes: CheckModes(mode.map { [.first: $0] } ?? [:]), capacity: 1)
        switch form {
        case 0: _ = run.authenticity(.first) { () throws(CheckFailure) in try refuse(isFailing) }
        case 1: _ = run.gate(.first) { () throws(CheckFailure) in try refuse(isFailing) }
        case 2:
            _ = run.decode(.first) { () throws(DecodeError) in
                if isFailing { failToAllocate() }
                throw DecodeError(.malformed, at: 0, "no")
            }
        case 3:
            run.conditionalGate(.first) { () throws(CheckFailure) in
                try refuse(isFailing)
                return .passed
            }
        default:
            run.policy(.first) { () throws(CheckFailure) in
                try refuse(isFailing)
                return .passed
            }
        }
        return run
    }

    @Test(
        "A check that fails together with an allocation is an outage, not a rejection", arguments: 0..<5
    )
    func refusals(form: Int) async throws {
        let ledger = FakeLedger()
        for mode in form == 4 ? [CheckMode.enforce, .annotate] : [nil] {
            let results = run(form, isFailing: true, mode: mode).results
            #expect(outline(results) == ["first failed"])
            let error = await #expect(throws: LedgerOutage.self) {
                try await ledger.settle(Fixtures.assessment(results), at: Fixtures.time)
            }
            #expect(error?.code == .outOfMemory)
            #expect(error?.message.contains(CheckID.first.name) == true)
        }
        #expect(ledger.commits == 0)
    }

    @Test("An allocation that failed before the check has no effect", arguments: 0..<5)
    func earlier(form: Int) async throws {
        failToAllocate()
        let results = run(form, isFailing: false).results
        let verdict = try await FakeLedger().settle(Fixtures.assessment(results), at: Fixtures.time)
        #expect(verdict.outcome == .reject)
    }

    @Test("A check that passes stays passed: the allocator may have retried")
    func held() {
        var run = CheckRun(modes: [:], capacity: 2)
        run.gate(.first) { failToAllocate() }
        run.policy(.second) {
            failToAllocate()
            return .passed
        }
        #expect(outline(run.results) == ["first passed", "second passed"])
    }
}
