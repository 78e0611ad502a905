import AssayCore
import Foundation
import Testing

/// What the ledger decides by, and how it says so.
@Suite("Vocabulary of the ledger")
struct LedgerVocabularyTests {
    @Test(
        "A counter advances strictly, or by exactly one, and never around its end",
        arguments: [
            (0, 0, false, false), (0, 1, true, true), (0, 2, true, false), (5, 4, false, false), (5, 5, false, false),
            (5, 6, true, true), (.max - 1, .max, true, true), (.max, .max, false, false), (.max, 0, false, false),
            (0, .max, true, false),
        ] as [(UInt32, UInt32, Bool, Bool)])
    func counters(stored: UInt32, presented: UInt32, increasing: Bool, successor: Bool) {
        func isAllowed(_ rule: CounterAdvance.Rule) -> Bool {
            CounterAdvance(
                key: KeyIdentifier(engine: "e", value: [1]), app: "a", counter: presented, rule: rule
            ).isAllowed(from: stored)
        }
        #expect(isAllowed(.increasing) == increasing)
        #expect(isAllowed(.successor) == successor)
    }

    @Test("A block is in force until its end, and without one for ever")
    func blocks() {
        let subject = LedgerSubject(.device, "d1")
        let block = Block(
            subject: subject, reason: "fraud", since: Fixtures.time, until: Fixtures.time.addingTimeInterval(60))
        #expect(block.isInForce(at: Fixtures.time.addingTimeInterval(59.999)))
        #expect(!block.isInForce(at: Fixtures.time.addingTimeInterval(60)))
        #expect(
            block.sentence
                == "the device has been blocked since 2026-04-21T18:13:12Z until 2026-04-21T18:14:12Z: fraud")
        let endless = Block(subject: subject, reason: "fraud", since: Fixtures.time, until: nil)
        #expect(endless.isInForce(at: .distantFuture))
        #expect(endless.sentence == "the device has been blocked since 2026-04-21T18:13:12Z: fraud")
        #expect(subject.description == "device d1")
    }

    @Test(
        "Every refusal has a code of its own and a sentence with what it knows",
        arguments: [
            (.challengeUnknown, "challenge-unknown", "issued no such challenge"),
            (
                .challengeMismatch(app: "other", purpose: ChallengePurpose(EvidenceKind("k"))), "challenge-mismatch",
                "app other and purpose k"
            ),
            (.challengeExpired(Fixtures.time), "challenge-expired", "at 2026-04-21T18:13:12Z"),
            (.challengeConsumed(Fixtures.time), "challenge-consumed", "at 2026-04-21T18:13:12Z"),
            (.keyEnrolled(Fixtures.time), "key-enrolled", "at 2026-04-21T18:13:12Z"),
            (.keyUnknown, "key-unknown", "no such key"),
            (.keyOfAnotherApp("other"), "key-of-another-app", "app other"),
            (
                .counterNotIncreasing(presented: 3, stored: 4), "counter-not-increasing",
                "counter 3 is not greater than the stored 4"
            ),
            (
                .counterNotSuccessor(presented: 6, stored: 4), "counter-not-successor",
                "counter 6 is not the successor of the stored 4"
            ),
            (.digestUsed(Fixtures.time), "digest-used", "at 2026-04-21T18:13:12Z"),
            (
                .blocked(Block(subject: LedgerSubject(.key, "k"), reason: "stolen", since: Fixtures.time, until: nil)),
                "blocked", "blocked since 2026-04-21T18:13:12Z: stolen"
            ),
        ] as [(LedgerRefusal, String, String)])
    func refusals(refusal: LedgerRefusal, code: String, words: String) {
        #expect(refusal.code == code)
        #expect(refusal.detail.contains(words))
    }

    @Test("An outcome is applied when nothing was refused")
    func outcomes() {
        #expect(CommitOutcome(decisions: [nil, nil]).isApplied)
        #expect(!CommitOutcome(decisions: [nil, .keyUnknown]).isApplied)
    }
}
