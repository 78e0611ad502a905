import AssayCore
import Testing

/// Authenticity gates run first; after them, every check runs.
@Suite("Running checks")
struct CheckRunTests {
    private func fail() throws(CheckFailure) { throw CheckFailure(Objection()) }
    private func objecting() throws(CheckFailure) -> PolicyAnswer { throw CheckFailure(Objection()) }

    @Test("Results keep the order in which the checks ran")
    func order() {
        var run = CheckRun(modes: [:], capacity: 4)
        #expect(run.authenticity(.first) { 1 } == 1)
        #expect(run.gate(.second) { 2 } == 2)
        run.policy(.third) { .passed }
        run.add(.skipped(.counter, because: .notApplicable))
        #expect(
            outline(run.results)
                == ["first passed", "second passed", "third passed", "counter skipped not-applicable"])
        #expect(run.failedAuthenticity == nil)
    }

    @Test("After a failed authenticity gate nothing runs, and every later result names it")
    func brokenAuthenticity() {
        var run = CheckRun(modes: [.challenge: .off], capacity: 6)
        var ran: [CheckID] = []
        #expect(run.authenticity(.first) { () throws(CheckFailure) in try fail() } == nil)
        #expect(run.authenticity(.second) { ran.append(.second) } == nil)
        #expect(run.gate(.third) { ran.append(.third) } == nil)
        run.policy(.counter) {
            ran.append(.counter)
            return .passed
        }
        run.policy(.challenge) { .passed }
        run.skip([.challenge])
        #expect(ran == [])
        #expect(run.failedAuthenticity == .first)
        #expect(
            outline(run.results) == [
                "first failed", "second skipped test.first", "third skipped test.first",
                "counter skipped test.first", "challenge skipped policy", "challenge skipped test.first",
            ])
    }

    @Test("A decoding error is the finding of the decode gate, and breaks authenticity")
    func decoding() throws {
        var run = CheckRun(modes: [:], capacity: 1)
        let error = DecodeError(.truncated, at: 3, "short")
        #expect(run.decode(.first) { () throws(DecodeError) -> Int in throw error } == nil)
        #expect(run.failedAuthenticity == .first)
        #expect(run.results.first?.finding as? DecodeError == error)
    }

    @Test("A failed gate that no check depends on does not skip the others")
    func independentGate() {
        var run = CheckRun(modes: [:], capacity: 3)
        #expect(run.gate(.first) { () throws(CheckFailure) in try fail() } == nil)
        #expect(run.gate(.second) { true } == true)
        run.policy(.third) { () throws(CheckFailure) in try objecting() }
        run.skip([.challenge])
        #expect(run.failedAuthenticity == nil)
        #expect(outline(run.results) == ["first failed", "second passed", "third failed"])
    }

    @Test(
        "A failed policy check counts by its mode; the default is enforce",
        arguments: [
            (CheckMode.enforce, "first failed"), (.annotate, "first annotated"), (.off, "first skipped policy"),
            (nil, "first failed"),
        ])
    func modes(mode: CheckMode?, expected: String) {
        var run = CheckRun(modes: CheckModes(mode.map { [.first: $0] } ?? [:]), capacity: 1)
        run.policy(.first) { () throws(CheckFailure) in try objecting() }
        #expect(outline(run.results) == [expected])
        #expect((run.results.first?.finding?.code == "objection") == (mode != .off))
    }

    @Test(
        "No mode relaxes a gate, even a mode set for a gate in code",
        arguments: CheckMode.allCases)
    func gatesIgnoreModes(mode: CheckMode) {
        var run = CheckRun(modes: [.first: mode], capacity: 1)
        #expect(run.gate(.first) { () throws(CheckFailure) in try fail() } == nil)
        #expect(outline(run.results) == ["first failed"])
    }

    @Test("A policy check without input, or without a policy field, is skipped with a reason")
    func answers() {
        var run = CheckRun(modes: [:], capacity: 3)
        run.policy(.first) { .notApplicable(Objection()) }
        run.policy(.second) { .notRequired }
        run.policy(.third) { .notRequiredWithRemark(Objection()) }
        #expect(
            outline(run.results) == ["first skipped not-applicable", "second skipped policy", "third skipped policy"])
        #expect(run.results.last?.finding?.detail == "because")
        #expect(run.results.first?.finding?.detail == "because")
    }
}
