import Assay

/// Reads the records of files, of folders of files, and of standard input.
///
/// - In folders it reads `*.json`, `*.ndjson` and `*.jsonl`, each also with `.gz` or `.zst`, subfolders included, in
///   the byte order of their paths. A file given by its own path may have any name.
/// - It detects gzip (RFC 1952) and zstd (RFC 8878) by their first bytes, also on standard input.
/// - It streams lines in constant memory. It reads a JSON array, or a record on several lines, as a whole, up to
///   `InputLimits.record`.
/// - It reads nothing of a file after a line of more than four times `InputLimits.record`.
/// - It reads a file up to its size at opening, and on to the end of that line.
public final class CorpusReader: CorpusSource {
    /// The most notes kept; further ones are only counted.
    private static let noteLimit = 100

    private let paths: [String]
    private let options: CorpusOptions
    private var walk: CorpusWalk
    private var reading: FileReading?
    private var input: FileInput?
    private var finishedBytes = 0
    private var notes: [String] = []
    private var noteCount = 0

    /// Prepares to read. Opens nothing yet.
    ///
    /// - Parameter paths: files, folders, and `-` for standard input.
    /// - Throws: ``CorpusError`` for no path, an invalid one, or standard input twice.
    public convenience init(paths: [String]) throws(CorpusError) {
        try self.init(paths: paths, options: CorpusOptions())
    }

    package init(paths: [String], options: CorpusOptions) throws(CorpusError) {
        guard !paths.isEmpty else {
            throw CorpusError("a corpus is at least one file or folder, or - for standard input")
        }
        guard paths.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else {
            throw CorpusError("the path of a corpus is empty or has a NUL in it")
        }
        guard paths.filter({ $0 == "-" }).count <= 1 else { throw CorpusError("standard input can be read once") }
        self.paths = paths
        self.options = options
        walk = CorpusWalk(paths: paths)
    }

    /// The number of bytes read so far, before decompression.
    package var bytesRead: Int { finishedBytes + (input?.position ?? 0) }

    /// The bytes of the corpus before decompression; nil with standard input, pipes or devices. Inspects every file.
    package var totalBytes: Int? {
        var walk = CorpusWalk(paths: paths)
        var total = 0
        while let finding = walk.next() {
            guard case .file(let found) = finding else { continue }
            guard let path = found.path else { return nil }
            guard let status = FileStatus(path) else { continue }
            guard status.isRegular else { return nil }
            total += status.size
        }
        return total
    }

    /// The next records; nil at the end. Blocks the thread.
    package func next() -> CorpusBatch? {
        while true {
            if let batch = reading?.nextBatch() { return batch }
            if let reading, reading.lacksEnd { add("\(reading.file.name): \(SealedFileEnd.absence)") }
            finishedBytes += input?.position ?? 0
            (reading, input) = (nil, nil)
            guard let finding = walk.next() else { return nil }
            switch finding {
            case .note(let note): add(note)
            case .unreadable(let file, let words): return CorpusReader.unreadable(file, words)
            case .file(let found):
                do throws(InputFailure) {
                    reading = try open(found)
                } catch {
                    return CorpusReader.unreadable(found.file, error.message)
                }
            }
        }
    }

    /// Whether the next record or the end has been read. Reads what a pipe holds. May return true too early for a
    /// compressed pipe, or for a pipe that holds more than one chunk of an unfinished record.
    package func isReady(within milliseconds: Int) -> Bool {
        guard reading != nil, let input else { return true }
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        var remaining = milliseconds
        while reading?.hasRead == false {
            guard input.isReady(within: remaining) else { return false }
            guard reading?.mayReadOnce == true else { return true }
            reading?.readOnce()
            let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            remaining = max(0, Int(rest.rounded(.up)))
        }
        return true
    }

    /// Returns and clears the notes about skipped entries, such as sockets in folders. Each contains the path.
    package func takeNotes() -> [String] {
        defer { (notes, noteCount) = ([], 0) }
        let more = noteCount - notes.count
        return more > 0 ? notes + ["\(more) more are passed over"] : notes
    }

    private func add(_ note: String) {
        noteCount += 1
        if notes.count < CorpusReader.noteLimit { notes.append(note) }
    }

    private func open(_ found: FoundFile) throws(InputFailure) -> FileReading {
        let file: FileInput
        if let path = found.path {
            file = try FileInput.open(path, isNamed: found.isNamed)
        } else {
            file = try FileInput.standardInput()
        }
        input = file
        let beginning = try file.peek(4)
        let bytes: any ByteInput
        if beginning.starts(with: GzipInput.magic) {
            bytes = try GzipInput(file)
        } else if ZstdInput.isMagic(beginning) {
            bytes = try ZstdInput(file)
        } else {
            file.readsToLineEnd = true
            bytes = file
        }
        return FileReading(found.file, bytes, options: options)
    }

    private static func unreadable(_ file: CorpusFile, _ words: String) -> CorpusBatch {
        let item = CorpusItem(.unreadable(UnreadableItem(words)), at: CorpusPlace(file: file, line: nil, number: 0))
        return CorpusBatch(file: file, items: [item])
    }
}
