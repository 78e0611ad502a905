import Assay
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// What cannot be judged is a failure with a code, and stops nothing.
@Suite("Failures in replays")
struct ReplayFailureTests {
    private static let untimed = """
        {"id":"untimed","kind":"app-attest.receipt","evidence":{"keyId":"AAAA","receipt":"AAAA"}}
        """

    @Test("Each failure has its code, and what follows is judged")
    func codes() async throws {
        let token = """
            {"id":"t","kind":"play-integrity.standard","app":"shop","receivedAt":"2026-04-21T18:13:12Z",\
            "evidence":{"packageName":"com.example.shop","requestHash":"x","token":"abc"}}
            """
        let lines = [
            "{\"kind\":", Self.untimed,
            "{\"kind\":\"nothing\",\"receivedAt\":\"2026-04-21T18:13:12Z\",\"evidence\":{}}", token,
            "{\"kind\":\"app-attest.receipt\",\"receivedAt\":\"2026-04-21T18:13:12Z\",\"evidence\":{\"keyId\":\"?\"}}",
            try ReplayCorpus.assertion("good", of: "failures", counter: 1, supplied: 0),
        ]
        let outcome = try await ReplayCorpus.replay(lines, ReplayPolicies(ReplayCorpus.policy()))
        #expect(outcome.words == ["unreadable", "no-time", "unknown-kind", "unknown-app", "unreadable", "accept"])
        let first = try #require(outcome.lines.split(separator: "\n").first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        #expect(object["line"] as? Int == 1)
        #expect((object["error"] as? [String: String])?["code"] == "unreadable")
        #expect((object["file"] as? String)?.hasSuffix("corpus.ndjson") == true)
    }

    @Test("A given time is that of every record, also of those that have none")
    func time() async throws {
        var options = ReplayOptions()
        options.time = .fixed(ReplayCorpus.time)
        let lines = [try ReplayCorpus.assertion("a", of: "time", counter: 1, at: 99, supplied: 0), Self.untimed]
        let outcome = try await ReplayCorpus.replay(lines, ReplayPolicies(ReplayCorpus.policy()), options)
        for record in outcome.records {
            guard case .verdict(let verdict) = record.judgement else { continue }
            #expect(verdict.judgedAt == ReplayCorpus.time)
        }
        #expect(outcome.words == ["accept", "app-attest.receipt.decode"])
        #expect(outcome.records.first?.receivedAt == ReplayCorpus.time + 99)
    }

    @Test("The duration is measured when that is asked for, and not otherwise")
    func duration() async throws {
        var options = ReplayOptions()
        let lines = [try ReplayCorpus.assertion("a", of: "duration", counter: 1, supplied: 0)]
        let policies = try ReplayPolicies(ReplayCorpus.policy())
        #expect(try await ReplayCorpus.replay(lines, policies, options).records.map(\.duration) == [nil])
        options.isMeasured = true
        let measured = try await ReplayCorpus.replay(lines, policies, options).records.first?.duration ?? 0
        #expect(measured > 0 && measured < 10)
    }

    @Test("An outage of the base ledger ends the replay, with what was judged before")
    func outage() async throws {
        let lines = [
            "{", try ReplayCorpus.assertion("a", of: "outage", counter: 1, supplied: 0), "{", "{",
        ]
        for jobs in [1, 4] {
            var options = ReplayOptions()
            options.jobs = jobs
            options.baseLedger = UnreachableLedger()
            let folder = try KeyFolder()
            let path = try folder.write("corpus.ndjson", lines.joined(separator: "\n"))
            var reading = CorpusOptions()
            reading.batchSize = 2
            var reader = try CorpusReader(paths: [path], options: reading)
            var codes: [String] = []
            let replay = Replay(ReplayPolicies(try ReplayCorpus.policy()), options)
            let error = await #expect(throws: ReplayError.self, "\(jobs) jobs") {
                _ = try await replay.run(
                    &reader, render: { $0.map { ReplayCorpus.word($0.judgement) } },
                    consume: { (words: [String]) in
                        codes += words
                        return true
                    })
            }
            guard case .outage = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(codes == ["unreadable"], "\(jobs) jobs")
        }
    }
}

/// A ledger that cannot be reached.
private struct UnreachableLedger: Ledger {
    static let outage = LedgerOutage(.unreachable, "nobody there")
    let durability = LedgerDurability.durable

    func issue(_ challenge: Challenge, at now: Date) async throws(LedgerOutage) { throw Self.outage }
    func enrolledKey(_ identifier: KeyIdentifier) async throws(LedgerOutage) -> EnrolledKey? { throw Self.outage }
    func blocks(on subjects: [LedgerSubject], at now: Date) async throws(LedgerOutage) -> [Block] { throw Self.outage }
    func commit(_ effects: [LedgerEffect], at now: Date) async throws(LedgerOutage) -> CommitOutcome {
        throw Self.outage
    }
    func block(_ block: Block) async throws(LedgerOutage) { throw Self.outage }
    func allow(_ subject: LedgerSubject) async throws(LedgerOutage) -> Bool { throw Self.outage }
    func export(_ body: (LedgerEntry) throws -> Void) async throws { throw Self.outage }
    func summary(at now: Date) async throws(LedgerOutage) -> LedgerSummary { throw Self.outage }
}
