import Assay
import AssayCore
import AssayReplay
import Foundation

extension FuzzTarget {
    /// Summaries of replays, which others have written.
    static let summary = FuzzTarget(
        name: "summary", maximumLength: 16_384,
        dictionary: [
            "\"assaySummary\":1", "\"outcomes\":[1,0,0,0,0]",
            "\"series\":{\"level\":0,\"intervals\":[[1,[1,0,0,0,0]]]}",
            "\"rows\":[", "\"layouts\":[[\"a\"]]", "\"statuses\":\"p\"", "\"counts\":[[0,1]]", "\"values\":{\"a\":1}",
            "\"others\":",
            "9223372036854775807", "-1", "2026-04-21T18:13:12Z",
        ],
        seeds: { Summaries.all },
        run: { input in
            guard let summary = try? ReplaySummary(json: input[...]) else { return }
            let written = summary.json()
            let again: ReplaySummary
            do { again = try ReplaySummary(json: Array(written.utf8)[...]) } catch {
                broken("what is written cannot be read: \(error): \(written)")
            }
            guard again.json().isByteEqual(to: written) else { broken("what is written is read as something else") }
            var sum = summary
            sum.merge(again)
            _ = sum.json()
        })
}

private enum Summaries {
    static let all = [ReplaySummary(), judged].map { Array($0.json().utf8) }

    /// What was found of a record of every kind.
    private static var judged: ReplaySummary {
        let replay = Replay(ReplayPolicies(MintedRecords.verifier.policy))
        let records = Blocking.wait { () async -> [ReplayedRecord] in
            var source = Lines(lines: MintedRecords.all)
            var all: [ReplayedRecord] = []
            _ = try? await replay.run(
                &source, render: { $0 },
                consume: { (records: [ReplayedRecord]) -> Bool in
                    all += records
                    return true
                })
            return all
        }
        var summary = ReplaySummary()
        for record in records { summary.add(record) }
        return summary
    }
}

/// A corpus of some lines.
private struct Lines: CorpusSource {
    var lines: [[UInt8]]

    mutating func next() throws(CorpusError) -> CorpusBatch? {
        guard !lines.isEmpty else { return nil }
        let file = CorpusFile(name: "minted", folder: nil)
        let items = lines.enumerated().map { index, line in
            CorpusItem(.line(line[...]), at: CorpusPlace(file: file, line: index + 1, number: index + 1))
        }
        lines = []
        return CorpusBatch(file: file, items: items)
    }
}
