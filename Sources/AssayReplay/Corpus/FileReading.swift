import Assay
import AssayCore
import AssayPrimitives

/// One file of a corpus, while it is read.
struct FileReading {
    private enum Form {
        case lines
        /// The records of a JSON document, or the one thing to say of the file.
        case items(ArraySlice<CorpusItem.Content>)
    }

    let file: CorpusFile
    private let options: CorpusOptions
    private var lines: LineReader
    private var form = Form.lines
    private var lineNumber = 0
    private var number = 0
    private var isFinished = false

    /// Finds out what kind of document it is.
    init(_ file: CorpusFile, _ input: any ByteInput, options: CorpusOptions) {
        self.file = file
        self.options = options
        lines = LineReader(input, chunkSize: options.chunkSize, limit: options.recordLimit)
        lines.readFirstLine()
        let beginning = lines.unread
        // How much more there is depends on the pieces that came, and must not decide.
        if let encoding = TextEncoding.other(in: beginning.firstLine, isBeginning: true) {
            form = .items([.unreadable(UnreadableItem(encoding))])
        } else if let first = beginning.first(where: { !$0.isSpace }) {
            if !options.isNumbered, let items = readDocument(beginningWith: first) { form = .items(items[...]) }
        } else if beginning.count <= options.recordLimit, lines.failure == nil, !options.isNumbered {
            // A mapper of a distributed engine may well get nothing to do.
            let words = beginning.isEmpty ? "it is empty" : "it is empty but for white space"
            form = .items([.unreadable(UnreadableItem(words))])
        }
    }

    /// The records of the file when it is one JSON value; nil when it has a record per line.
    private mutating func readDocument(beginningWith first: UInt8) -> [CorpusItem.Content]? {
        let isArray = first == UInt8(ascii: "[")
        guard isArray || (first == UInt8(ascii: "{") && !hasObjectOnFirstLine) else { return nil }
        guard lines.readAll() else {
            guard isArray else { return nil }
            return [
                .unreadable(
                    UnreadableItem(
                        "a JSON array has at most \(options.recordLimit) bytes; write one record per line instead"))
            ]
        }
        guard let results = RecordFile.readDocument(Array(lines.unread)) else { return nil }
        if let failure = lines.failure { return [.unreadable(UnreadableItem(failure.message))] }
        return results.map { result in
            switch result {
            case .success(let record): .record(record)
            case .failure(let failure): .unreadable(UnreadableItem(failure))
            }
        }
    }

    private var hasObjectOnFirstLine: Bool {
        let rest = lines.unread.drop { $0.isSpace }
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        return (try? JSONReader.readObject(line, limit: options.recordLimit)) != nil
    }

    /// Whether the next records have been read already, or there are none.
    var hasRead: Bool {
        switch form {
        case .items: true
        case .lines: isFinished || lines.hasLine
        }
    }

    /// Whether reading on for ``hasRead`` to say more is quick.
    var mayReadOnce: Bool { lines.isShort }

    /// Reads what the input has, for ``hasRead`` to say more.
    mutating func readOnce() { lines.readOnce() }

    /// The next records; nil after the last ones. Returns what there is as soon as more would have to be waited for.
    mutating func nextBatch() -> CorpusBatch? {
        guard !isFinished else { return nil }
        switch form {
        case .items(let contents):
            let next = contents.prefix(options.batchSize)
            form = .items(contents.dropFirst(next.count))
            isFinished = next.count == contents.count
            guard !next.isEmpty else { return nil }
            return CorpusBatch(file: file, items: next.map { place($0) })
        case .lines:
            var items: [CorpusItem] = []
            items.reserveCapacity(options.batchSize)
            while items.count < options.batchSize {
                guard let line = items.isEmpty ? lines.next() : lines.nextRead() else {
                    if items.isEmpty {
                        isFinished = true
                        lineNumber += 1
                        if let failure = lines.failure { items.append(breakOff(failure)) }
                    }
                    break
                }
                lineNumber += 1
                if let item = item(line) { items.append(item) }
            }
            return items.isEmpty ? nil : CorpusBatch(file: file, items: items)
        }
    }

    /// Places what stands in a document. That it has no records at all concerns the file.
    private mutating func place(_ content: CorpusItem.Content) -> CorpusItem {
        number += 1
        var isFile = false
        if case .unreadable(let item) = content { isFile = number == 1 && isFinished && item.id == nil }
        return CorpusItem(content, at: CorpusPlace(file: file, line: nil, number: isFile ? 0 : number))
    }

    private mutating func breakOff(_ failure: InputFailure) -> CorpusItem {
        number += 1
        return CorpusItem(
            .unreadable(UnreadableItem("\(failure.message); nothing is read from this line on")),
            at: CorpusPlace(file: file, line: lineNumber, number: number))
    }

    private mutating func item(_ line: LineReader.Line) -> CorpusItem? {
        switch line {
        case .tooLong(let count):
            number += 1
            let item = UnreadableItem("the line has \(count) bytes, at most \(options.recordLimit) are allowed")
            return CorpusItem(.unreadable(item), at: CorpusPlace(file: file, line: lineNumber, number: number))
        case .bytes(let bytes):
            // Few lines are blank, and those that are not begin with something else.
            if bytes.first?.isSpace ?? true, bytes.allSatisfy(\.isSpace) { return nil }
            number += 1
            guard !options.isNumbered else { return numbered(bytes) }
            return CorpusItem(.line(bytes), at: CorpusPlace(file: file, line: lineNumber, number: number))
        }
    }

    /// A line that has its number before it.
    private func numbered(_ bytes: ArraySlice<UInt8>) -> CorpusItem {
        let digits = bytes.prefix(20).prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, bytes.dropFirst(digits.count).first == UInt8(ascii: "\t"),
            let line = Int(String(decoding: digits, as: UTF8.self))
        else {
            let item = UnreadableItem("expected the number of the line, a tab and the record")
            return CorpusItem(.unreadable(item), at: CorpusPlace(file: file, line: lineNumber, number: number))
        }
        let place = CorpusPlace(file: file, line: line, number: number)
        let record = bytes.dropFirst(digits.count + 1)
        guard record.first == UInt8(ascii: "=") else { return CorpusItem(.line(record), at: place) }
        guard let original = try? Base64.decode(record.dropFirst(), .standard) else {
            return CorpusItem(.unreadable(UnreadableItem("expected base64 of the record after the =")), at: place)
        }
        return CorpusItem(.line(original[...]), at: place)
    }
}

extension UnreadableItem {
    /// Says why a part of a document is no record.
    init(_ failure: RecordFile.Unreadable) {
        // Those without an identifier go by their number, which the place tells.
        let id = failure.record.flatMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? nil : $0 }
        self.init(id: id, failure.error.description)
    }
}

extension ArraySlice<UInt8> {
    /// What stands before the first line feed that something other than white space precedes, and all when there is none.
    fileprivate var firstLine: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isSpace }),
            let end = self[first...].firstIndex(of: UInt8(ascii: "\n"))
        else { return self }
        return self[..<end]
    }
}
