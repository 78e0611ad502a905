import AssayCore

extension LedgerContract {
    static let challengeCases: [Case] = [
        Case("a challenge is consumed once") { ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.apply(Sample.consume(), at: Sample.later(1))
            try await ledger.refuse(Sample.consume(), .challengeConsumed(Sample.later(1)), at: Sample.later(2))
        },
        Case("a challenge that was not issued is unknown") { ledger in
            try await ledger.issue(Sample.challenge(1), at: Sample.now)
            try await ledger.refuse(Sample.consume(2), .challengeUnknown)
        },
        Case("a challenge serves the app and the purpose that it was issued for") { ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            let mismatch = LedgerRefusal.challengeMismatch(app: Sample.app, purpose: Sample.purpose)
            try await ledger.refuse(Sample.consume(app: "other"), mismatch)
            let attestation = ChallengePurpose(EvidenceKind("app-attest.attestation"))
            try await ledger.refuse(Sample.consume(purpose: attestation), mismatch)
            try await ledger.apply(Sample.consume())
        },
        Case("a challenge can be consumed until just before it expires, and not from then on") { ledger in
            try await ledger.issue(Sample.challenge(1), at: Sample.now)
            try await ledger.issue(Sample.challenge(2), at: Sample.now)
            try await ledger.apply(Sample.consume(1), at: Sample.later(299.5))
            for late in [300.0, 300.5] {
                try await ledger.refuse(
                    Sample.consume(2), .challengeExpired(Sample.later(300)), at: Sample.later(late))
            }
        },
        Case("a consumed challenge is remembered until it expires") { ledger in
            try await ledger.issue(Sample.challenge(1), at: Sample.now)
            try await ledger.apply(Sample.consume(1), at: Sample.now)
            // Traffic that may cause the ledger to purge.
            for seed in UInt8(2)...100 {
                try await ledger.issue(Sample.challenge(seed, expiresIn: 1), at: Sample.later(290))
            }
            try await ledger.refuse(Sample.consume(1), .challengeConsumed(Sample.now), at: Sample.later(299))
        },
        Case("a challenge is issued once") { ledger in
            try await ledger.issue(Sample.challenge(), at: Sample.now)
            try await ledger.apply(Sample.consume())
            var isIssuedAgain = true
            do {
                try await ledger.issue(Sample.challenge(), at: Sample.later(1))
            } catch {
                isIssuedAgain = false
            }
            try expect(!isIssuedAgain, "a challenge of the same value was issued again")
            try await ledger.refuse(Sample.consume(), .challengeConsumed(Sample.now), at: Sample.later(2))
        },
        Case("challenges of any length are distinct") { ledger in
            for value in [[0], [0, 0], [], [UInt8](repeating: 0, count: 4096)] as [[UInt8]] {
                let challenge = IssuedChallenge(
                    value: value, app: Sample.app, purpose: Sample.purpose, issuedAt: Sample.now,
                    expiresAt: Sample.later(9))
                try await ledger.issue(challenge, at: Sample.now)
                let effect = LedgerEffect(
                    Sample.check, .consumeChallenge(value: value, app: Sample.app, purpose: Sample.purpose))
                try await ledger.apply(effect)
                try await ledger.refuse(effect, .challengeConsumed(Sample.now))
            }
        },
    ]

    static let digestCases: [Case] = [
        Case("a digest is used once inside its window") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            for seconds in [0, 299.5] {
                let now = Sample.later(seconds)
                try await ledger.refuse(
                    Sample.remember(Sample.digest(usedAt: now)), .digestUsed(Sample.now), at: now)
            }
            try await ledger.apply(Sample.remember(Sample.digest(2)))
        },
        Case("a digest that was used is refused past its window as well, also for a longer one") { ledger in
            try await ledger.apply(Sample.remember(Sample.digest()))
            let again = Sample.later(301)
            try await ledger.refuse(
                Sample.remember(Sample.digest(usedAt: again, lasting: 600)), .digestUsed(Sample.now), at: again)
        },
    ]
}
