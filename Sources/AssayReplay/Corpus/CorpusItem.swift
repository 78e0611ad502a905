package import Assay
package import AssayCore
import AssayPrimitives

/// A file of a corpus. Names are compared byte by byte, as in file systems.
package struct CorpusFile: Sendable, Equatable {
    /// The path, or the name of standard input. Not escaped: it may contain control characters.
    package let name: String
    /// The folder of the file, where its policy may be; nil for standard input.
    package let folder: String?
    /// The given path: the file itself or a folder above it; nil for standard input.
    package let root: String?

    package init(name: String, folder: String?, root: String? = nil) {
        (self.name, self.folder, self.root) = (name, folder, root)
    }

    package static func == (left: CorpusFile, right: CorpusFile) -> Bool {
        func isSame(_ left: String?, _ right: String?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return left.isByteEqual(to: right)
        }
        return left.name.isByteEqual(to: right.name) && isSame(left.folder, right.folder)
            && isSame(left.root, right.root)
    }
}

/// The position of a record in a corpus.
public struct CorpusPlace: Sendable, CustomStringConvertible {
    package let file: CorpusFile
    /// The line, from 1; nil for a record of a JSON document.
    package let line: Int?
    /// The number of the record in its file, from 1; 0 for the file as a whole.
    package let number: Int

    package init(file: CorpusFile, line: Int?, number: Int) {
        (self.file, self.line, self.number) = (file, line, number)
    }

    /// File, and line or record.
    public var description: String {
        if let line { return "\(file.name):\(line)" }
        return number == 0 ? file.name : "\(file.name): record \(number)"
    }
}

/// Why a part of a corpus is not a record.
package struct UnreadableItem: Error, Sendable, CustomStringConvertible {
    /// The `id` of the record; nil if that cannot be read.
    package let id: String?
    /// The error, with byte offset and field if known, without the place.
    package let message: String

    init(id: String? = nil, _ message: String) {
        self.id = id
        self.message = message
    }

    package var description: String { message }
}

/// One record of a corpus.
package struct CorpusItem: Sendable {
    /// A record in the form in which the reader returns it.
    package enum Content: Sendable {
        /// A line of NDJSON, to be decoded on a worker thread.
        case line(ArraySlice<UInt8>)
        /// A record of a JSON document.
        case record(EvidenceRecord)
        /// Not a record.
        case unreadable(UnreadableItem)
    }

    package let place: CorpusPlace
    private let content: Content

    package init(_ content: Content, at place: CorpusPlace) {
        self.content = content
        self.place = place
    }

    /// Decodes the record. Byte offsets in a line's record and errors are relative to the start of the line.
    /// - Parameter key: opens sealed records; if nil, they are unreadable.
    package func record(opening key: CapturePrivateKey? = nil) -> Result<EvidenceRecord, UnreadableItem> {
        switch content {
        case .record(let record): return .success(record)
        case .unreadable(let item): return .failure(item)
        case .line(let line):
            switch RecordFile.readLine(line) {
            case .success(let record): return .success(record)
            case .failure(let failure):
                return CorpusItem.readSealed(line, key) ?? .failure(UnreadableItem(failure, of: line))
            }
        }
    }

    /// Reads a sealed record; nil if the line is not one.
    private static func readSealed(
        _ line: ArraySlice<UInt8>, _ key: CapturePrivateKey?
    ) -> Result<EvidenceRecord, UnreadableItem>? {
        guard let value = try? JSONReader.read(line, limit: InputLimits.record, origin: 0) else { return nil }
        do throws(RecordError) {
            guard let sealed = try SealedRecord(value) else { return nil }
            guard let key else {
                return .failure(
                    UnreadableItem(
                        id: sealed.header.id,
                        "the record is sealed; open it with the private key: assay capture open, or --capture-key"))
            }
            do throws(CaptureError) {
                return .success(try sealed.open(with: key))
            } catch {
                return .failure(UnreadableItem(id: sealed.header.id, error.message))
            }
        } catch {
            return .failure(UnreadableItem(error.description))
        }
    }
}

extension UnreadableItem {
    init(_ failure: RecordFile.Unreadable, of line: ArraySlice<UInt8>) {
        let error = failure.error.description
        self.init(id: failure.record, TextEncoding.other(in: line).map { "\(error); \($0)" } ?? error)
    }
}

/// Detects encodings other than UTF-8.
enum TextEncoding {
    /// A hint for bytes that look like UTF-16 or UTF-32; otherwise nil. RFC 8259 section 8.1 requires UTF-8.
    /// - Parameter isBeginning: whether the bytes are the first line of a file, which may be a single character.
    static func other(in bytes: ArraySlice<UInt8>, isBeginning: Bool = false) -> String? {
        let start = Array(bytes.prefix(64))
        let hasMark = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
        // ASCII has a zero in every second byte of UTF-16, in three of four of UTF-32. The slice may cut a character.
        let zeros = start.filter { $0 == 0 }.count
        let least = isBeginning && start.count < 4 ? 1 : (start.count * 2 + 4) / 5
        guard isBeginning || start.count >= 4, hasMark || (zeros >= least && zeros < start.count) else { return nil }
        return "it looks like UTF-16 or UTF-32, and records are UTF-8; convert it: iconv -f UTF-16 -t UTF-8"
    }
}

/// Consecutive records of one file.
package struct CorpusBatch: Sendable {
    package let file: CorpusFile
    package let items: [CorpusItem]

    package init(file: CorpusFile, items: [CorpusItem]) {
        self.file = file
        self.items = items
    }
}
