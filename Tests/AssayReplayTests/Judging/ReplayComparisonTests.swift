import Assay
import AssayCore
import AssayReplay
import Foundation
import Testing

/// Two policies in one pass.
@Suite("Comparison of policies")
struct ReplayComparisonTests {
    private static func lines() throws -> [String] {
        try [
            ReplayCorpus.attestation("a", of: "compared"),
            ReplayCorpus.assertion("b", of: "compared", counter: 1),
            ReplayCorpus.assertion("c", of: "compared", counter: 3),
            ReplayCorpus.assertion("d", of: "compared", counter: 4),
        ]
    }

    @Test("Each policy has its own ledger with its own acceptances")
    func sides() async throws {
        let outcome = try await ReplayCorpus.replay(
            Self.lines(),
            ReplayPolicies(ReplayCorpus.policy(), against: ReplayCorpus.policy(extra: "counter: successor")))
        #expect(outcome.words == ["accept", "accept", "accept", "accept"])
        let counter = "app-attest.assertion.counter"
        #expect(outcome.wordsAgainst == ["accept", "accept", counter, counter])
    }

    @Test("A shorter limit on the age of certificates rejects a captured attestation by that check alone")
    func certificateAge() async throws {
        func policy(_ limit: String) throws -> VerificationPolicy {
            try ReplayCorpus.policy(extra: "maximumCertificateAge: \(limit)")
        }
        // Certificates begin a day before they are issued.
        let outcome = try await ReplayCorpus.replay(
            [ReplayCorpus.attestation("a", of: "aged")], ReplayPolicies(policy("2d"), against: policy("23h")))
        #expect(outcome.words == ["accept"])
        #expect(outcome.wordsAgainst == ["app-attest.attestation.certificate-age"])
    }

    @Test("The verdicts of each policy equal those of a replay under it alone")
    func alone() async throws {
        let (policy, stricter) = (try ReplayCorpus.policy(), try ReplayCorpus.policy(extra: "counter: successor"))
        let both = try await ReplayCorpus.replay(Self.lines(), ReplayPolicies(policy, against: stricter))
        let first = try await ReplayCorpus.replay(Self.lines(), ReplayPolicies(policy))
        let second = try await ReplayCorpus.replay(Self.lines(), ReplayPolicies(stricter))
        // Test signatures differ each time, but verdicts do not contain them.
        #expect(both.words == first.words)
        #expect(both.wordsAgainst == second.words)
        let line = try #require(both.lines.split(separator: "\n").last)
        let alone = try #require(first.lines.split(separator: "\n").last).dropLast()
        #expect(line.hasPrefix(alone + ",\"against\":{\"kind\":"))
    }

    @Test("The second policy verifies no signature of assertions, paths and receipts again", arguments: [1, 3])
    func signatures(jobs: Int) async throws {
        let outcome = try await ReplayCorpus.replay(
            Self.lines(), ReplayPolicies(ReplayCorpus.policy(), against: ReplayCorpus.policy()), jobs: jobs,
            batchSize: 100)
        // Each assertion has one signature. The attestation has at least that of its receipt.
        #expect(outcome.statistics.verifiedSignatures >= 4)
        #expect(outcome.statistics.recalledSignatures >= 4)
        let assertions = try await ReplayCorpus.replay(
            (1...20).map { try ReplayCorpus.assertion("s", of: "alone", counter: $0, supplied: 0) },
            ReplayPolicies(ReplayCorpus.policy(), against: ReplayCorpus.policy()), batchSize: 100)
        #expect(assertions.statistics.verifiedSignatures == 20)
        #expect(assertions.statistics.recalledSignatures == 20)
    }

    @Test("Without a comparison no signatures are cached")
    func absent() async throws {
        let outcome = try await ReplayCorpus.replay(Self.lines(), ReplayPolicies(ReplayCorpus.policy()))
        #expect(outcome.statistics.verifiedSignatures == 0)
        #expect(outcome.statistics.presumptionsAgainst == nil)
        #expect(outcome.wordsAgainst == [])
    }
}
