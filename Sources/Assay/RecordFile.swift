public import AssayCore
import AssayPrimitives
import FoundationEssentials

/// Reads evidence records: a JSON file with one record, an array of them, or one per line (NDJSON).
public enum RecordFile {
    /// A record that cannot be read, and where it stands.
    public struct Unreadable: Error, Sendable, Equatable, CustomStringConvertible {
        /// The record: its `id` as far as that can be read, or its number from 1 on; nil for the whole document.
        public let record: String?
        /// The line of an NDJSON document, from 1 on.
        public let line: Int?
        /// The field, the byte of the document, and what is wrong.
        public let error: RecordError

        /// Record, line, byte, field and sentence.
        public var description: String {
            [record.map { "record \($0.excerpt)" }, line.map { "line \($0)" }, error.description]
                .compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// Reads every record of a document.
    ///
    /// - Parameter bytes: the document, UTF-8.
    /// - Returns: each record in its order, or why it cannot be read; one that cannot does not hide the others. A
    ///   document that is no JSON at all gives one failure.
    public static func read(_ bytes: [UInt8]) -> [Result<EvidenceRecord, Unreadable>] {
        let document: RecordValue
        do {
            document = try JSONReader.read(bytes, limit: InputLimits.record)
        } catch {
            if hasRecordPerLine(bytes) { return readLines(bytes) }
            return [.failure(Unreadable(record: nil, line: nil, error: RecordError(error)))]
        }
        guard case .array(let elements) = document.content else { return [read(document, number: nil, line: nil)] }
        guard !elements.isEmpty else {
            let error = RecordError(field: "", offset: document.offset, "the array holds no record")
            return [.failure(Unreadable(record: nil, line: nil, error: error))]
        }
        return elements.enumerated().map { read($1, number: $0 + 1, line: nil) }
    }

    /// Whether a document that is not one JSON value is one record per line: some line of it, whichever, is an object by
    /// itself. That a line is broken, be it the first, must not hide the others. Arrays may have such lines as well.
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

    private static func readLines(_ bytes: [UInt8]) -> [Result<EvidenceRecord, Unreadable>] {
        var results: [Result<EvidenceRecord, Unreadable>] = []
        forEachLine(bytes) { line, lineNumber in
            let number = results.count + 1
            do throws(DecodeError) {
                results.append(
                    read(try JSONReader.read(line, limit: InputLimits.record), number: number, line: lineNumber))
            } catch {
                results.append(
                    .failure(Unreadable(record: "\(number)", line: lineNumber, error: RecordError(error))))
            }
            return true
        }
        return results
    }

    /// Hands over the lines that are not blank, counted from 1, until `body` says that it has enough.
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
            if case .object(let object) = value.content, case .text(let id)? = object["id"]?.content { name = id }
            return .failure(Unreadable(record: name, line: line, error: error))
        }
    }
}

extension RecordError {
    /// JSON that cannot be read.
    init(_ error: DecodeError) {
        self.init(field: error.field, offset: error.offset, error.message)
    }
}

extension EvidenceRecord {
    /// Reads a record from JSON; what its evidence holds is for the engine of its kind to read.
    init(_ value: RecordValue) throws(RecordError) {
        let object = try RecordReader(value, path: "")
        try object.demandOnly(["id", "kind", "app", "receivedAt", "evidence", "expect"])
        guard let kind = try object.text("kind") else { throw object.missing("kind") }
        guard let evidence = object["evidence"] else { throw object.missing("evidence") }
        var expectation: Expectation?
        if let expect = object["expect"] {
            let reader = try RecordReader(expect, path: "expect")
            try reader.demandOnly(["outcome", "failed"])
            guard let word = try reader.text("outcome") else { throw reader.missing("outcome") }
            guard let outcome = Verdict.Outcome(rawValue: word) else {
                throw reader.error("outcome", "expected accept or reject, found \"\(word.excerpt)\"")
            }
            expectation = Expectation(outcome: outcome, failed: try reader.texts("failed"))
        }
        self.init(
            id: try object.text("id"), kind: EvidenceKind(kind), app: try object.text("app"),
            receivedAt: try object.time("receivedAt"),
            evidence: try RecordReader(evidence, path: "evidence").object, expect: expectation)
    }
}

/// Reads the members of one object of a record, and names them in errors.
private struct RecordReader {
    let object: RecordObject
    let path: String

    init(_ value: RecordValue, path: String) throws(RecordError) {
        guard case .object(let object) = value.content else {
            throw RecordError(field: path, offset: value.offset, "expected an object, found \(value.kindName)")
        }
        self.object = object
        self.path = path
    }

    subscript(name: String) -> RecordValue? { object[name] }

    func missing(_ name: String) -> RecordError { error(name, "the field is missing") }

    func error(_ name: String, _ message: String) -> RecordError {
        RecordError(
            field: path.isEmpty ? name : "\(path).\(name)", offset: object[name]?.offset ?? object.offset, message)
    }

    func demandOnly(_ names: [String]) throws(RecordError) {
        for member in object.members where !names.contains(member.name) {
            let field = member.name.excerpt
            throw RecordError(
                field: path.isEmpty ? field : "\(path).\(field)", offset: member.offset,
                "unknown field; allowed are \(names.joined(separator: ", "))")
        }
    }

    func text(_ name: String) throws(RecordError) -> String? {
        guard let value = object[name] else { return nil }
        guard case .text(let text) = value.content else {
            throw error(name, "expected a string, found \(value.kindName)")
        }
        return text
    }

    func texts(_ name: String) throws(RecordError) -> [String] {
        guard let value = object[name] else { return [] }
        guard case .array(let elements) = value.content else {
            throw error(name, "expected an array of strings, found \(value.kindName)")
        }
        var texts: [String] = []
        for element in elements {
            guard case .text(let text) = element.content else {
                throw error(name, "expected an array of strings, found \(element.kindName) in it")
            }
            texts.append(text)
        }
        return texts
    }

    func time(_ name: String) throws(RecordError) -> Date? {
        guard let text = try text(name) else { return nil }
        guard let time = RFC3339.parse(text) else {
            throw error(name, "expected an RFC 3339 time such as 2026-04-21T18:13:12Z, found \"\(text.excerpt)\"")
        }
        return time
    }
}
