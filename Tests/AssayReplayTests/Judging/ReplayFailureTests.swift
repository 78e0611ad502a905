import Assay
import AssayCore
import AssayReplay
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A record that cannot be judged is a failure with a code, and does not stop the replay.
@Suite("Failures in replays")
struct ReplayFailureTests {
    private static let untimed = """
        {"id":"untimed","kind":"app-attest.receipt","evidence":{"keyId":"AAAA","receipt":"AAAA"}}
        """

    @Test("Each failure has its code, and later records are judged")
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

    @Test("A given time applies to every record, even without a time of its own")
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

    @Test("The duration is measured only on request")
    func duration() async throws {
        var options = ReplayOptions()
        let lines = [try ReplayCorpus.assertion("a", of: "duration", counter: 1, supplied: 0)]
        let policies = try ReplayPolicies(ReplayCorpus.policy())
        #expect(try await ReplayCorpus.replay(lines, policies, options).records.map(\.duration) == [nil])
        options.isMeasured = true
        let measured = try await ReplayCorpus.replay(lines, policies, options).records.first?.duration ?? 0
        #expect(measured > 0 && measured < 1000)
    }

    @Test("If the first failure stops a replay, no later record is judged or presumed", arguments: [1, 2, 5])
    func stopping(jobs: Int) async throws {
        var lines = try (1...40).map {
            try ReplayCorpus.attestation("\($0)", of: "stop \($0)", challenge: "challenge \($0)")
        }
        lines.insert("{", at: 10)
        var options = ReplayOptions()
        options.stopsAtFailure = true
        let policies = try ReplayPolicies(ReplayCorpus.policy(challenge: "ledger"))
        let outcome = try await ReplayCorpus.replay(lines, policies, options, jobs: jobs, batchSize: 4)
        #expect(outcome.words == Array(repeating: "accept", count: 10) + ["unreadable"])
        #expect(outcome.statistics.presumptions.challenges == 10)
    }

    @Test("A record that only the second policy cannot judge is a failure as well")
    func against() async throws {
        let lines = try (0..<3).map { try ReplayCorpus.assertion("\($0)", of: "a\($0)", counter: 1, supplied: 0) }
        let text = """
            version: 1
            apps:
              - name: other
                playIntegrity:
                  packageName: com.example.other
                  certificateDigests: [iSYNNGUmJLwgYII76ctW5EzlO19GTSigk5fl5fIbK4A]
            """
        let nothing = try PolicyFile.parse(text, file: "other.yaml", files: NoFiles())
        var options = ReplayOptions()
        options.stopsAtFailure = true
        let outcome = try await ReplayCorpus.replay(
            lines, ReplayPolicies(ReplayCorpus.policy(), against: nothing), options)
        #expect(outcome.words == ["accept"])
        #expect(outcome.wordsAgainst == ["unknown-app"])
        #expect(outcome.records.first?.failure?.code == "unknown-app")
    }

    @Test("A cancelled replay reports the cancellation after judging the earlier records", arguments: [1, 4])
    func cancelled(jobs: Int) async throws {
        let line = try ReplayCorpus.assertion("a", of: "cancelled", counter: 1, supplied: 0)
        let replay = Replay(
            ReplayPolicies(try ReplayCorpus.policy()),
            {
                var options = ReplayOptions()
                options.jobs = jobs
                return options
            }())
        let task = Task { () -> (ReplayError?, Int) in
            var source = EndlessSource(line: Array(line.utf8))
            var count = 0
            let statistics = await replay.run(
                &source, render: { $0.count },
                consume: { (records: Int) in
                    count += records
                    if count >= 20 { withUnsafeCurrentTask { $0?.cancel() } }
                    return true
                })
            return (statistics.failure, count)
        }
        let (error, count) = await task.value
        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(count >= 20)
    }

    @Test("Records from a pipe are judged before the next read blocks", arguments: [1, 4])
    func slowPipe(jobs: Int) async throws {
        var options = ReplayOptions()
        options.jobs = jobs
        let line = try ReplayCorpus.assertion("a", of: "pipe", counter: 1, supplied: 0) + "\n"
        var source = try WaitingSource(line: Array(line.utf8))
        let writer = source.writer
        let watch = Task {
            // Below the suite's limit, and far above any delay of a busy machine.
            try await Task.sleep(for: .seconds(240))
            try writer.close()
        }
        defer { watch.cancel() }
        var count = 0
        // Each line is written after the previous one was judged, so reading ahead would block forever.
        _ = await Replay(ReplayPolicies(try ReplayCorpus.policy()), options).run(
            &source, render: { $0.count },
            consume: { (records: Int) in
                count += records
                if count < 4 { try? writer.write(contentsOf: Data(line.utf8)) } else { try? writer.close() }
                return true
            })
        #expect(count == 4)
    }

    @Test("Half a record in a pipe does not count as ready")
    func halfALine() throws {
        let line = Array(try ReplayCorpus.assertion("a", of: "pipe", counter: 1, supplied: 0).utf8) + [0x0A]
        let source = try WaitingSource(line: line)
        #expect(source.isReady(within: 0))
        _ = source.next()
        #expect(!source.isReady(within: 0), "nothing was written")
        for piece in [line[..<1], line[1..<100], line[100..<(line.count - 1)]] {
            try source.writer.write(contentsOf: Data(piece))
            // Twice: the bytes already read are no longer in the pipe.
            #expect(!source.isReady(within: 1) && !source.isReady(within: 0), "\(piece.count) bytes more")
        }
        try source.writer.write(contentsOf: Data([0x0A]))
        #expect(source.isReady(within: 0))
        #expect(source.next()?.items.count == 1)
        try source.writer.write(contentsOf: Data(line.dropLast()))
        #expect(!source.isReady(within: 0))
        try source.writer.close()
        // A process started by another test may keep the pipe open for a moment.
        #expect(source.isReady(within: 60_000), "the end of a pipe ends a line")
        #expect(source.next()?.items.count == 1)
        #expect(source.next() == nil)
    }

    @Test("An outage of the base ledger ends the replay after the records judged before")
    func outage() async throws {
        let lines = [
            "{", try ReplayCorpus.assertion("a", of: "outage", counter: 1, supplied: 0), "{", "{",
        ]
        for jobs in [1, 4] {
            var options = ReplayOptions()
            options.jobs = jobs
            options.baseLedger = FaultyLedger.unreachable()
            let folder = try KeyFolder()
            let path = try folder.write("corpus.ndjson", lines.joined(separator: "\n"))
            var reading = CorpusOptions()
            reading.batchSize = 2
            var reader = try CorpusReader(paths: [path], options: reading)
            var codes: [String] = []
            let replay = Replay(ReplayPolicies(try ReplayCorpus.policy()), options)
            let statistics = await replay.run(
                &reader, render: { $0.map { ReplayCorpus.word($0.judgement) } },
                consume: { (words: [String]) in
                    codes += words
                    return true
                })
            let error = statistics.failure
            guard case .outage = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(codes == ["unreadable"], "\(jobs) jobs")
        }
    }
}

private struct NoFiles: PolicyFiles {
    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { [] }
}

/// An endless sequence of the same record.
private struct EndlessSource: CorpusSource {
    let line: [UInt8]
    private var number = 0

    init(line: [UInt8]) {
        self.line = line
    }

    mutating func next() -> CorpusBatch? {
        number += 1
        let file = CorpusFile(name: "endless", folder: nil)
        let item = CorpusItem(.line(line[...]), at: CorpusPlace(file: file, line: number, number: number))
        return CorpusBatch(file: file, items: [item])
    }
}

/// A named pipe with one line.
private final class WaitingSource: CorpusSource {
    let writer: FileHandle
    private let folder: KeyFolder
    private let reader: CorpusReader

    init(line: [UInt8]) throws {
        folder = try KeyFolder()
        let path = folder.path("pipe")
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        // Open both ends, so that neither open blocks.
        let both = open(path, O_RDWR | O_CLOEXEC)
        defer { close(both) }
        reader = try CorpusReader(paths: [path])
        writer = try #require(FileHandle(forWritingAtPath: path))
        writer.write(Data(line))
        // Open it while a writer exists.
        first = reader.next()
    }

    private var first: CorpusBatch?

    func next() -> CorpusBatch? {
        defer { first = nil }
        return first ?? reader.next()
    }

    func isReady(within milliseconds: Int) -> Bool {
        first != nil || reader.isReady(within: milliseconds)
    }
}
