import AssayCore
import AssayLedgerSQLite
import Foundation

/// Endless rounds in which several processes contend. The counter of key 0 is the number of the round. In each round
/// one process may advance that counter, use the round's digest, enrol its key, issue its challenge and consume it.
///
/// Prints `ack` with the kind and the round for each acknowledged commit, `back` for a counter that decreased, and
/// `outage` with its code.
struct Contention {
    private enum Thing: String { case counter, digest, key, issued, consumed }

    let ledger: SQLiteLedger

    func run(tasks: Int) async throws -> String {
        _ = try await ledger.commit([Stress.enrol(0)], at: Stress.now)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var last: UInt32 = 0
                    while true {
                        do {
                            last = try await round(after: last)
                        } catch let outage as LedgerOutage {
                            LedgerStress.say("outage \(outage.code)")
                        } catch {
                            LedgerStress.say("error \(error)")
                        }
                    }
                }
            }
        }
        return "done"
    }

    /// Takes part in the round of the current counter and returns that counter.
    private func round(after last: UInt32) async throws -> UInt32 {
        let round = try await ledger.enrolledKey(Stress.identifier(0))?.counter ?? 0
        if round < last { LedgerStress.say("back \(last) \(round)") }
        if try await isIssued(round) { say(.issued, round) }
        try await claim(.key, round, [Stress.enrol(1_000_000 + round)])
        try await claim(.digest, round, [Stress.remember(round)])
        // Two effects in one commit: the ledger must apply both or neither.
        try await claim(.consumed, round, [Stress.consume(round), Stress.remember(2_000_000_000 + round)])
        try await claim(.counter, round + 1, [Stress.advance(0, round + 1)])
        return round
    }

    private func isIssued(_ round: UInt32) async throws -> Bool {
        do {
            try await ledger.issue(Stress.challenge(round), at: Stress.now)
            return true
        } catch {
            // Another process won.
            guard error.code == .internalError else { throw error }
            return false
        }
    }

    private func claim(_ thing: Thing, _ round: UInt32, _ effects: [LedgerEffect]) async throws {
        if try await ledger.commit(effects, at: Stress.now).isApplied { say(thing, round) }
    }

    private func say(_ thing: Thing, _ round: UInt32) {
        LedgerStress.say("ack \(thing.rawValue) \(round)")
    }
}

extension Stress {
    private static let end = now + 1_000_000_000

    static func challenge(_ seed: UInt32) -> IssuedChallenge {
        IssuedChallenge(
            value: identifier(seed).value, app: "shop-ios",
            purpose: ChallengePurpose(EvidenceKind("app-attest.assertion")), issuedAt: now, expiresAt: end)
    }

    static func consume(_ seed: UInt32) -> LedgerEffect {
        let challenge = challenge(seed)
        return LedgerEffect(
            check, .consumeChallenge(value: challenge.value, app: challenge.app, purpose: challenge.purpose))
    }

    static func remember(_ seed: UInt32) -> LedgerEffect {
        LedgerEffect(
            check,
            .rememberDigest(
                UsedDigest(
                    digest: identifier(seed).value, app: "shop-ios", kind: EvidenceKind("approov.message"), madeAt: now,
                    usedAt: now, until: end)))
    }
}
