import Assay
import AssayCore
import AssayReplay
import AssayTesting
import Foundation
import Testing

/// With any number of jobs, the results equal those of judging one record after the other.
@Suite("Order of replays")
struct ReplayOrderTests {
    /// Cases that depend on the order: attestations beside and after their assertions, decreasing counters, duplicate
    /// records and challenges, supplied keys, and invalid lines.
    private static func nasty() throws -> [String] {
        var lines: [String] = []
        for round in 0..<4 {
            let (first, second) = ("first-\(round)", "second-\(round)")
            let early = try ReplayCorpus.assertion("early", of: first, counter: 1)
            let attestation = try ReplayCorpus.attestation("attested", of: first, challenge: "shared-\(round)")
            lines += [early, attestation]
            lines += try [1, 2, 4, 3, 5].map { counter in
                try ReplayCorpus.assertion(
                    "counted", of: first, counter: counter, clientData: "data-\(round)-\(counter)")
            }
            lines += [early, attestation, "{", "", "[]", "{\"kind\":\"nothing\",\"evidence\":{}}"]
            lines += [try ReplayCorpus.attestation("attested", of: second, challenge: "shared-\(round)")]
            lines += try [7, 7, 9].map { counter in
                try ReplayCorpus.assertion("supplied", of: "third-\(round)", counter: counter, supplied: 6)
            }
            lines += [
                try ReplayCorpus.attestation("late", of: "third-\(round)", challenge: "late-\(round)"),
                try ReplayCorpus.assertion("second", of: second, counter: 1, clientData: "shared-\(round)"),
            ]
        }
        return lines
    }

    @Test("1, 2 and 7 jobs and any batch size give the same bytes", arguments: ["caller", "ledger"])
    func jobs(challenge: String) async throws {
        let lines = try Self.nasty()
        let policies = try ReplayPolicies(
            ReplayCorpus.policy(challenge: challenge, clientData: challenge == "ledger" ? "raw" : "none"),
            against: ReplayCorpus.policy(extra: "counter: successor"))
        let one = try await ReplayCorpus.replay(lines, policies, jobs: 1, batchSize: 1)
        #expect(one.records.count == lines.count - 4)
        #expect(one.words.contains("accept") && one.words.contains("app-attest.assertion.counter"))
        for jobs in [1, 2, 7] {
            for batchSize in [1, 2, 5, 1000] {
                let other = try await ReplayCorpus.replay(lines, policies, jobs: jobs, batchSize: batchSize)
                // The file name differs each time.
                #expect(other.words == one.words, "\(jobs) jobs, batches of \(batchSize)")
                #expect(other.wordsAgainst == one.wordsAgainst, "\(jobs) jobs, batches of \(batchSize)")
                #expect(Self.withoutFile(other.lines) == Self.withoutFile(one.lines))
                #expect(other.statistics.presumptions == one.statistics.presumptions)
                #expect(other.statistics.presumptionsAgainst == one.statistics.presumptionsAgainst)
            }
        }
    }

    @Test("An assertion is judged by the facts of an earlier attestation, with any number of jobs")
    func refreshed() async throws {
        // A system that attests extensions must have them in its assertions, and this one has none.
        let policies = try ReplayPolicies(
            ReplayCorpus.policy(extra: "reattestation: refresh\n      validationCategories: [appStore]"))
        var lines: [String] = []
        for round in 0..<8 {
            let key = "updated-\(round)"
            lines += try [
                ReplayCorpus.attestation("old", of: key, challenge: "old-\(round)"),
                ReplayCorpus.assertion("before", of: key, counter: 1),
                ReplayCorpus.attestation("new", of: key, device: .iOS27, challenge: "new-\(round)"),
                ReplayCorpus.assertion("after", of: key, counter: 2),
            ]
        }
        for jobs in [1, 2, 7] {
            for batchSize in [1, 3, 1000] {
                let outcome = try await ReplayCorpus.replay(lines, policies, jobs: jobs, batchSize: batchSize)
                let expected = ["accept", "accept", "accept", "app-attest.assertion.validation-category"]
                #expect(
                    outcome.words == (0..<8).flatMap { _ in expected }, "\(jobs) jobs, batches of \(batchSize)")
            }
        }
    }

    private static func withoutFile(_ lines: String) -> [String] {
        lines.split(separator: "\n").map { line in
            String(line.replacing(#/"file":"[^"]*"/#, with: ""))
        }
    }

    @Test("The verdicts equal those of a verifier that judges one record after the other")
    func reference() async throws {
        let lines = try Self.nasty()
        let policy = try ReplayCorpus.policy()
        let verifier = Verifier(policy: policy, ledger: MemoryLedger())
        var expected: [String] = []
        for line in lines where !line.isEmpty {
            switch RecordFile.readLine(Array(line.utf8)[...]) {
            case .failure: expected.append("unreadable")
            case .success(let record):
                do {
                    expected.append(
                        try await verifier.verify(record, at: record.receivedAt ?? .now).json(id: record.id))
                } catch VerificationError.request(let error) {
                    expected.append(error.code)
                }
            }
        }
        let replayed = try await ReplayCorpus.replay(lines, ReplayPolicies(policy), jobs: 3)
        let found = replayed.records.map { record in
            switch record.judgement {
            case .verdict(let verdict): verdict.json(id: record.id)
            case .failure(let failure): failure.code == "no-time" ? "unknown-kind" : failure.code
            }
        }
        #expect(found == expected)
        #expect(
            replayed.words.prefix(9).map { String($0.split(separator: ".").last ?? "") } == [
                "key", "accept", "accept", "accept", "accept", "counter", "accept", "counter", "enrolment",
            ])
    }

    @Test("Records before the attestation of their key are counted")
    func early() async throws {
        let outcome = try await ReplayCorpus.replay(Self.nasty(), ReplayPolicies(ReplayCorpus.policy()), jobs: 2)
        #expect(outcome.statistics.presumptions.beforeEnrolment == 4)
        #expect(outcome.statistics.presumptions.suppliedKeys == 4)
    }

    @Test("Reading stops when the consumer stops")
    func stop() async throws {
        let lines = try Self.nasty()
        for jobs in [1, 3] {
            var source = CountingSource(lines: lines.map { Array($0.utf8)[...] })
            var options = ReplayOptions()
            options.jobs = jobs
            var consumed = 0
            _ = try await Replay(ReplayPolicies(ReplayCorpus.policy()), options).run(
                &source, render: { $0.count },
                consume: { (count: Int) in
                    consumed += count
                    return false
                })
            #expect(consumed == 1)
            #expect(source.handedOut < lines.count, "\(jobs) jobs read \(source.handedOut) batches")
        }
    }
}

/// Supplies lines one by one, and counts them.
private struct CountingSource: CorpusSource {
    let lines: [ArraySlice<UInt8>]
    var handedOut = 0

    mutating func next() -> CorpusBatch? {
        guard handedOut < lines.count else { return nil }
        handedOut += 1
        let file = CorpusFile(name: "lines", folder: nil)
        let place = CorpusPlace(file: file, line: handedOut, number: handedOut)
        return CorpusBatch(file: file, items: [CorpusItem(.line(lines[handedOut - 1]), at: place)])
    }
}
