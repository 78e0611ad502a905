public import Assay
public import AssayCore

/// A file of a corpus.
public struct CorpusFile: Sendable, Equatable {
    /// What messages call it: its path, or `standard input`.
    public let name: String
    /// Its folder, in which a policy may stand beside it; nil for standard input.
    public let folder: String?

    /// Names a file.
    public init(name: String, folder: String?) {
        self.name = name
        self.folder = folder
    }
}

/// Where a record of a corpus stands.
public struct CorpusPlace: Sendable, Equatable, CustomStringConvertible {
    /// The file.
    public let file: CorpusFile
    /// The line, from 1 on, where a record takes up one; nil for a record of a JSON document.
    public let line: Int?
    /// The record's number in its file, from 1 on.
    public let number: Int

    /// Describes a place.
    public init(file: CorpusFile, line: Int?, number: Int) {
        self.file = file
        self.line = line
        self.number = number
    }

    /// File, and line or record.
    public var description: String { line.map { "\(file.name):\($0)" } ?? "\(file.name): record \(number)" }
}

/// One record of a corpus, as far as it has been read.
public struct CorpusItem: Sendable {
    /// What stands there.
    public enum Content: Sendable {
        /// A line of NDJSON, not looked at yet, so that it can be read on whichever thread has time.
        case line(ArraySlice<UInt8>)
        /// A record of a JSON document.
        case record(EvidenceRecord)
        /// Something that cannot be read, and why.
        case unreadable(RecordFile.Unreadable)
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
