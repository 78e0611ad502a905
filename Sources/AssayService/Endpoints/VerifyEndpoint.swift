import Assay
import AssayCore
import FoundationEssentials
import HTTPTypes
import Logging
import NIOCore

/// `POST /v1/verify`: judges one evidence record, or a stream of them.
struct VerifyEndpoint: Sendable {
    let state: ServiceState
    let configuration: ServiceConfiguration
    let metrics: MetricsRegistry
    let logger: Logger

    init(
        _ state: ServiceState, _ configuration: ServiceConfiguration, _ metrics: MetricsRegistry, _ logger: Logger
    ) {
        (self.state, self.configuration, self.metrics, self.logger) = (state, configuration, metrics, logger)
    }

    var endpoint: Endpoint {
        Endpoint(
            .post, "/v1/verify", .right(.verify), "verify",
            "Judges an evidence record, or a stream of them, at the present time.",
            body: [
                "application/json": .reference("schemas/Record"), "application/x-ndjson": .string("One record a line."),
            ],
            outcome:
                "The verdict, accepting or not. Of a stream: one line for each record, a verdict or an object with `problem`.",
            content: ["application/json": .reference("schemas/Verdict"), "application/x-ndjson": .string()],
            problems: [422, 500]
        ) { (served) async throws(Problem) in
            switch served.request.mediaType {
            case "application/json": try await verifyOne(&served)
            case "application/x-ndjson": stream(&served)
            case let found:
                throw Problem.mediaType(found, "application/json or application/x-ndjson")
            }
        }
    }

    /// Judges a record at the present time. The body is byte for byte what `assay verify --json` prints for it.
    private func verifyOne(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let limits = configuration.limits
        let bytes = try await served.wholeBody(upTo: limits.body, within: limits.bodyTime)
        let record: EvidenceRecord
        do throws(RecordFile.Unreadable) { record = try RecordFile.readLine(bytes[...]).get() } catch {
            state.recent.add(.record(error.error), RecentSource(.verify, served.id, record: error.record))
            served.note.record = error.record
            throw Problem(error.error)
        }
        served.note.take(record)
        let verdict: Verdict
        do throws(VerificationError) {
            verdict = try await verify(record)
        } catch {
            state.recent.add(error, RecentSource(.verify, served.id, record))
            throw Problem(error, retryAfter: configuration.retryAfter)
        }
        state.recent.add(verdict, RecentSource(.verify, served.id, record))
        served.note.take(verdict)
        return .json(verdict.jsonBytes(id: record.id))
    }

    private func verify(_ record: EvidenceRecord) async throws(VerificationError) -> Verdict {
        let verdict = try await state.verifier.verify(record, at: Date())
        state.capture?.offer(verdict) { record.received(at: verdict.judgedAt) }
        return verdict
    }

    /// Judges the records of a stream in order. Each line of the answer is a verdict or a problem; the client's reading limits how fast
    /// records are read. A token that is revoked or ends meanwhile ends the stream.
    private func stream(_ served: inout ServiceRequest) -> Response {
        let (body, slot, caller) = (served.request.body, served.slot, served.caller)
        let (channel, deadlines) = (served.channel, served.deadlines)
        let (id, name) = (served.id, served.calledBy?.name)
        let answer = ResponseBody.stream { writer in
            defer { withExtendedLifetime(slot) {} }
            var lines = RecordLines(body, of: channel, deadlines, limits: configuration.limits)
            var asked = ContinuousClock.now
            while let line = await lines.next() {
                var note = RequestNote(caller: name)
                if ContinuousClock.now - asked > Self.callerInterval {
                    do throws(Problem) { _ = try await caller() } catch {
                        if let outage = error.uncounted { metrics.count(outage) }
                        note.take(error)
                        log(note, error.status.code, id)
                        try await writer.write(ByteBuffer(string: Self.line(error, id: nil) + "\n"))
                        break
                    }
                    asked = .now
                }
                let text: String
                do throws(Problem) {
                    text = try await judge(line, id, &note)
                    log(note, 200, id)
                } catch {
                    note.take(error)
                    log(note, error.status.code, id)
                    text = Self.line(error, id: note.record)
                }
                try await writer.write(ByteBuffer(string: text + "\n"))
            }
        }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"], body: answer)
    }

    /// How often a stream authenticates its caller again.
    private static let callerInterval = Duration.seconds(1)

    /// The verdict on the record of a line, as JSON.
    private func judge(
        _ line: Result<[UInt8], Problem>, _ request: RequestID, _ note: inout RequestNote
    ) async throws(Problem) -> String {
        let bytes = try line.get()
        let record: EvidenceRecord
        // An unreadable record is named by its `id`, if that can be read.
        do throws(RecordFile.Unreadable) { record = try RecordFile.readLine(bytes[...]).get() } catch {
            state.recent.add(.record(error.error), RecentSource(.stream, request, record: error.record))
            note.record = error.record
            throw Problem(error.error)
        }
        note.take(record)
        do throws(VerificationError) {
            let verdict = try await verify(record)
            state.recent.add(verdict, RecentSource(.stream, request, record))
            note.take(verdict)
            return verdict.json(id: record.id)
        } catch {
            state.recent.add(error, RecentSource(.stream, request, record))
            throw Problem(error, retryAfter: configuration.retryAfter)
        }
    }

    /// Logs the outcome of a record of a stream, at the level that a request with the status would have.
    private func log(_ note: RequestNote, _ status: Int, _ id: RequestID) {
        let level = note.level(status)
        guard level >= logger.logLevel else { return }
        var metadata: Logger.Metadata = ["assay.requestId": "\(id)"]
        note.write(to: &metadata, state.verifier.policy.logAccounts)
        logger.log(level: level, "record", metadata: metadata)
    }

    private static func line(_ problem: Problem, id: String?) -> String {
        var object = JSONObject()
        if let id { object.add("id", text: id) }
        object.add("problem", raw: problem.json)
        return object.text
    }
}

/// The lines of a body that are not blank, one at a time.
private struct RecordLines {
    private let limits: ServiceConfiguration.Limits
    private let channel: any Channel
    private let deadlines: BodyDeadlines
    private let body: RequestBody
    private var buffer = ByteBuffer()
    private var isEnded = false
    /// How many bytes of the buffer have no line end.
    private var scanned = 0
    /// When the present line began.
    private var begin = ContinuousClock.now

    init(
        _ body: RequestBody, of channel: any Channel, _ deadlines: BodyDeadlines, limits: ServiceConfiguration.Limits
    ) {
        (self.limits, self.channel, self.deadlines, self.body) = (limits, channel, deadlines, body)
    }

    /// The next line; nil at the end. After a problem there is none: where the next line begins is not known.
    @concurrent mutating func next() async -> Result<[UInt8], Problem>? {
        while true {
            if let line = takeLine() {
                begin = .now
                if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
                return .success(line)
            }
            if isEnded { return nil }
            guard buffer.readableBytes <= limits.line else {
                isEnded = true
                return .failure(
                    Problem(
                        .contentTooLarge, .lineTooLong, "a line has at most \(limits.line) bytes; see limits.line"))
            }
            // A gap is the client's only while the stream waits for it, not while a record is judged.
            let deadline = deadlines.add(channel, after: limits.idleTime)
            defer { deadlines.remove(deadline) }
            do {
                guard let part = try await body.next() else {
                    isEnded = true
                    buffer.writeBytes([0x0A])
                    continue
                }
                if buffer.readableBytes == 0 {
                    begin = .now
                } else if ContinuousClock.now - begin > .seconds(limits.bodyTime) {
                    isEnded = true
                    return .failure(.slow(limits.bodyTime))
                }
                buffer.discardReadBytes()
                buffer.writeImmutableBuffer(part)
            } catch is SlowBody {
                isEnded = true
                return .failure(.slow(limits.idleTime, limit: "limits.idleTime"))
            } catch {
                isEnded = true
                return .failure(.cut)
            }
        }
    }

    private mutating func takeLine() -> [UInt8]? {
        guard let end = buffer.readableBytesView.dropFirst(scanned).firstIndex(of: 0x0A) else {
            scanned = buffer.readableBytes
            return nil
        }
        scanned = 0
        let line = buffer.readBytes(length: end - buffer.readerIndex)
        buffer.moveReaderIndex(forwardBy: 1)
        return line
    }
}
