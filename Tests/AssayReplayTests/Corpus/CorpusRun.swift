import Assay
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The result of reading a corpus.
struct CorpusRun {
    /// One item: its place, and the record's ID or line, or the reason why it is no record.
    struct Item: Equatable, CustomStringConvertible {
        let place: String
        let record: String?
        let failure: String?

        var description: String { "\(place): \(record ?? failure ?? "")" }
    }

    var items: [Item] = []
    var batches: [Int] = []
    var notes: [String] = []
    var bytesRead = 0

    /// Reads a whole corpus.
    init(
        _ paths: [String], opening key: CapturePrivateKey? = nil, change: (inout CorpusOptions) -> Void = { _ in }
    ) throws {
        var options = CorpusOptions()
        change(&options)
        let reader = try CorpusReader(paths: paths, options: options)
        while let batch = reader.next() { add(batch, opening: key) }
        #expect(reader.next() == nil)
        notes = reader.takeNotes()
        bytesRead = reader.bytesRead
    }

    private mutating func add(_ batch: CorpusBatch, opening key: CapturePrivateKey?) {
        batches.append(batch.items.count)
        for item in batch.items {
            #expect(item.place.file == batch.file)
            switch item.record(opening: key) {
            case .success(let record):
                items.append(Item(place: "\(item.place)", record: record.id ?? record.jsonLine, failure: nil))
            case .failure(let failure):
                items.append(Item(place: "\(item.place)", record: nil, failure: failure.message))
            }
        }
    }

    /// The IDs of the records.
    var records: [String] { items.compactMap(\.record) }
    /// The messages of unreadable items.
    var failures: [String] { items.compactMap(\.failure) }
}

/// Lines of records.
enum CorpusLines {
    static func line(_ id: String) -> String { #"{"id":"\#(id)","kind":"k","evidence":{}}"# }

    /// Records with the IDs of a range, one per line.
    static func lines(_ range: Range<Int>) -> String { range.map { line("\($0)") + "\n" }.joined() }
}
