import AssayCore
import Testing

@Suite struct CheckResultTests {
    private struct Note: CheckFinding {
        let code = "note"
        let detail = "what is worth knowing"
    }

    @Test("A result returns the values that it was created with")
    func parts() {
        let cases:
            [(result: CheckResult, status: CheckResult.Status, code: String?, because: CheckResult.SkipReason?)] = [
                (.passed(.first), .passed, nil, nil),
                (.passed(.first, Note()), .passed, "note", nil),
                (.failed(.first, Note()), .failed, "note", nil),
                (.annotated(.first, Note()), .annotated, "note", nil),
                (.skipped(.first, because: .policy), .skipped, nil, .policy),
                (.skipped(.first, because: .notApplicable), .skipped, nil, .notApplicable),
                (.skipped(.first, because: .check(.second)), .skipped, nil, .check(.second)),
                (.skipped(.first, because: .policy, Note()), .skipped, "note", .policy),
                (.skipped(.first, because: .check(.second), Note()), .skipped, "note", .check(.second)),
                (.skipped(.first, because: .notApplicable, nil), .skipped, nil, .notApplicable),
            ]
        for (result, status, code, because) in cases {
            #expect(result.check == .first)
            #expect(result.status == status)
            #expect(result.finding?.code == code)
            #expect(result.because == because)
        }
    }
}
