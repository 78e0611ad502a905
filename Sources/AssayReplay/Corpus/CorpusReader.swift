import AssayCore

/// Reads the records of files, of folders of files, and of standard input.
///
/// - Files in folders are those named `*.json`, `*.ndjson` and `*.jsonl`, each also with `.gz` or `.zst`, in the byte
///   order of their paths, those of folders in folders included. A file that is named itself may be called anything.
/// - What is compressed with gzip (RFC 1952) or zstd (RFC 8878) is known by its first bytes, standard input too.
/// - Memory stays flat, however large a file of lines is. A JSON array, and a record that takes up several lines, are
///   read whole, up to ``AssayCore/InputLimits/record``.
/// - A file is read as far as it went when it was opened, and to the end of the line at which that was.
/// - What cannot be read is an item that says why, and what follows it is read.
public final class CorpusReader: CorpusSource {
    /// How many things that are passed over are told one by one.
    private static let noteLimit = 100

    private let paths: [String]
    private let options: CorpusOptions
    private var walk: CorpusWalk
    private var reading: FileReading?
    private var input: FileInput?
    private var finishedBytes = 0
    private var notes: [String] = []
    private var noteCount = 0

    /// Prepares to read; nothing is opened yet.
    ///
    /// - Parameter paths: files, folders, and `-` for standard input.
    /// - Throws: ``CorpusError`` when no path is given, one that is none, or standard input twice.
    public init(paths: [String], options: CorpusOptions = CorpusOptions()) throws(CorpusError) {
        guard !paths.isEmpty else {
            throw CorpusError("a corpus is at least one file or folder, or - for standard input")
        }
        guard paths.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else {
            throw CorpusError("the path of a corpus is empty or has a NUL in it")
        }
        guard paths.filter({ $0 == "-" }).count <= 1 else { throw CorpusError("standard input can be read once") }
        self.paths = paths
        self.options = options
        walk = CorpusWalk(paths: paths, standardInputName: options.standardInputName)
    }

    /// How many bytes were read so far; of compressed files, compressed ones.
    public var bytesRead: Int { finishedBytes + (input?.position ?? 0) }

    /// How many bytes there are to be read, compressed as they are; nil when standard input, a pipe or a device is among
    /// them. Looks at every file, so ask once.
    public var totalBytes: Int? {
        var walk = CorpusWalk(paths: paths, standardInputName: options.standardInputName)
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

    /// The next records, and nil after the last ones. Blocks the thread while they are read.
    public func next() -> CorpusBatch? {
        while true {
            if let batch = reading?.nextBatch() { return batch }
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

    /// Whether the next record has been read, or it can be told that there is none. What a pipe has of a record is read
    /// here. Part of one may be taken for all of it where the pipe is compressed, or when more than a piece has come.
    public func isReady(within milliseconds: Int) -> Bool {
        guard reading != nil, let input else { return true }
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        var patience = milliseconds
        while reading?.hasRead == false {
            guard input.isReady(within: patience) else { return false }
            guard reading?.mayReadOnce == true else { return true }
            reading?.readOnce()
            let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            patience = max(0, Int(rest.rounded(.up)))
        }
        return true
    }

    /// What was passed over since this was last asked, such as sockets in folders: sentences with their path.
    public func takeNotes() -> [String] {
        defer { (notes, noteCount) = ([], 0) }
        let untold = noteCount - notes.count
        return untold > 0 ? notes + ["\(untold) more are passed over"] : notes
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
