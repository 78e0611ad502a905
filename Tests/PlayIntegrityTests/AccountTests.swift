import Assay
import AssayCore
import AssayTestSupport
import Foundation
import PlayIntegrity
import Testing

@Suite("Accounts of Play Integrity evidence")
struct AccountTests {
    @Test(
        "A blocked account fails only the account check, for classic and standard evidence",
        .produces("play-integrity.account", "account-blocked"))
    func blocked() async throws {
        for (account, isBlocked) in [("alice", true), ("bob", false), (nil, false)] as [(String?, Bool)] {
            // A new ledger for each: a standard token is accepted once.
            let ledger = MemoryLedger()
            let verifier = try Fixtures.verifier(Fixtures.configuration(), ledger: ledger)
            try await ledger.block(
                LedgerBlock(
                    subject: LedgerSubject(.account, "alice"), reason: "fraud", since: Fixtures.now, until: nil))
            for verdict in [
                try await verifier.verify(
                    Fixtures.classic(), account: account, at: Fixtures.now),
                try await verifier.verify(
                    Fixtures.answer(Fixtures.standard), account: account, at: Fixtures.now),
            ] {
                #expect(
                    verdict.failed == (isBlocked ? [CheckID.playIntegrityAccount] : []), "\(account ?? "no account")")
                let finding = verdict.checks.first { $0.status == .failed }?.finding
                #expect(finding?.code == (isBlocked ? "account-blocked" : nil))
                #expect(finding?.detail.contains("fraud") ?? !isBlocked)
            }
        }
    }
}
