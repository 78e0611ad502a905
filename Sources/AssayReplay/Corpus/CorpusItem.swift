import Assay
public import AssayCapture
public import AssayCore

/// One record of a corpus, as far as it has been read.
public struct CorpusItem: Sendable {
    /// What stands there.
    public enum Content: Sendable {
        /// A line of NDJSON, not looked at yet, so that it can be read on whichever thread has time.
        case line(ArraySlice<UInt8>)
        /// A record of a JSON document.
        case record(EvidenceRecord)
        /// Something that cannot be read, and why.
        case unreadable(UnreadableItem)
    }

    /// Where it stands.
    public let place: CorpusPlace
    /// What stands there.
    public let content: Content

    /// Places a record.
    public init(_ content: Content, at place: CorpusPlace) {
        self.content = content
        self.place = place
    }

    /// The record, read on the caller's thread when it is a line.
    ///
    /// Offsets in a record of a line, and in errors about it, count from the beginning of the line.
    /// - Parameter key: what opens sealed records; nil to report them as unreadable.
    public func record(opening key: CapturePrivateKey? = nil) -> Result<EvidenceRecord, UnreadableItem> {
        switch content {
        case .record(let record): return .success(record)
        case .unreadable(let item): return .failure(item)
        case .line(let line):
            switch RecordFile.readLine(line) {
            case .success(let record): return .success(record)
            case .failure(let failure):
                return SealedLine.read(line, opening: key) ?? .failure(UnreadableItem(failure, of: line))
            }
        }
    }
}

/// Something in a corpus that is no record, and why.
public struct UnreadableItem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The `id` of the record, as far as that can be read.
    public let id: String?
    /// What was found and what is allowed, with the byte and the field where there are such, without the place.
    public let message: String
    /// Whether it is a sealed record for which no key was given, so that what is in it is not known.
    package internal(set) var isSealed = false

    /// Describes what cannot be read.
    public init(id: String? = nil, _ message: String) {
        self.id = id
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}

/// Some consecutive records of one file.
public struct CorpusBatch: Sendable {
    /// The file.
    public let file: CorpusFile
    /// The records, in their order.
    public let items: [CorpusItem]

    /// Collects records.
    public init(file: CorpusFile, items: [CorpusItem]) {
        self.file = file
        self.items = items
    }
}
