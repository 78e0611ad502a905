public import AssayCore
import AssayPrimitives

/// Reads evidence records: a JSON file with one record, an array of them, or one per line (NDJSON).
public enum RecordFile {
    /// A record that cannot be read, and its position.
    public struct Unreadable: Error, Sendable, Equatable, CustomStringConvertible {
        /// The record: its `id` if it is readable, else its number from 1; nil for the whole document.
        public let record: String?
        /// The line of an NDJSON document, from 1.
        public let line: Int?
        /// The field, the byte of the document, and what is wrong.
        public let error: RecordError

        /// Record, line, byte, field and sentence.
        public var description: String {
            [record.map { "record \($0.excerpt)" }, line.map { "line \($0)" }, error.description]
                .compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// Reads every record of a document in UTF-8.
    ///
    /// - Returns: for each record in order, the record or why it cannot be read. A document that is not JSON gives one
    ///   failure. Reading ends after 100,000 records with a failure. After 1,000 failures, one more counts the rest.
    public static func read(_ bytes: [UInt8]) -> [Result<EvidenceRecord, Unreadable>] {
        readDocument(bytes) ?? readLines(bytes)
    }

    /// Reads every record of a document that is one JSON value or is empty; nil if it has one record per line.
    package static func readDocument(_ bytes: [UInt8]) -> [Result<EvidenceRecord, Unreadable>]? {
        let document: RecordValue
        do {
            document = try JSONReader.read(bytes, limit: InputLimits.record)
        } catch {
            if hasRecordPerLine(bytes) { return nil }
            return [.failure(Unreadable(record: nil, line: nil, error: RecordError(error)))]
        }
        guard case .array(let elements) = document.content else { return [read(document, number: nil, line: nil)] }
        guard !elements.isEmpty else {
            let error = RecordError(field: "", offset: document.offset, "the array holds no record")
            return [.failure(Unreadable(record: nil, line: nil, error: error))]
        }
        var collection = RecordCollection()
        for element in elements {
            guard let number = collection.next(at: element.offset, line: nil) else { break }
            collection.add(read(element, number: number, line: nil))
        }
        return collection.finished
    }

    /// Whether a document that is not one JSON value has one record per line: any line is an object. So a broken line,
    /// even the first, does not hide the others. Arrays are excluded: a broken one can have such lines too.
    private static func hasRecordPerLine(_ bytes: [UInt8]) -> Bool {
        guard bytes.first(where: { !isSpace($0) }) != UInt8(ascii: "[") else { return false }
        var isFound = false
        forEachLine(bytes) { line, _ in
            guard line.first(where: { !isSpace($0) }) == UInt8(ascii: "{") else { return true }
            isFound = (try? JSONReader.readObject(line, limit: InputLimits.record)) != nil
            return !isFound
        }
        return isFound
    }

    /// Reads a line with one record. Offsets count from the start of the line. An error names only the record's `id`.
    package static func readLine(_ line: ArraySlice<UInt8>) -> Result<EvidenceRecord, Unreadable> {
        do {
            return read(try JSONReader.read(line, limit: InputLimits.record, origin: 0), number: nil, line: nil)
        } catch {
            return .failure(Unreadable(record: nil, line: nil, error: RecordError(error)))
        }
    }

    private static func readLines(_ bytes: [UInt8]) -> [Result<EvidenceRecord, Unreadable>] {
        var collection = RecordCollection()
        forEachLine(bytes) { line, lineNumber in
            guard let number = collection.next(at: line.startIndex, line: lineNumber) else { return false }
            do throws(DecodeError) {
                collection.add(
                    read(try JSONReader.read(line, limit: InputLimits.record), number: number, line: lineNumber))
            } catch {
                collection.add(
                    .failure(Unreadable(record: "\(number)", line: lineNumber, error: RecordError(error))))
            }
            return true
        }
        return collection.finished
    }

    /// Calls `body` for each line that is not blank, until it returns false. Lines are counted from 1.
    private static func forEachLine(_ bytes: [UInt8], _ body: (_ line: ArraySlice<UInt8>, _ number: Int) -> Bool) {
        var rest = bytes[...]
        var number = 0
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            if !line.allSatisfy(isSpace), !body(line, number) { return }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func read(
        _ value: RecordValue, number: Int?, line: Int?
    ) -> Result<EvidenceRecord, Unreadable> {
        do {
            return .success(try EvidenceRecord(value))
        } catch {
            var name = number.map { "\($0)" }
            if case .object(let object) = value.content, case .text(let id)? = object["id"]?.content,
                id.utf8.count <= InputLimits.recordID
            {
                name = id
            }
            return .failure(Unreadable(record: name, line: line, error: error))
        }
    }
}

/// The results of a document, within the limits.
private struct RecordCollection {
    private var results: [Result<EvidenceRecord, RecordFile.Unreadable>] = []
    private var end: RecordFile.Unreadable?
    private var count = 0
    private var unreadable = 0
    /// The first failure over the limit.
    private var firstOmitted: RecordFile.Unreadable?

    /// The number of the record at `offset`; nil over the limit.
    mutating func next(at offset: Int, line: Int?) -> Int? {
        count += 1
        guard count > InputLimits.records else { return count }
        let error = RecordError(
            field: "", offset: offset,
            "a document has at most \(InputLimits.records) records; this and the rest are not read")
        end = RecordFile.Unreadable(record: "\(count)", line: line, error: error)
        return nil
    }

    mutating func add(_ result: Result<EvidenceRecord, RecordFile.Unreadable>) {
        if case .failure(let failure) = result {
            unreadable += 1
            guard unreadable <= InputLimits.unreadableRecords else {
                if firstOmitted == nil { firstOmitted = failure }
                return
            }
        }
        results.append(result)
    }

    /// The results, with failures that represent the omitted ones.
    var finished: [Result<EvidenceRecord, RecordFile.Unreadable>] {
        var finished = results
        if let firstOmitted {
            let omitted = unreadable - InputLimits.unreadableRecords
            let error = RecordError(
                field: "", offset: firstOmitted.error.offset,
                omitted == 1 ? "1 more record cannot be read" : "from here on \(omitted) more records cannot be read")
            finished.append(.failure(RecordFile.Unreadable(record: nil, line: firstOmitted.line, error: error)))
        }
        if let end { finished.append(.failure(end)) }
        return finished
    }
}
