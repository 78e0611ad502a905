public import AssayCore
public import FoundationEssentials
import Synchronization

/// Writes evidence as records, one per line, so that it can be judged again: under tomorrow's policy, or to see why it was
/// rejected.
///
///     let capture = try RecordCapture(folder: "/var/lib/shop/captures")
///     ...
///     let verdict = try await verifier.verifyAssertion(input, at: now)
///     // answer the request, and then:
///     try capture.append(EvidenceRecord(input, id: requestID, receivedAt: now), verdict: verdict, at: now)
///
/// - The folder is made for its user alone (mode 0700), and so is each file (0600). Files are named for the time, the
///   process and their number, and a new one begins when the present one is full or old: see ``CaptureOptions``. Several
///   processes may share a folder; none writes to a file of another.
/// - Each line is one write(2) at the end of its file. A process that is killed, or a disk that is full, leaves whole
///   lines; only a power cut may leave a broken last one, which a replay reports and passes over.
/// - An error is thrown and nothing else happens: capturing never decides about a request. It waits for the page cache of
///   the system and for others who append at the same time, not for the disk; see ``flush()``.
public final class RecordCapture: Sendable {
    private struct State {
        var file: CaptureFile?
        var number = 0
        var isClosed = false
    }

    private let folder: CaptureFolder
    private let options: CaptureOptions
    private let state = Mutex(State())

    /// Makes the folder when it is missing. The first file begins with the first record.
    ///
    /// - Throws: ``CaptureError`` when it cannot be made, or an option is out of range.
    public init(folder: String, options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
        try options.validate()
        self.options = options
        self.folder = try CaptureFolder(folder)
    }

    /// Appends a record.
    ///
    /// - Parameters:
    ///   - record: the evidence; one without a time of receipt gets `now`.
    ///   - verdict: what was said of it: its outcome and its failed checks become the record's `expect`, so that a replay
    ///     tells what has changed since.
    ///   - now: the present time, which files are named for.
    /// - Throws: ``CaptureError`` when the record was not written. With the code `retention` it was, and older files
    ///   could not be removed.
    public func append(_ record: EvidenceRecord, verdict: Verdict? = nil, at now: Date) throws(CaptureError) {
        guard now.timeIntervalSince1970.isFinite else { throw CaptureError(.option, "the present time is finite") }
        let expect = verdict.map {
            EvidenceRecord.Expectation(outcome: $0.outcome, failed: $0.failed.map { .init(check: $0.name, code: nil) })
        }
        let judged = EvidenceRecord(
            id: record.id, kind: record.kind, app: record.app, receivedAt: record.receivedAt ?? now,
            evidence: record.evidence, expect: expect ?? record.expect)
        // Sealing takes longer than writing, and nobody has to wait for it.
        let line = try judged.captureLine(options.fields)
        try state.withLock { (state) throws(CaptureError) in
            guard !state.isClosed else { throw CaptureError(.closed, "the capture was closed") }
            try write(line, &state, at: now)
        }
    }

    private func write(_ line: [UInt8], _ state: inout State, at now: Date) throws(CaptureError) {
        if let file = state.file, let size = try file.size(), size == 0 || size + line.count <= options.maximumBytes,
            now.timeIntervalSince(file.begin) < options.maximumAge
        {
            return try file.append(line, size: size)
        }
        let file = try folder.createFile(&state.number, at: now)
        state.file = file
        // Before the record is written, for which it may make the room, and told after it.
        var problem: CaptureError?
        do throws(CaptureError) {
            try folder.removeOldest(keeping: options, besides: file.path)
        } catch {
            problem = error
        }
        try file.append(line, size: 0)
        if let problem { throw problem }
    }

    /// Waits until what was appended would survive a power cut.
    public func flush() throws(CaptureError) {
        try state.withLock { (state) throws(CaptureError) in try state.file?.flush() }
    }

    /// Flushes, closes the present file and takes no more records. Closing again does nothing.
    public func close() throws(CaptureError) {
        try state.withLock { (state) throws(CaptureError) in
            let file = state.file
            state.file = nil
            state.isClosed = true
            try file?.flush()
        }
    }
}
