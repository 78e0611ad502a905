import Assay
import AssayCore
import AssayReplay
import FoundationEssentials
import Synchronization

/// Writes captures, and keeps the last of them in memory as well, where they are not sealed: the private key is never on this machine,
/// and the cost of a candidate policy is judged on these.
final class RecentCaptures: RecordWriter {
    /// The most records and bytes in memory, and for how long, in seconds.
    static let (maximumCount, maximumBytes, maximumAge) = (1000, 8 << 20, 86_400.0)

    struct Line: Sendable {
        let at: Date
        let bytes: [UInt8]
    }

    private let files: RecordCapture
    private let isKept: Bool
    private let lines = Mutex<(all: [Line], size: Int)>(([], 0))

    /// - Parameter isKept: whether records are kept in memory.
    init(_ files: RecordCapture, isKept: Bool) { (self.files, self.isKept) = (files, isKept) }

    func append(_ record: EvidenceRecord, verdict: Verdict?, at now: Date) throws(CaptureError) {
        try files.append(record, verdict: verdict, at: now)
        guard isKept else { return }
        let line = Line(at: now, bytes: try files.judged(record, verdict, at: now).captureLine(.keep))
        lines.withLock { lines in
            lines.all.append(line)
            lines.size += line.bytes.count
            Self.removeOldest(&lines, at: now)
        }
    }

    func tidy(at now: Date) throws(CaptureError) {
        lines.withLock { Self.removeOldest(&$0, at: now) }
        try files.tidy(at: now)
    }

    func close() throws(CaptureError) { try files.close() }

    /// The records in memory, in their order.
    func recent(at now: Date) -> [Line] {
        lines.withLock { lines in
            Self.removeOldest(&lines, at: now)
            return lines.all
        }
    }

    /// How many capture files the folder has, and their bytes together.
    func contents() throws(CaptureError) -> (files: Int, bytes: Int) { try files.contents() }

    private static func removeOldest(_ lines: inout (all: [Line], size: Int), at now: Date) {
        while let first = lines.all.first,
            lines.all.count > maximumCount || lines.size > maximumBytes
                || now.timeIntervalSince(first.at) > maximumAge
        {
            lines.size -= first.bytes.count
            lines.all.removeFirst()
        }
    }
}

/// The records in memory as a corpus.
struct RecentCorpus: CorpusSource {
    private static let file = CorpusFile(name: "recent captures", folder: nil)
    private static let batchSize = 64
    private var rest: ArraySlice<RecentCaptures.Line>

    init(_ lines: [RecentCaptures.Line]) { rest = lines[...] }

    mutating func next() -> CorpusBatch? {
        guard !rest.isEmpty else { return nil }
        let part = rest.prefix(Self.batchSize)
        rest = rest.dropFirst(part.count)
        let items = zip(part.indices, part).map { index, line in
            CorpusItem(
                .line(line.bytes[...]), at: CorpusPlace(file: Self.file, line: index + 1, number: index + 1))
        }
        return CorpusBatch(file: Self.file, items: items)
    }
}
