import AssayCore
import Testing

/// Only a full commit accepts; a failed check commits nothing; an undecided check is an outage.
@Suite("Verdicts of assessments")
struct VerdictTests {
    @Test("Passed checks and applied effects give an acceptance")
    func accepts() async throws {
        let ledger = FakeLedger()
        let verdict = try await ledger.settle(
            Fixtures.assessment(
                [.passed(.first)], ledgerChecks: [.challenge, .counter], effects: [.challenge, .counter]),
            at: Fixtures.time)
        #expect(verdict.outcome == .accept)
        #expect(outline(verdict.checks) == ["first passed", "challenge passed", "counter passed"])
        #expect(verdict.judgedAt == Fixtures.time)
        #expect(ledger.commits == 1)
    }

    @Test("Annotated and skipped checks do not prevent an acceptance")
    func annotated() async throws {
        let verdict = try await FakeLedger().settle(
            Fixtures.assessment([
                .passed(.first), .annotated(.second, Objection()), .skipped(.third, because: .policy),
            ]), at: Fixtures.time)
        #expect(verdict.outcome == .accept)
        #expect(verdict.annotated == [.second])
        #expect(verdict.failed == [])
    }

    @Test("A failed check commits nothing; the ledger's checks are skipped because of the first failed check")
    func rejects() async throws {
        let ledger = FakeLedger()
        let assessment = Fixtures.assessment(
            [.passed(.first), .failed(.second, Objection()), .failed(.third, Objection())],
            ledgerChecks: [.counter], effects: [.counter])
        #expect(assessment.effects == [])
        #expect(!assessment.isAcceptable)
        let verdict = try await ledger.settle(assessment, at: Fixtures.time)
        #expect(verdict.outcome == .reject)
        #expect(verdict.failed == [.second, .third])
        #expect(outline(verdict.checks).last == "counter skipped test.second")
        #expect(ledger.commits == 0)
    }

    @Test("An acceptance has no remedy; of several failures, the most demanding remedy counts")
    func remedies() async throws {
        let ledger = FakeLedger()
        let accepted = try await ledger.settle(Fixtures.assessment([.passed(.first)]), at: Fixtures.time)
        #expect(accepted.remedy == nil)
        let light = CheckResult.failed(.second, Objection())
        let heavy = CheckResult.failed(.first, Objection(code: "heavy"))
        for (checks, remedy) in [
            ([light], Remedy.retry), ([light, heavy], .contactSupport), ([heavy], .contactSupport),
        ] {
            let verdict = try await ledger.settle(Fixtures.assessment(checks), at: Fixtures.time)
            #expect(verdict.remedy == remedy)
        }
        let annotated = CheckResult.annotated(.third, Objection(code: "heavy"))
        #expect(try await ledger.settle(Fixtures.assessment([light, annotated]), at: Fixtures.time).remedy == .retry)
    }

    @Test("Remedies are declared in the order of their demands on the client")
    func order() {
        #expect(Remedy.allCases.sorted() == Remedy.allCases)
        #expect(
            Remedy.allCases.map(\.rawValue) == [
                "retry", "new-challenge", "new-attestation", "update-app", "update-system", "contact-support", "none",
            ])
    }

    @Test(
        "A refusal by the ledger rejects, and fails exactly the refused checks",
        arguments: [
            ([.keyUnknown, nil], [CheckID.challenge]), ([nil, .keyUnknown], [.counter]),
            ([.keyUnknown, .challengeUnknown], [.challenge, .counter]),
        ] as [([LedgerRefusal?], [CheckID])])
    func refusals(decisions: [LedgerRefusal?], failed: [CheckID]) async throws {
        let verdict = try await FakeLedger { _ in .success(decisions) }.settle(
            Fixtures.assessment(
                [.passed(.first)], ledgerChecks: [.challenge, .counter], effects: [.challenge, .counter]),
            at: Fixtures.time)
        #expect(verdict.outcome == .reject)
        #expect(verdict.failed == failed)
    }

    @Test(
        "An assessment that leaves a ledger check undecided, or ran no check, is an outage and is not committed",
        arguments: [
            ([CheckResult.passed(.first)], [CheckID.counter], []), ([.passed(.first)], [], [.counter]),
            ([.passed(.first)], [.challenge, .counter], [.counter, .challenge]),
            ([.passed(.first)], [.challenge, .counter], [.challenge]),
            ([.passed(.first)], [.challenge, .counter], [.challenge, .counter, .challenge]), ([], [], []),
            ([], [.counter], [.counter]),
        ] as [([CheckResult], [CheckID], [CheckID])])
    func openChecks(checks: [CheckResult], ledgerChecks: [CheckID], effects: [CheckID]) async throws {
        let ledger = FakeLedger()
        let error = await #expect(throws: LedgerOutage.self) {
            try await ledger.settle(
                Fixtures.assessment(checks, ledgerChecks: ledgerChecks, effects: effects), at: Fixtures.time)
        }
        #expect(error?.code == .internalError)
        #expect(ledger.commits == 0)
    }

    @Test("Several effects of one check give one result: the first refusal")
    func severalEffects() async throws {
        let table: [(decisions: [LedgerRefusal?], code: String?)] = [
            ([nil, nil, nil], nil), ([nil, .keyUnknown, nil], "key-unknown"), ([.keyUnknown, nil, nil], "key-unknown"),
            ([.challengeUnknown, .keyUnknown, nil], "challenge-unknown"),
        ]
        for (decisions, code) in table {
            let verdict = try await FakeLedger { _ in .success(decisions) }.settle(
                Fixtures.assessment(
                    [.passed(.first)], ledgerChecks: [.challenge, .counter],
                    effects: [.challenge, .challenge, .counter]),
                at: Fixtures.time)
            #expect(verdict.checks.map(\.check) == [.first, .challenge, .counter])
            #expect(verdict.outcome == (code == nil ? .accept : .reject))
            #expect(verdict.failed == (code == nil ? [] : [.challenge]))
            #expect(verdict.checks[1].finding?.code == code)
        }
    }

    @Test("The use of a key confirms a check: a refusal replaces its result, and otherwise the result stays")
    func confirmed() async throws {
        let table: [(decisions: [LedgerRefusal?], checks: [String])] = [
            ([nil, nil, nil], ["first passed", "second annotated", "counter passed"]),
            ([nil, .keyUnknown, nil], ["first failed", "second annotated", "counter passed"]),
            ([nil, nil, .keyUnknown], ["first passed", "second failed", "counter passed"]),
            ([.keyUnknown, nil, .keyUnknown], ["first passed", "second failed", "counter failed"]),
        ]
        for (decisions, checks) in table {
            let verdict = try await FakeLedger { _ in .success(decisions) }.settle(
                Fixtures.assessment(
                    [.passed(.first), .annotated(.second, Objection())], ledgerChecks: [.counter], effects: [.counter],
                    uses: [.first, .second]),
                at: Fixtures.time)
            #expect(outline(verdict.checks) == checks)
            #expect(verdict.outcome == (checks.contains { $0.hasSuffix("failed") } ? .reject : .accept))
        }
        // A check that the assessment did not decide cannot be confirmed.
        let open = await #expect(throws: LedgerOutage.self) {
            try await FakeLedger().settle(Fixtures.assessment([.passed(.first)], uses: [.third]), at: Fixtures.time)
        }
        #expect(open?.code == .internalError)
    }

    @Test(
        "Too few or too many decisions of a ledger are an outage",
        arguments: [[], [nil], [nil, nil, nil], [.keyUnknown]] as [[LedgerRefusal?]])
    func wrongCount(decisions: [LedgerRefusal?]) async throws {
        let error = await #expect(throws: LedgerOutage.self) {
            try await FakeLedger { _ in .success(decisions) }.settle(
                Fixtures.assessment(
                    [.passed(.first)], ledgerChecks: [.challenge, .counter], effects: [.challenge, .counter]),
                at: Fixtures.time)
        }
        #expect(error?.message == "the ledger decided \(decisions.count) of 2 effects")
    }

    @Test("Without an app, no evidence is accepted")
    func withoutApp() async throws {
        let ledger = FakeLedger()
        let error = await #expect(throws: LedgerOutage.self) {
            try await ledger.settle(Fixtures.assessment([.passed(.first)], app: nil), at: Fixtures.time)
        }
        #expect(error?.code == .internalError)
        let verdict = try await ledger.settle(
            Fixtures.assessment([.failed(.first, Objection())], app: nil), at: Fixtures.time)
        #expect(verdict.app == nil)
        #expect(verdict.outcome == .reject)
    }

    @Test("An outage of the ledger is thrown unchanged")
    func outage() async throws {
        let outage = LedgerOutage(.full, "no space")
        await #expect(throws: outage) {
            try await FakeLedger { _ in .failure(outage) }.settle(
                Fixtures.assessment([.passed(.first)], ledgerChecks: [.counter], effects: [.counter]), at: Fixtures.time
            )
        }
    }
}
