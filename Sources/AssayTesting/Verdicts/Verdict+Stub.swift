public import AssayCore
public import FoundationEssentials

/// Verdicts for tests of handlers: without evidence, keys and files. No verifier made them, as ``Verdict/testAuthority`` says.
extension Verdict {
    /// A verdict that accepts evidence.
    ///
    /// - Parameters:
    ///   - kind: the kind of evidence.
    ///   - app: the policy's app.
    ///   - passed: the checks that have passed, if the handler looks at them.
    ///   - annotated: the checks that failed without rejecting.
    ///   - subject: the facts, such as `AppAttestSubject(keyID:)` or `ApproovSubject(claims:)`.
    ///   - now: the time of judgement.
    /// - Throws: nothing in practice; see ``VerificationError``.
    public static func stub(
        accepting kind: EvidenceKind, app: String = "app", passed: [CheckID] = [], annotated: [CheckID] = [],
        subject: (any VerdictSubject)? = nil, at now: Date = Date()
    ) async throws(VerificationError) -> Verdict {
        let checks = passed.map { CheckResult.passed($0) } + annotated.map { .annotated($0, StubFinding()) }
        return try await stub(kind, app, checks, [], subject, now)
    }

    /// A verdict that rejects evidence.
    ///
    /// - Parameters:
    ///   - kind: the kind of evidence.
    ///   - app: the policy's app.
    ///   - failed: the checks that have failed, at least one.
    ///   - code: the code of each; nil for `stub`.
    ///   - remedy: what ``Verdict/remedy`` says.
    ///   - subject: the facts, such as `AppAttestSubject(keyID:)` or `ApproovSubject(claims:)`.
    ///   - now: the time of judgement.
    /// - Throws: `.outage` without a failed check: such evidence is not rejected.
    public static func stub(
        rejecting kind: EvidenceKind, app: String = "app", failed: [CheckID], code: CheckCode? = nil,
        remedy: Remedy = .nothing, subject: (any VerdictSubject)? = nil, at now: Date = Date()
    ) async throws(VerificationError) -> Verdict {
        guard !failed.isEmpty else {
            throw .outage(LedgerOutage(.internalError, "the stub of a rejection needs a failed check"))
        }
        let finding = StubFinding(code: code?.name ?? "stub")
        let catalogue = failed.map { check in
            CheckDefinition(
                check, .gate, proves: "", stops: "", lookAt: "", source: "", remedy: remedy, codes: [])
        }
        return try await stub(kind, app, failed.map { .failed($0, finding) }, catalogue, subject, now)
    }

    private static func stub(
        _ kind: EvidenceKind, _ app: String, _ checks: [CheckResult], _ catalogue: [CheckDefinition],
        _ subject: (any VerdictSubject)?, _ now: Date
    ) async throws(VerificationError) -> Verdict {
        try await Assessment(
            kind: kind, app: app, catalogue: catalogue, checks: checks, ledgerChecks: [], effects: [],
            subject: subject as? any EngineSubject, testAuthority: "none: a stub of AssayTesting",
            passesWithoutProof: true
        ).verdict(committingTo: MemoryLedger(), at: now)
    }
}

/// What the checks of stubs found.
private struct StubFinding: CheckFinding {
    var code = "stub"
    let detail = "a stub of a test"
}
