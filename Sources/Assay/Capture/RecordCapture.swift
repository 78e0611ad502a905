public import AssayCore
public import FoundationEssentials
import Synchronization

/// Writes evidence as records, one per line, for replays.
///
///     let capture = try RecordCapture(folder: "/var/lib/shop/captures")
///     ...
///     let verdict = try await verifier.verify(input, at: now)
///     // answer the request, and then:
///     try capture.append(EvidenceRecord(input, id: requestID, receivedAt: now), verdict: verdict, at: now)
///
/// - Only the user can read the folder (mode 0700) and the files (0600). A file name has the time, the process and a
///   number. ``CaptureOptions`` limits size and age of a file. Processes may share a folder; each writes its own files.
/// - Each line is one write(2). After a crash or on a full disk the file has whole lines. After a power cut the last
///   line may be broken, which a replay reports and skips.
/// - The last line of a file of sealed records has their number, from the next file or ``close()`` on. A replay reports a file
///   without it: it was cut, or the process was killed.
///
/// A list of revoked certificates decides about Android key attestations; `EvidenceRecord(_:verdict:)` names it in the
/// record. The folder `status-lists` keeps the newest 400 lists by SHA-256, so that a replay can judge by the list of
/// the time.
/// - A failed capture only throws and never affects a verdict. ``append(_:verdict:at:)`` may wait for other threads and
///   the page cache, but not for the disk; see ``flush()``.
public final class RecordCapture: Sendable {
    private struct State {
        var file: CaptureFile?
        var number = 0
        var isClosed = false
    }

    private let folder: CaptureFolder
    private let options: CaptureOptions
    private let state = Mutex(State())
    /// The digest of the last stored document.
    private let documents = Mutex<[UInt8]>([])

    /// Creates the folder if it is missing. The first record creates the first file.
    ///
    /// - Throws: ``CaptureError`` when the folder cannot be created, or an option is out of range.
    public init(folder: String, options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
        try options.validate()
        self.options = options
        self.folder = try CaptureFolder(folder)
    }

    /// Appends a record.
    ///
    /// - Parameters:
    ///   - record: the evidence; without `receivedAt` it gets the time of the verdict, or `now`.
    ///   - verdict: its verdict. Outcome and failed checks become the record's `expect`, which replays compare.
    ///   - now: the current time, for the names of files.
    /// - Throws: ``CaptureError`` when the record was not written. The code `retention` means that it was written, but
    ///   older files could not be removed.
    public func append(_ record: EvidenceRecord, verdict: Verdict? = nil, at now: Date) throws(CaptureError) {
        guard now.timeIntervalSince1970.isFinite else { throw CaptureError(.option, "the present time is finite") }
        // Outside the lock: sealing takes longer than writing.
        let line = try judged(record, verdict, at: now).captureLine(options.fields)
        if let document = verdict?.engineSubject?.document { try keep(document) }
        try state.withLock { (state) throws(CaptureError) in
            guard !state.isClosed else { throw CaptureError(.closed, "the capture was closed") }
            try write(line, &state, at: now)
        }
    }

    /// The record as it is written, before its fields are protected.
    package func judged(_ record: EvidenceRecord, _ verdict: Verdict?, at now: Date) -> EvidenceRecord {
        let expect = verdict.map {
            EvidenceRecord.Expectation(outcome: $0.outcome, failed: $0.failed.map { .init(check: $0.name, code: nil) })
        }
        var judged = record.showing(options.addresses)
        // Not the time of writing: a replay compares it with the times of enrolments.
        judged.receivedAt = record.receivedAt ?? verdict?.judgedAt ?? now
        judged.expect = expect ?? record.expect
        // A device token is for one use, and what Apple said decides again in a replay: what a client says it said does not.
        judged.deviceToken = nil
        if let verdict { judged.deviceBits = verdict.deviceBits }
        // A signed one is in the evidence.
        if let property = verdict?.property, !property.isSigned { judged.property = property.value }
        return judged
    }

    /// How many capture files the folder has, and their bytes together.
    package func contents() throws(CaptureError) -> (files: Int, bytes: Int) {
        let files = try folder.files()
        return (files.count, files.reduce(0) { $0 + $1.size })
    }

    /// Writes the document of a verdict beside the captures, once for each document.
    private func keep(_ document: some ConsultedDocument) throws(CaptureError) {
        guard documents.withLock({ $0 != document.digest }) else { return }
        try DocumentFolder(beside: folder.path).keep(document)
        documents.withLock { $0 = document.digest }
    }

    private func write(_ line: [UInt8], _ state: inout State, at now: Date) throws(CaptureError) {
        if let file = state.file, let size = try file.size(), size == 0 || size + line.count <= options.maximumBytes,
            now.timeIntervalSince(file.begin) < options.maximumAge
        {
            return try file.append(line, size: size)
        }
        // Throw the error after the write.
        var problem: CaptureError?
        do throws(CaptureError) { try end(state.file) } catch {
            problem = CaptureError(.retention, "the file before has no end: \(error.message)")
        }
        let file = try folder.createFile(&state.number, at: now)
        state.file = file
        // Before the write, which may need the space.
        do throws(CaptureError) {
            try folder.removeOldest(keeping: options, besides: file.path, at: now)
        } catch {
            problem = error
        }
        // The folder may be a new one, without documents.
        documents.withLock { $0 = [] }
        try file.append(line, size: 0)
        if let problem { throw problem }
    }

    /// Writes the number of records behind the sealed ones of a file.
    private func end(_ file: CaptureFile?) throws(CaptureError) {
        guard case .seal = options.fields, let file, let size = try file.size(), size > 0 else { return }
        try file.append(Array("\(SealedFileEnd.line(records: file.lines))\n".utf8), size: size)
    }

    /// Proves that files can be written in the folder.
    package func requireWritable() throws(CaptureError) { try folder.requireWritable() }

    /// Ends the current file if it is older than ``CaptureOptions/maximumAge``, and removes files beyond the limits, as the next record
    /// would: for folders that get few records.
    package func tidy(at now: Date) throws(CaptureError) {
        try state.withLock { (state) throws(CaptureError) in
            if let file = state.file, now.timeIntervalSince(file.begin) >= options.maximumAge {
                state.file = nil
                try end(file)
            }
            try folder.removeOldest(keeping: options, besides: state.file?.path, at: now)
        }
    }

    /// Returns when all appended records would survive a power cut.
    public func flush() throws(CaptureError) {
        try state.withLock { (state) throws(CaptureError) in try state.file?.flush() }
    }

    /// Flushes and closes. Later records throw; closing again does nothing.
    public func close() throws(CaptureError) {
        try state.withLock { (state) throws(CaptureError) in
            let file = state.file
            state.file = nil
            state.isClosed = true
            var problem: CaptureError?
            do throws(CaptureError) { try end(file) } catch { problem = error }
            try file?.flush()
            if let problem { throw problem }
        }
    }
}
