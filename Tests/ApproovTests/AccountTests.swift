import Approov
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Accounts of Approov evidence")
struct AccountTests {
    private func judge(
        _ account: String?, _ ledger: any Ledger, annotations: [String] = []
    ) async throws -> Verdict {
        var settings = TokenFixtures.lenient
        settings.annotations = AnnotationRules(reject: ["rooted"])
        var claims = TokenFixtures.claims
        claims["anno"] = .array(annotations.map { .text($0) })
        return try await TokenFixtures.verifier(settings, ledger: ledger).verify(
            ApproovTokenInput(token: TokenFixtures.token(claims)), account: account, at: TokenFixtures.now)
    }

    @Test(
        "A blocked account fails only the account check, for any device",
        .produces("approov.token.account", "account-blocked"))
    func blocked() async throws {
        let ledger = MemoryLedger()
        try await ledger.block(
            LedgerBlock(
                subject: LedgerSubject(.account, "alice"), reason: "fraud", since: TokenFixtures.now, until: nil))
        let verdict = try await judge("alice", ledger)
        #expect(verdict.failed == [CheckID.approovTokenAccount])
        #expect(verdict.tokenCode(CheckID.approovTokenAccount) == "account-blocked")
        #expect(try await judge("Alice", ledger).failed == [])
        #expect(try await judge(nil, ledger).failed == [])
    }

    @Test("An allowance of an account excuses the checks that it names")
    func allowed() async throws {
        let ledger = MemoryLedger()
        func allow(_ check: CheckID) async throws {
            try await ledger.allow(
                LedgerAllowance(
                    subject: LedgerSubject(.account, "alice"), checks: [check], reason: "pen test",
                    since: TokenFixtures.now, until: nil))
        }
        try await allow(CheckID.approovTokenAnnotations)
        let excused = try await judge("alice", ledger, annotations: ["rooted"])
        #expect(excused.outcome == .accept && excused.annotated == [CheckID.approovTokenAnnotations])
        #expect(try await judge("bob", ledger, annotations: ["rooted"]).failed == [CheckID.approovTokenAnnotations])
        try await allow(CheckID.approovTokenIssuer)
        #expect(try await judge("alice", ledger, annotations: ["rooted"]).failed == [CheckID.approovTokenAnnotations])
    }
}
