import AssayCore
import Foundation
import Testing

/// Only a commit makes an accepting verdict.
@Suite("From an assessment to a verdict")
struct SettleTests {
    private static let now = Date(timeIntervalSince1970: 1_776_795_192)
    private static let check = CheckID("test.signature")
    private static let ledgerCheck = CheckID("test.challenge")
    private static let kind = EvidenceKind("test.evidence")
    private static let challenge = Challenge(
        value: [1, 2, 3], app: "shop", purpose: ChallengePurpose(kind), issuedAt: now, expiresAt: now + 60)

    private static func assessment(
        _ checks: [CheckResult], undecided: [CheckID] = [ledgerCheck], value: [UInt8]? = challenge.value
    ) -> Assessment {
        let effect = value.map {
            LedgerEffect(
                ledgerCheck, .consumeChallenge(value: $0, app: "shop", purpose: ChallengePurpose(kind)))
        }
        return Assessment(
            kind: kind, app: "shop", checks: checks, undecided: undecided, effects: effect.map { [$0] } ?? [],
            subject: nil, testAuthority: nil)
    }

    private func ledger() async throws -> MemoryLedger {
        let ledger = MemoryLedger()
        try await ledger.issue(Self.challenge, at: Self.now)
        return ledger
    }

    @Test("What the ledger applies is accepted, and once")
    func accepts() async throws {
        let ledger = try await ledger()
        let assessment = Self.assessment([.passed(Self.check)])
        let verdict = try await ledger.settle(assessment, at: Self.now)
        #expect(verdict.outcome == .accept)
        #expect(verdict.checks.map(\.check) == [Self.check, Self.ledgerCheck])
        let second = try await ledger.settle(assessment, at: Self.now)
        #expect(second.outcome == .reject)
        #expect(second.failed == [Self.ledgerCheck])
    }

    @Test("A failed check rejects, drops the effects, and leaves the challenge to be used")
    func rejects() async throws {
        let ledger = try await ledger()
        let assessment = Self.assessment([.failed(Self.check, Finding("wrong", "it is wrong"))])
        #expect(assessment.effects.isEmpty)
        let verdict = try await ledger.settle(assessment, at: Self.now)
        #expect(verdict.failed == [Self.check])
        #expect(verdict.checks.last?.because == .check(Self.check))
        #expect(try await ledger.summary(at: Self.now).openChallenges == 1)
    }

    @Test("An annotated check does not reject")
    func annotates() async throws {
        let assessment = Self.assessment([.annotated(Self.check, Finding("odd", "it is odd"))])
        let verdict = try await ledger().settle(assessment, at: Self.now)
        #expect(verdict.outcome == .accept)
        #expect(verdict.annotated == [Self.check])
    }

    @Test(
        "An assessment that leaves something open is an outage, and never an acceptance",
        arguments: [
            Self.assessment([]), Self.assessment([.passed(check)], value: nil),
            Self.assessment([.passed(check)], undecided: []),
            Self.assessment([.passed(check)], undecided: [ledgerCheck, CheckID("test.counter")]),
        ])
    func incomplete(_ assessment: Assessment) async throws {
        let ledger = try await ledger()
        await #expect(throws: LedgerOutage.self) { _ = try await ledger.settle(assessment, at: Self.now) }
        #expect(try await ledger.summary(at: Self.now).openChallenges == 1)
    }

    @Test(
        "An expectation names no failed check, the first, or all of them",
        arguments: [
            ([], true), (["*"], true), (["test.first"], true), (["test.second"], false),
            (["test.first", "test.second"], true), (["*", "test.second"], true),
            (["test.second", "test.first"], false), (["test.first", "test.second", "test.third"], false),
        ] as [([String], Bool)])
    func expectations(_ failed: [String], _ isMet: Bool) async throws {
        let finding = Finding("wrong", "it is wrong")
        let assessment = Self.assessment(["first", "second"].map { .failed(CheckID("test.\($0)"), finding) })
        let verdict = try await ledger().settle(assessment, at: Self.now)
        #expect(EvidenceRecord.Expectation(outcome: .reject, failed: failed).isMet(by: verdict) == isMet)
        #expect(!EvidenceRecord.Expectation(outcome: .accept, failed: failed).isMet(by: verdict))
    }
}
