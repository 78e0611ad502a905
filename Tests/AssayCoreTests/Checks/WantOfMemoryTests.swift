import AssayCore
import Foundation
import Testing

/// Libraries in C call what they are given false where they get no memory. That is no result.
@Suite("Want of memory")
struct WantOfMemoryTests {
    /// What an allocation in C leaves behind that gets nothing.
    private func failToAllocate() { errno = ENOMEM }

    private func refuse(_ isWanting: Bool) throws(CheckFailure) {
        if isWanting { failToAllocate() }
        throw CheckFailure(Objection())
    }

    /// A run of a check of each form, which does not hold.
    private func run(_ form: Int, isWanting: Bool, mode: CheckMode? = nil) -> CheckRun {
        var run = CheckRun(modes: CheckModes(mode.map { [.first: $0] } ?? [:]), capacity: 1)
        switch form {
        case 0: _ = run.authenticity(.first) { () throws(CheckFailure) in try refuse(isWanting) }
        case 1: _ = run.gate(.first) { () throws(CheckFailure) in try refuse(isWanting) }
        case 2:
            _ = run.decode(.first) { () throws(DecodeError) in
                if isWanting { failToAllocate() }
                throw DecodeError(.malformed, at: 0, "no")
            }
        case 3:
            run.conditionalGate(.first) { () throws(CheckFailure) in
                try refuse(isWanting)
                return .holds
            }
        default:
            run.policy(.first) { () throws(CheckFailure) in
                try refuse(isWanting)
                return .holds
            }
        }
        return run
    }

    @Test(
        "A check of any form that is refused while an allocation failed is an outage and no rejection", arguments: 0..<5
    )
    func refusals(form: Int) async throws {
        let ledger = FakeLedger()
        for mode in form == 4 ? [CheckMode.enforce, .annotate] : [nil] {
            let results = run(form, isWanting: true, mode: mode).results
            #expect(outline(results) == ["first failed"])
            let error = await #expect(throws: LedgerOutage.self) {
                try await ledger.settle(Fixtures.assessment(results), at: Fixtures.time)
            }
            #expect(error?.code == .outOfMemory)
            #expect(error?.message.contains(CheckID.first.name) == true)
        }
        #expect(ledger.commits == 0)
    }

    @Test("What an earlier check or its caller met says nothing of a refusal", arguments: 0..<5)
    func earlier(form: Int) async throws {
        failToAllocate()
        let results = run(form, isWanting: false).results
        let verdict = try await FakeLedger().settle(Fixtures.assessment(results), at: Fixtures.time)
        #expect(verdict.outcome == .reject)
    }

    @Test("A check that holds holds, as an allocator may ask twice")
    func held() {
        var run = CheckRun(modes: [:], capacity: 2)
        run.gate(.first) { failToAllocate() }
        run.policy(.second) {
            failToAllocate()
            return .holds
        }
        #expect(outline(run.results) == ["first passed", "second passed"])
    }
}
