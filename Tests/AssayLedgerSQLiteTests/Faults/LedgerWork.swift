import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation

/// A small workload that uses every feature of a ledger, and records the acknowledged steps.
struct LedgerWork {
    /// The steps in order.
    enum Step: CaseIterable {
        case open, issueFirst, issueSecond, enrol, advance, block, rememberOld, remember, seal, advanceBoth, replay
        case read, forget, endBlock, allow, unseal, advanceLast, lookForDamage
    }

    /// The outcome of a step.
    enum Outcome: Equatable {
        case acknowledged
        case refused
        case outage(OutageCode)
    }

    static let now = Date(timeIntervalSince1970: 1_600_000_000)
    static let device = LedgerSubject(.device, "a device")
    static let account = LedgerSubject(.account, "an account")
    static let secret = "a secret that is sealed"
    static let counters: [(step: Step, counter: UInt32)] = [(.advance, 1), (.advanceBoth, 2), (.advanceLast, 5)]

    private(set) var outcomes: [Step: Outcome] = [:]
    /// Errors other than outages.
    private(set) var surprises: [String] = []
    /// The messages of the outages.
    private(set) var messages: Set<String> = []

    func isAcknowledged(_ step: Step) -> Bool { outcomes[step] == .acknowledged }

    /// Whether the step may have taken effect: it was acknowledged, or its answer was lost.
    func isPossible(_ step: Step) -> Bool {
        switch outcomes[step] {
        case .acknowledged, .outage: true
        case .refused, nil: false
        }
    }

    /// Performs all steps, each independent of the outcome of the others.
    ///
    /// - Parameter beforeClosing: called while the ledger is open.
    mutating func run(path: String, beforeClosing: () -> Void) async {
        var ledger: SQLiteLedger?
        await note(.open) {
            ledger = try SQLiteLedger.open(path: path, busyTimeout: .milliseconds(4))
            // Otherwise there would be no checkpoint before the file is closed.
            try? ledger?.executeOnWriter("PRAGMA wal_autocheckpoint = 6")
            return true
        }
        if let ledger {
            do {
                try await work(ledger)
            } catch {
                surprises.append("\(error)")
            }
        }
        beforeClosing()
        do { try await ledger?.close() } catch { messages.insert(error.message) }
    }

    private mutating func work(_ ledger: SQLiteLedger) async throws {
        let store = try SealedKeyFixture.store(on: ledger)
        let now = Self.now
        func commit(_ effects: [LedgerEffect], after seconds: Double) async throws -> Bool {
            try await ledger.commit(effects, at: now + seconds).isApplied
        }
        await note(.issueFirst) {
            try await ledger.issue(Self.challenge(1), at: now)
            return true
        }
        await note(.issueSecond) {
            try await ledger.issue(Self.challenge(2), at: now)
            return true
        }
        await note(.enrol) { try await commit([Self.consume(1), Fixture.enrol(1)], after: 1) }
        await note(.advance) { try await commit([Fixture.advance(1, 1)], after: 2) }
        await note(.block) {
            try await ledger.block(LedgerBlock(subject: Self.device, reason: "fraud", since: now, until: nil))
            return true
        }
        await note(.rememberOld) { try await commit([Self.remember(1, until: now + 60)], after: 3) }
        await note(.remember) { try await commit([Self.remember(2, until: now + 100_000)], after: 3) }
        await note(.seal) {
            try await store.add("one", for: TestSecret.purpose, parts: TestSecret.parts(Self.secret), at: now)
            return true
        }
        await note(.advanceBoth) { try await commit([Self.consume(2), Fixture.advance(1, 2)], after: 4) }
        await note(.replay) { try await commit([Self.consume(1), Fixture.advance(1, 3)], after: 5) }
        await note(.read) {
            _ = try await ledger.enrolledKey(Fixture.identifier(1))
            _ = try await ledger.standings(of: [Self.device], at: now)
            _ = try await store.keys(for: TestSecret.purpose)
            try await ledger.export { _ in }
            return true
        }
        // Long after the end of the first digest, so that it is purged.
        await note(.forget) { try await commit([Self.remember(3, until: now + 100_000)], after: 10_000) }
        await note(.endBlock) {
            try await ledger.removeStanding(of: Self.device, by: "ops", at: now) != nil
        }
        await note(.allow) {
            try await ledger.allow(
                LedgerAllowance(
                    subject: Self.account, checks: [CheckID("approov.token.annotations")], reason: "a test", since: now,
                    until: nil))
            return true
        }
        await note(.unseal) {
            do {
                try await ledger.removeSealedKey("one", at: Date(timeIntervalSince1970: 1_776_795_192))
                return true
            } catch KeyStoreFailure.refusal(.unknownName(_)) {
                return false
            }
        }
        await note(.advanceLast) { try await commit([Fixture.advance(1, 5)], after: 10_001) }
        await note(.lookForDamage) {
            let problems = try await ledger.check(Verifier.problem(withKey:))
            if !problems.isEmpty { throw StrangeLedger(description: "\(problems)") }
            return true
        }
    }

    private struct StrangeLedger: Error, CustomStringConvertible {
        let description: String
    }

    private mutating func note(_ step: Step, _ body: () async throws -> Bool) async {
        do {
            outcomes[step] = try await body() ? .acknowledged : .refused
        } catch let outage as LedgerOutage {
            note(step, outage.code, outage.message)
        } catch let outage as KeyStoreOutage {
            note(step, outage.code, outage.message)
        } catch KeyStoreFailure.outage(let outage) {
            note(step, outage.code, outage.message)
        } catch {
            surprises.append("\(step): \(error)")
        }
    }

    private mutating func note(_ step: Step, _ code: OutageCode, _ message: String) {
        outcomes[step] = .outage(code)
        messages.insert(message)
    }

    static func challenge(_ seed: UInt32) -> IssuedChallenge {
        IssuedChallenge(
            value: Fixture.identifier(seed).value, app: "shop-ios",
            purpose: ChallengePurpose(EvidenceKind("app-attest.assertion")), issuedAt: now, expiresAt: now + 100_000)
    }

    static func consume(_ seed: UInt32) -> LedgerEffect {
        let challenge = challenge(seed)
        return LedgerEffect(
            Fixture.check,
            .consumeChallenge(value: challenge.value, app: challenge.app, purpose: challenge.purpose))
    }

    static func remember(_ seed: UInt32, until: Date) -> LedgerEffect {
        LedgerEffect(
            Fixture.check,
            .rememberDigest(
                UsedDigest(
                    digest: Fixture.identifier(seed).value, app: "shop-ios", kind: EvidenceKind("approov.message"),
                    madeAt: now, usedAt: now, until: until)))
    }
}
