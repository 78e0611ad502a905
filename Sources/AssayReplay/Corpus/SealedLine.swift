import Assay
import AssayCapture
import AssayCore
import AssayPrimitives

/// Lines that are no record as they stand: those whose evidence is sealed.
enum SealedLine {
    /// Reads a sealed record; nil when the line is none.
    static func read(
        _ line: ArraySlice<UInt8>, opening key: CapturePrivateKey?
    ) -> Result<EvidenceRecord, UnreadableItem>? {
        guard let value = try? JSONReader.read(line, limit: InputLimits.record, origin: 0) else { return nil }
        do throws(RecordError) {
            guard let sealed = try SealedRecord(value) else { return nil }
            guard let key else {
                var item = UnreadableItem(
                    id: sealed.header.id,
                    "the record is sealed; whoever has the private key opens it: assay capture open, or --capture-key")
                item.isSealed = true
                return .failure(item)
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
    /// Says why a line is no record. Text in another encoding than UTF-8 is called that.
    init(_ failure: RecordFile.Unreadable, of line: ArraySlice<UInt8>) {
        let error = failure.error.description
        self.init(id: failure.record, TextEncoding.other(in: line).map { "\(error); \($0)" } ?? error)
    }
}

/// Tells encodings of text that are not UTF-8.
enum TextEncoding {
    /// What to say of bytes that look like UTF-16 or UTF-32; nil when they do not. JSON between systems is UTF-8
    /// (RFC 8259 section 8.1).
    ///
    /// - Parameter isBeginning: whether they are the first line of a file, which may be short, such as that of a document
    ///   that takes up several lines. No JSON has a NUL in it.
    static func other(in bytes: ArraySlice<UInt8>, isBeginning: Bool = false) -> String? {
        let start = Array(bytes.prefix(64))
        let hasMark = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
        // Of ASCII in UTF-16 every second byte is 0, of that in UTF-32 three of four. Slices may begin amid a character.
        let zeros = start.filter { $0 == 0 }.count
        let least = isBeginning && start.count < 4 ? 1 : (start.count * 2 + 4) / 5
        guard isBeginning || start.count >= 4, hasMark || (zeros >= least && zeros < start.count) else { return nil }
        return "it looks like UTF-16 or UTF-32, and records are UTF-8; convert it: iconv -f UTF-16 -t UTF-8"
    }
}
