public import AssayCore
import CoreMetrics
import Dispatch
package import FoundationEssentials
import Synchronization

/// Captures a share of judged evidence in the background, for servers.
///
///     options.capture = try SampledCapture(folder: "/var/lib/shop/captures", share: 0.01, options: sealed)
///     ...
///     await options.capture?.close()
///
/// - Evidence that names a key or a device is captured by a hash of that name: all evidence of a captured key is captured, so that a replay
///   knows the attestation behind an assertion. The choice is the same in every process with the same public key for captures, without
///   which nobody knows it. Other evidence is captured at random.
/// - Of evidence that is rejected before anything vouches for it, such as a forgery, at most 60 records a minute are taken: it must not
///   take the place of genuine evidence.
/// - A verdict never waits for the disk. At most 1,024 records and 16 MiB wait to be written; further ones are
///   dropped. What cannot be written is lost, and later records are tried again.
/// - `assay_capture_records_total` counts records by `result`: `written`, `dropped` for want of space in memory, `failed` at the disk,
///   and `unrecordable`, such as a request whose body was not read.
public final class SampledCapture: Sendable {
    /// The most records that wait.
    package static let maximumRecords = 1024
    /// The most bytes of evidence that wait, about.
    package static let maximumBytes = 16 << 20
    /// The most records a minute of evidence for which nothing vouches.
    package static let maximumUnproven = 60
    /// How often expired files are removed, in seconds.
    private static let tidyInterval = 600

    /// What became of a record.
    package enum Result: String, CaseIterable, Sendable {
        case written, dropped, failed, unrecordable
    }

    private struct Entry: Sendable {
        let record: EvidenceRecord
        let verdict: Verdict
        let size: Int
    }

    private struct State {
        var entries: [Entry] = []
        /// Of records that are not written yet, with those that are being written.
        var (count, bytes) = (0, 0)
        var (isWriting, isClosed, isFailing) = (false, false, false)
        /// Whether the time for closing is over: what is not written by then is lost.
        var isAbandoned = false
        /// Evidence for which nothing vouches, since a time.
        var unproven: (since: ContinuousClock.Instant, count: Int) = (.now, 0)
        var counts: [Result: Int] = [:]
    }

    private let writer: any RecordWriter
    private let kinds: Set<EvidenceKind>?
    /// The hashes below it are captured; nil for all.
    private let threshold: UInt64?
    private let sequence: Atomic<UInt64>
    /// Decides with a name whether its evidence is captured.
    private let salt: UInt64
    private let maximumUnproven: Int
    private let engines: EngineRegistry
    private let onChange: @Sendable (CaptureError?) -> Void
    private let counters: [Result: any CounterHandler]
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "assay.capture", qos: .utility)

    /// Creates the folder if it is missing, and proves that it can be written to.
    ///
    /// - Parameters:
    ///   - folder: the folder of the files; see ``RecordCapture``.
    ///   - share: the share of evidence that is captured, above 0 and up to 1.
    ///   - kinds: the kinds of evidence to capture; nil for all.
    ///   - options: the protection and the limits of the files.
    ///   - onChange: called in the background with the error when records can no longer be written, and with nil when they can be
    ///     again; not for each record.
    /// - Throws: ``CaptureError`` when the folder cannot be created or written to, or an option is out of range.
    public convenience init(
        folder: String, share: Double, kinds: Set<EvidenceKind>? = nil, options: CaptureOptions,
        onChange: @escaping @Sendable (CaptureError?) -> Void = { _ in }
    ) throws(CaptureError) {
        let capture = try RecordCapture(folder: folder, options: options)
        try capture.requireWritable()
        try self.init(capture, share: share, kinds: kinds, salt: options.salt, onChange: onChange)
    }

    /// Writes with a writer.
    ///
    /// - Parameters:
    ///   - seed: decides which evidence without a key is captured.
    ///   - salt: decides which keys are captured; see ``CaptureOptions/salt``.
    ///   - unproven: the most records a minute of evidence for which nothing vouches.
    package init(
        _ writer: any RecordWriter, share: Double, kinds: Set<EvidenceKind>? = nil, salt: UInt64 = mixers.0,
        unproven: Int = maximumUnproven, seed: UInt64 = .random(in: .min ... .max), engines: EngineRegistry = .standard,
        onChange: @escaping @Sendable (CaptureError?) -> Void = { _ in }
    ) throws(CaptureError) {
        guard share > 0, share <= 1 else {
            throw CaptureError(.option, "the share of captured evidence is above 0 and at most 1")
        }
        self.writer = writer
        self.kinds = kinds
        // 2^64 is no UInt64.
        threshold = share < 1 ? UInt64(share * 0x1p64) : nil
        sequence = Atomic(seed)
        self.salt = salt
        maximumUnproven = unproven
        self.engines = engines
        self.onChange = onChange
        let factory = MetricsSystem.factory
        counters = Dictionary(
            uniqueKeysWithValues: Result.allCases.map { ($0, factory.counter(.captureRecords, [$0.rawValue])) })
        scheduleTidying()
    }

    /// How many records had a result.
    package func count(_ result: Result) -> Int { state.withLock { $0.counts[result] ?? 0 } }

    /// Whether the last record could not be written.
    package var isFailing: Bool { state.withLock(\.isFailing) }

    // MARK: Taking records

    /// Captures evidence if it belongs to the share. Waits neither for the disk nor for encryption.
    ///
    /// - Parameters:
    ///   - verdict: the verdict on the evidence.
    ///   - record: composes the record, only if it is captured; nil if there can be none.
    public func offer(_ verdict: Verdict, _ record: () -> EvidenceRecord?) {
        guard isSampled(verdict) else { return }
        guard let record = record() else { return count(.unrecordable, 1) }
        let entry = Entry(record: record, verdict: verdict, size: record.evidence.weight)
        let isTaken = state.withLock { state in
            guard verdict.isProven || takesUnproven(&state), !state.isClosed, state.count < Self.maximumRecords,
                state.bytes + entry.size <= Self.maximumBytes
            else { return false }
            state.entries.append(entry)
            state.count += 1
            state.bytes += entry.size
            if !state.isWriting {
                state.isWriting = true
                queue.async { self.write() }
            }
            return true
        }
        if !isTaken { count(.dropped, 1) }
    }

    private func takesUnproven(_ state: inout State) -> Bool {
        let now = ContinuousClock.now
        if now - state.unproven.since >= .seconds(60) { state.unproven = (now, 0) }
        state.unproven.count += 1
        return state.unproven.count <= maximumUnproven
    }

    private func isSampled(_ verdict: Verdict) -> Bool {
        if let kinds, !kinds.contains(verdict.kind) { return false }
        guard let threshold else { return true }
        var hash = DeviceHash(key: salt)
        let isNamed = verdict.engineSubject?.hashDevice(into: &hash) ?? false
        return Self.mixed(isNamed ? hash.value : sequence.wrappingAdd(Self.step, ordering: .relaxed).newValue)
            < threshold
    }

    /// SplitMix64, from Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    package static let mixers: (UInt64, UInt64) = (0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB)

    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 30) &* mixers.0
        mixed = (mixed ^ mixed >> 27) &* mixers.1
        return mixed ^ mixed >> 31
    }

    private func count(_ result: Result, _ number: Int) {
        state.withLock { $0.counts[result, default: 0] += number }
        counters[result]?.increment(by: Int64(number))
    }

    // MARK: Writing

    private func write() {
        while true {
            let entries = state.withLock { state in
                defer { state.entries = [] }
                state.isWriting = !state.entries.isEmpty
                return state.entries
            }
            if entries.isEmpty { return }
            for entry in entries {
                guard !state.withLock({ $0.isAbandoned }) else { return }
                write(entry)
                state.withLock { state in
                    state.count -= 1
                    state.bytes -= entry.size
                }
            }
        }
    }

    private func write(_ entry: Entry) {
        var record = entry.record
        func end(_ result: Result, _ problem: CaptureError?) {
            guard !state.withLock({ $0.isAbandoned }) else { return }
            count(result, 1)
            if result != .unrecordable { note(problem) }
        }
        if let engine = engines.engine(for: record.kind) {
            record.evidence = engine.captured(record.evidence, judged: entry.verdict)
        }
        do throws(CaptureError) {
            try writer.append(record, verdict: entry.verdict, at: Date())
            end(.written, nil)
        } catch {
            switch error.reason {
            case .record: end(.unrecordable, nil)
            case .retention: end(.written, error)
            case .folder, .file, .closed, .key, .sealed, .option: end(.failed, error)
            }
        }
    }

    /// Reports the first problem, and its end.
    private func note(_ problem: CaptureError?) {
        let isChange = state.withLock { state in
            defer { state.isFailing = problem != nil }
            return state.isFailing != (problem != nil)
        }
        if isChange { onChange(problem) }
    }

    private func scheduleTidying() {
        queue.asyncAfter(deadline: .now() + .seconds(Self.tidyInterval)) { [weak self] in
            guard let self, !state.withLock({ $0.isClosed }) else { return }
            do throws(CaptureError) { try writer.tidy(at: Date()) } catch { note(error) }
            scheduleTidying()
        }
    }

    // MARK: Closing

    /// Writes what waits, flushes and closes. Evidence that is offered later is dropped; closing again does nothing.
    ///
    /// - Parameter limit: how long this may take. What is not written by then counts as dropped.
    public func close(within limit: Duration = .seconds(5)) async {
        state.withLock { $0.isClosed = true }
        let end = FirstResumption()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            end.set(continuation)
            // Behind the records that wait.
            queue.async {
                do throws(CaptureError) { try self.writer.close() } catch { self.note(error) }
                end.resume()
            }
            let milliseconds = Int(limit / .milliseconds(1))
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { end.resume() }
        }
        let lost = state.withLock { state in
            defer { (state.entries, state.count, state.isAbandoned) = ([], 0, true) }
            return state.count
        }
        if lost > 0 { count(.dropped, lost) }
    }
}

/// Resumes a continuation once.
private final class FirstResumption: Sendable {
    private let continuation = Mutex<CheckedContinuation<Void, Never>?>(nil)

    func set(_ new: CheckedContinuation<Void, Never>) { continuation.withLock { $0 = new } }

    func resume() { continuation.withLock { $0.take() }?.resume() }
}

/// Writes the records of a ``SampledCapture``, one at a time.
package protocol RecordWriter: Sendable {
    /// Appends a record; see ``RecordCapture/append(_:verdict:at:)``.
    func append(_ record: EvidenceRecord, verdict: Verdict?, at now: Date) throws(CaptureError)

    /// Ends a file that is too old, and removes expired ones.
    func tidy(at now: Date) throws(CaptureError)

    /// Flushes and closes.
    func close() throws(CaptureError)
}

extension RecordCapture: RecordWriter {}

extension RecordObject {
    /// The bytes of names and texts, about those of the object as JSON.
    fileprivate var weight: Int { members.reduce(0) { $0 + $1.name.utf8.count + Self.weight($1.value) + 4 } }

    private static func weight(_ value: RecordValue) -> Int {
        switch value.content {
        case .null, .flag: 4
        case .number(let text), .text(let text): text.utf8.count
        case .array(let values): values.reduce(0) { $0 + weight($1) + 1 }
        case .object(let object): object.weight
        }
    }
}
