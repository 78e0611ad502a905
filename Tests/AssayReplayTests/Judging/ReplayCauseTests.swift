import Assay
import AssayCore
import AssayReplay
import Foundation
import Testing

/// Which record and which check cost an acceptance, and how many devices and accounts it concerns.
@Suite("Causes of changed outcomes")
struct ReplayCauseTests {
    private static let age = "app-attest.attestation.certificate-age"
    private static let key = "app-attest.assertion.key"

    /// Two devices that enrol, and their requests. Certificates begin a day before they are issued.
    private static func lines() throws -> [String] {
        try [
            ReplayCorpus.attestation("a", of: "caused-1", account: "alice"),
            ReplayCorpus.assertion("b", of: "caused-1", counter: 1),
            ReplayCorpus.attestation("c", of: "caused-2", challenge: "other", account: "bob"),
            ReplayCorpus.assertion("d", of: "caused-1", counter: 2),
            ReplayCorpus.assertion("e", of: "caused-2", counter: 1),
        ]
    }

    /// Refuses all attestations of the corpus, and nothing else.
    private static func strict() throws -> VerificationPolicy {
        try ReplayCorpus.policy(extra: "maximumCertificateAge: 23h")
    }

    private static func anew() -> ReplayOptions {
        var options = ReplayOptions()
        options.keepsEnrolledKeys = false
        return options
    }

    @Test(
        "Keys that were enrolled before are kept, though the second policy refuses their attestations",
        arguments: [1, 3])
    func kept(jobs: Int) async throws {
        for batchSize in [1, 2, 100] {
            let outcome = try await ReplayCorpus.replay(
                Self.lines(), ReplayPolicies(ReplayCorpus.policy(), against: Self.strict()), jobs: jobs,
                batchSize: batchSize)
            #expect(outcome.words == Array(repeating: "accept", count: 5))
            #expect(outcome.wordsAgainst == [Self.age, "accept", Self.age, "accept", "accept"])
            #expect(outcome.statistics.presumptionsAgainst?.keptKeys == 2)
            #expect(outcome.statistics.presumptions.keptKeys == 0)
            let changes = ReplaySummary(outcome.records).changes
            #expect(changes.causes.map(\.check) == [Self.age])
            #expect(changes.lost.records == 2 && changes.lost.consequences == 0)
            #expect(changes.lost.devices == 2 && changes.lost.accounts == 2)
        }
    }

    @Test(
        "A request that falls because its attestation was refused counts under that attestation's check",
        arguments: [1, 3])
    func consequences(jobs: Int) async throws {
        for batchSize in [1, 2, 100] {
            let outcome = try await ReplayCorpus.replay(
                Self.lines(), ReplayPolicies(ReplayCorpus.policy(), against: Self.strict()), Self.anew(), jobs: jobs,
                batchSize: batchSize)
            #expect(outcome.wordsAgainst == [Self.age, Self.key, Self.age, Self.key, Self.key])
            let causes = outcome.records.map(\.cause)
            #expect(causes.map { $0?.root.id } == ["a", "a", "c", "a", "c"])
            #expect(causes.map { $0?.isConsequence } == [false, true, false, true, true])
            #expect(causes.allSatisfy { $0?.root.check == Self.age && $0?.isLoss == true })
            let changes = ReplaySummary(outcome.records).changes
            #expect(changes.causes.map(\.check) == [Self.age])
            #expect(changes.lost.records == 5 && changes.lost.consequences == 3)
            #expect(changes.lost.devices == 2 && changes.lost.accounts == 2 && changes.lost.unnamed == 0)
            #expect(changes.gained.records == 0)
        }
    }

    @Test("A request of an unknown key, and one that fails for its own sake, is no consequence")
    func own() async throws {
        let against = try ReplayCorpus.policy(extra: "maximumCertificateAge: 23h\n      counter: successor")
        let lines =
            try Self.lines() + [
                ReplayCorpus.assertion("f", of: "caused-1", counter: 9),
                ReplayCorpus.assertion("g", of: "caused-3", counter: 1, supplied: 0),
            ]
        let kept = try await ReplayCorpus.replay(lines, ReplayPolicies(ReplayCorpus.policy(), against: against))
        #expect(kept.wordsAgainst.suffix(2) == ["app-attest.assertion.counter", "accept"])
        let last = try #require(kept.records.dropLast().last?.cause)
        #expect(last.root.id == "f" && last.root.check == "app-attest.assertion.counter" && !last.isConsequence)
        let anew = try await ReplayCorpus.replay(
            lines, ReplayPolicies(ReplayCorpus.policy(), against: against), Self.anew())
        #expect(anew.records.dropLast().last?.cause?.root.id == "a")
        #expect(anew.records.last?.cause == nil)
    }

    @Test("A key whose second attestation is accepted is enrolled by it")
    func second() async throws {
        let lines = try [
            ReplayCorpus.attestation("a", of: "twice"),
            ReplayCorpus.attestation("b", of: "twice", challenge: "again", at: -7200),
            ReplayCorpus.assertion("c", of: "twice", counter: 1),
        ]
        let base = try ReplayCorpus.policy(extra: "reattestation: refresh")
        let against = try ReplayCorpus.policy(extra: "reattestation: refresh\n      maximumCertificateAge: 23h")
        let outcome = try await ReplayCorpus.replay(lines, ReplayPolicies(base, against: against), Self.anew())
        #expect(outcome.wordsAgainst == [Self.age, "accept", "accept"])
    }

    @Test("What only the second policy accepts has its cause under the first")
    func gained() async throws {
        let outcome = try await ReplayCorpus.replay(
            Self.lines(), ReplayPolicies(Self.strict(), against: ReplayCorpus.policy()))
        #expect(outcome.words == [Self.age, Self.key, Self.age, Self.key, Self.key])
        let summary = ReplaySummary(outcome.records)
        let cause = try #require(summary.changes.causes.first)
        #expect(cause.check == Self.age && !cause.isLoss && summary.changes.causes.count == 1)
        #expect(summary.changes.gained.records == 5 && summary.changes.gained.consequences == 3)
        #expect(summary.changes.gained.devices == 2 && summary.changes.lost.records == 0)
    }

    @Test("The keys of a ledger are kept as well, unless every device enrols anew")
    func ledger() async throws {
        let (base, policy) = (MemoryLedger(), try ReplayCorpus.policy())
        let attestation = try ReplayCorpus.attestation("a", of: "in-ledger")
        let record = try RecordFile.readLine(Array(attestation.utf8)[...]).get()
        #expect(
            try await Verifier(policy: policy, ledger: base).verify(record, at: ReplayCorpus.time).outcome == .accept)
        let lines = [try ReplayCorpus.assertion("b", of: "in-ledger", counter: 7)]
        for keeps in [true, false] {
            var options = ReplayOptions()
            options.baseLedger = base
            options.keepsEnrolledKeys = keeps
            let outcome = try await ReplayCorpus.replay(lines, ReplayPolicies(policy, against: policy), options)
            #expect(outcome.words == ["accept"])
            #expect(outcome.wordsAgainst == [keeps ? "accept" : Self.key])
            #expect(outcome.records.first?.cause?.isConsequence == (keeps ? nil : false))
        }
    }

    @Test("A changed record is a line of JSON with both outcomes and the cause, and any other is none")
    func json() async throws {
        let lines = try Self.lines() + [ReplayCorpus.assertion("f", of: "caused-1", counter: 2)]
        let outcome = try await ReplayCorpus.replay(
            lines, ReplayPolicies(ReplayCorpus.policy(), against: Self.strict()), Self.anew())
        var written = ReplayLines()
        for record in outcome.records { written.addChange(record) }
        let texts = String(decoding: written.bytes, as: UTF8.self).split(separator: "\n")
        #expect(texts.count == 5)
        let line = try #require(texts.dropFirst().first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["id"] as? String == "b" && object["line"] as? Int == 2)
        #expect(object["outcome"] as? String == "accept" && object["failed"] as? [String] == [])
        let against = try #require(object["against"] as? [String: Any])
        #expect(against["outcome"] as? String == "reject" && against["failed"] as? [String] == [Self.key])
        let cause = try #require(object["cause"] as? [String: Any])
        #expect(cause["check"] as? String == Self.age && cause["consequence"] as? Bool == true)
        #expect(cause["id"] as? String == "a" && cause["line"] as? Int == 1)
    }
}
