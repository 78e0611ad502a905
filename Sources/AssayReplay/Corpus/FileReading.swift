import Assay
import AssayPrimitives

/// Cuts one file of a corpus into records.
struct FileReading {
    private enum Form {
        case lines
        /// The records of a JSON document, or why the file has none.
        case items(ArraySlice<CorpusItem.Content>)
    }

    let file: CorpusFile
    private let options: CorpusOptions
    private var lines: LineReader
    private var form = Form.lines
    private var lineNumber = 0
    private var number = 0
    private var blankLines = 0
    private var isFinished = false
    private var sealedLines = SealedLineCount()
    /// What is wrong with the number of sealed records that the last record of them has, until it is reported.
    private var wrongEnd: (line: Int, problem: String)?

    /// Whether the file stopped within sealed records, without the line that ends them.
    var lacksEnd: Bool { !options.isPart && sealedLines.lacksEnd }

    /// Reads the beginning of the file and detects its form.
    init(_ file: CorpusFile, _ input: any ByteInput, options: CorpusOptions) {
        self.file = file
        self.options = options
        lines = LineReader(input, chunkSize: options.chunkSize, limit: options.recordLimit)
        guard !options.isLines else { return }
        lines.readFirstLine()
        let beginning = lines.unread
        // Only the first line: the amount read beyond it depends on the chunk size.
        if let encoding = TextEncoding.other(in: beginning.firstLine, isBeginning: true) {
            form = .items([.unreadable(UnreadableItem(encoding))])
        } else if let first = beginning.first(where: { !$0.isSpace }) {
            if let items = readDocument(beginningWith: first) { form = .items(items[...]) }
        } else if beginning.count <= options.recordLimit, lines.failure == nil {
            let words = beginning.isEmpty ? "it is empty" : "it is empty but for white space"
            form = .items([.unreadable(UnreadableItem(words))])
        }
    }

    /// The records of a file that is one JSON value; nil for a file of lines.
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

    /// Whether the next record or the end has been read.
    var hasRead: Bool {
        switch form {
        case .items: true
        case .lines: isFinished || lines.hasLine
        }
    }

    var mayReadOnce: Bool { lines.isShort }

    mutating func readOnce() { lines.readOnce() }

    /// The next records; nil at the end. Returns a smaller batch instead of blocking for more.
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
                        if let failure = lines.failure { items.append(unreadable(failure)) }
                    }
                    break
                }
                lineNumber += 1
                if case .endless = line {
                    isFinished = true
                    let words = "the line has more than \(LineReader.maximumSkipped * options.recordLimit) bytes"
                    items.append(unreadable(InputFailure(message: words)))
                    break
                }
                if let item = item(line) {
                    items.append(item)
                    if let (line, problem) = wrongEnd {
                        wrongEnd = nil
                        items.append(
                            CorpusItem(
                                .unreadable(UnreadableItem(problem)),
                                at: CorpusPlace(file: file, line: line, number: number)))
                    }
                } else {
                    blankLines += 1
                    guard blankLines <= options.blankLineLimit else {
                        isFinished = true
                        items.append(
                            unreadable(
                                InputFailure(message: "more than \(options.blankLineLimit) lines of the file are blank")
                            ))
                        break
                    }
                }
            }
            return items.isEmpty ? nil : CorpusBatch(file: file, items: items)
        }
    }

    /// Adds the place to a part of a document. An error about the whole document has number 0.
    private mutating func place(_ content: CorpusItem.Content) -> CorpusItem {
        number += 1
        var isFile = false
        if case .unreadable(let item) = content { isFile = number == 1 && isFinished && item.id == nil }
        return CorpusItem(content, at: CorpusPlace(file: file, line: nil, number: isFile ? 0 : number))
    }

    private mutating func unreadable(_ failure: InputFailure) -> CorpusItem {
        number += 1
        return CorpusItem(
            .unreadable(UnreadableItem("\(failure.message); nothing is read from this line on")),
            at: CorpusPlace(file: file, line: lineNumber, number: number))
    }

    /// The record of a line; nil for a blank line, and for the end of sealed records.
    private mutating func item(_ line: LineReader.Line) -> CorpusItem? {
        switch line {
        case .endless: return nil
        case .tooLong(let count):
            number += 1
            sealedLines.takeUnread()
            let item = UnreadableItem("the line has \(count) bytes, at most \(options.recordLimit) are allowed")
            return CorpusItem(.unreadable(item), at: CorpusPlace(file: file, line: lineNumber, number: number))
        case .bytes(let bytes):
            // Fast path: the first byte of nearly all lines is not white space.
            if bytes.first?.isSpace ?? true, bytes.allSatisfy(\.isSpace) { return nil }
            switch sealedLines.take(bytes) {
            case .record, .lastRecord(problem: nil): break
            case .end(problem: nil): return nil
            case .lastRecord where options.isPart: break
            case .end where options.isPart: return nil
            case .end(let problem?):
                return CorpusItem(
                    .unreadable(UnreadableItem(problem)),
                    at: CorpusPlace(file: file, line: lineNumber, number: number))
            case .lastRecord(let problem?): wrongEnd = (lineNumber, problem)
            }
            number += 1
            return CorpusItem(.line(bytes), at: CorpusPlace(file: file, line: lineNumber, number: number))
        }
    }
}

extension UnreadableItem {
    /// Describes an unreadable part of a document.
    init(_ failure: RecordFile.Unreadable) {
        // RecordFile names records without an ID by their number. The place contains it already.
        let id = failure.record.flatMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? nil : $0 }
        self.init(id: id, failure.error.description)
    }
}

extension ArraySlice<UInt8> {
    /// All bytes up to the first line feed after a byte other than white space.
    fileprivate var firstLine: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isSpace }),
            let end = self[first...].firstIndex(of: UInt8(ascii: "\n"))
        else { return self }
        return self[..<end]
    }
}
