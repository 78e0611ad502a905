import AssayTrials
import Testing

/// A report that could not fail would be worth nothing.
@Suite("Suite reports")
struct SuiteReportTests {
    private static let register = [Divergence("b", "b is not for us")]

    private static func report(cases: Int = 2, _ outcomes: [(String, Bool?, Bool)]) -> SuiteReport {
        var report = SuiteReport(cases: cases, register: register)
        for (id, expected, accepted) in outcomes { report.record(id, expected: expected, accepted: accepted) }
        return report
    }

    @Test("Right outcomes and registered refusals are no problem")
    func right() {
        let report = Self.report(
            cases: 4, [("a", true, true), ("b", true, false), ("c", false, false), ("d", nil, true)])
        #expect(report.problems == [])
        #expect(report.acceptedRightly == 1 && report.refusedRightly == 1 && report.open == 1)
        #expect(report.divergences.map(\.id) == ["b"] && report.applicable == 4)
    }

    @Test("A wrong acceptance is a problem, and no register excuses it")
    func wrongAcceptance() {
        #expect(Self.report([("b", false, true), ("b", true, false)]).problems == ["wrongly accepted: b"])
    }

    @Test("A refusal that is not registered is a problem, and so is an entry that nothing needs")
    func wrongRefusal() {
        #expect(
            Self.report([("a", true, false), ("c", true, true)]).problems
                == ["wrongly refused: a", "registered without need: b"])
    }

    @Test("A case without an outcome is a problem; one that is not applicable has one")
    func missing() {
        #expect(Self.report([("b", true, false)]).problems == ["1 of 2 cases have an outcome"])
        var report = Self.report([("b", true, false)])
        report.skip("a", "not ours")
        #expect(report.problems == [] && report.applicable == 1)
    }

    @Test("A broken demand is a problem")
    func require() {
        var report = Self.report(cases: 1, [("b", true, false)])
        report.require(false, "another content")
        #expect(report.problems == ["another content"])
    }
}
