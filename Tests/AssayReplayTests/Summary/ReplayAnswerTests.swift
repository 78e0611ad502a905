import Assay
import AssayCore
import AssayReplay
import Foundation
import Testing

/// The sentences with the result, for none, one and many.
@Suite("The answer of a replay")
struct ReplayAnswerTests {
    private static let checks = ["app-attest.assertion.counter", "app-attest.assertion.signature"]

    private static func accepted(_ device: String? = nil) async throws -> ReplayedRecord.Judgement {
        .verdict(
            try await ReplaySamples.verdict(
                checks: ReplaySamples.checks(), subject: device.map { SampleSubject(fields: [], identifier: $0) }))
    }

    private static func rejected(_ check: Int = 0) async throws -> ReplayedRecord.Judgement {
        .verdict(try await ReplaySamples.verdict(checks: ReplaySamples.checks(failing: checks[check])))
    }

    /// Records that both accept, that only the first policy accepts, and that only the second accepts.
    ///
    /// - Parameter lost: the device, account and failed check of each lost record.
    private static func answer(
        same: Int = 0, lost: [(device: String?, account: String?, check: Int)] = [], gained: Int = 0
    ) async throws -> ReplayAnswer {
        var summary = ReplaySummary()
        let (accepted, rejected) = (try await accepted(), try await rejected())
        for _ in 0..<same { summary.add(ReplaySamples.record(accepted, against: accepted)) }
        for record in lost {
            summary.add(
                ReplaySamples.record(
                    try await Self.accepted(record.device), against: try await Self.rejected(record.check),
                    account: record.account))
        }
        for _ in 0..<gained { summary.add(ReplaySamples.record(rejected, against: accepted)) }
        if summary.outcomes.total == 0 { summary.add(ReplaySamples.record(rejected, against: rejected)) }
        return ReplayAnswer(summary, against: "new.yaml")
    }

    @Test("None is lost, of none, one and many")
    func none() async throws {
        #expect(try await Self.answer().sentence == "No request is accepted that new.yaml could lose.")
        #expect(try await Self.answer(same: 1).sentence == "new.yaml would not lose the accepted request.")
        #expect(try await Self.answer(same: 2).sentence == "new.yaml would lose none of the 2 accepted requests.")
        let gained = try await Self.answer(same: 2, gained: 1)
        #expect(gained.sentence == "new.yaml would lose none of the 2 accepted requests. 1 more is accepted.")
        #expect(gained.reason == nil && gained.remarks == [])
        #expect(try await Self.answer(gained: 2).sentence.hasSuffix("could lose. 2 more are accepted."))
    }

    @Test("One and many are lost, from devices and accounts")
    func lost() async throws {
        let one = try await Self.answer(lost: [("a", "alice", 0)])
        #expect(one.sentence == "new.yaml would lose 1 of 1 accepted request (100%) from 1 device and 1 account.")
        #expect(one.reason == "The only reason is \(Self.checks[0]).")
        let many = try await Self.answer(
            same: 1, lost: [("a", "alice", 0), ("a", "alice", 0), ("b", nil, 1)], gained: 3)
        #expect(
            many.sentence
                == "new.yaml would lose 3 of 4 accepted requests (75.0%) from 2 devices and 1 account. 3 more are accepted."
        )
        #expect(many.reason == "The most frequent reason is \(Self.checks[0]), for 2 of them.")
        #expect(many.remarks == [])
        let equal = try await Self.answer(lost: [("a", nil, 0), ("a", nil, 1)])
        #expect(equal.reason == "The most frequent reasons are \(Self.checks[0]) and \(Self.checks[1]), for 1 each.")
    }

    @Test("Requests without a device are counted apart")
    func unnamed() async throws {
        let none = try await Self.answer(lost: [(nil, nil, 0)])
        #expect(none.sentence == "new.yaml would lose 1 of 1 accepted request (100%).")
        #expect(none.remarks == [])
        let one = try await Self.answer(lost: [(nil, nil, 0), ("a", nil, 0)])
        #expect(one.remarks == ["1 of the lost requests names no device."])
        let many = try await Self.answer(lost: [(nil, nil, 0), (nil, nil, 0), ("a", nil, 0)])
        #expect(many.remarks == ["2 of the lost requests name no device."])
    }

    @Test("Consequences count under their cause, and are said apart")
    func consequences() async throws {
        let place = CorpusPlace(file: CorpusFile(name: "c", folder: nil), line: 1, number: 1)
        let root = ReplayRoot(check: "app-attest.attestation.os-version", id: "first", place: place)
        var summary = ReplaySummary()
        for expected in ["1 of the lost requests is", "2 of the lost requests are"] {
            summary.add(
                ReplaySamples.record(try await Self.accepted("a"), against: try await Self.rejected(), root: root))
            let answer = ReplayAnswer(summary, against: "new.yaml")
            #expect(answer.reason == "The only reason is \(root.check).")
            #expect(
                answer.remarks == ["\(expected) lost only because the attestation of the key is refused."])
        }
        #expect(summary.changes.causes.map(\.tally.devices) == [1])
        let html = ReplayReport(summary, policy: "old.yaml", against: "new.yaml").html()
        #expect(
            html.contains("<h2 id=\"headline\">new.yaml would lose 2 of 2 accepted requests (100%) from 1 device.</h2>")
        )
        #expect(html.contains("because first fails \(root.check)"))
    }

    @Test("Without a comparison the answer is the outcomes, and the most frequent reason")
    func alone() async throws {
        var summary = ReplaySummary([ReplaySamples.record(try await Self.accepted())])
        #expect(ReplayAnswer(summary, against: "").sentence == "1 record: 1 accepted, 0 rejected, 0 not judged.")
        #expect(ReplayAnswer(summary, against: "").reason == nil)
        summary.add(ReplaySamples.record(try await Self.rejected()))
        #expect(ReplayAnswer(summary, against: "").reason == "The only reason is \(Self.checks[0]).")
        #expect(ReplayReport(summary).html().contains("<h3>What this check means</h3>"))
    }
}
