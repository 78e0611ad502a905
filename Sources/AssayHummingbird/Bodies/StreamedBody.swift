import AssayCore
public import AssayHTTP
import Hummingbird
import NIOCore

/// Ends the reading of a streamed body when its message is refused.
public struct StreamedBodyError: Error, Sendable, CustomStringConvertible {
    /// Why the request is refused; ``RequestOutcome/pending`` if two tasks read the body at the same time.
    public let outcome: RequestOutcome

    /// The sentence.
    public var description: String {
        switch outcome {
        case .verdict(let verdict): "the message is rejected: \(verdict.failed.first?.name ?? "-") failed"
        case .outage(let outage): "the message cannot be accepted now: \(outage.description)"
        case .misconfigured(let error): error.description
        case .unjudged(.bodyTooLong): "the body is longer than the limit"
        case .unjudged(.bodyTooSlow): "the body did not arrive in time"
        case .unjudged: "the body was cut, or has another length than Content-Length says"
        case .pending, .off: "the body is being read by another task; read it in one"
        }
    }
}

/// Reads a body for the handler, and decides about the message before it delivers the last part.
///
/// An actor, because the handler and then the middleware read from it.
actor StreamedBodyReader {
    private let body: RequestBody
    private let request: UnreadRequest
    private let options: EvidenceGuard.Options
    private var iterator: RequestBody.AsyncIterator?
    private var digests: BodyDigests
    private var held: ByteBuffer?
    private var isReading = false
    /// The outcome, which is pending until the body has ended.
    nonisolated let outcome: StreamedOutcome

    init(_ body: RequestBody, of request: UnreadRequest, _ options: EvidenceGuard.Options) {
        (self.body, self.request, self.options) = (body, request, options)
        digests = request.digests
        outcome = StreamedOutcome(request.decision(.pending))
    }

    /// The next part. It delivers the last part only after the message is accepted, or if refusals are not enforced.
    ///
    /// - Throws: ``StreamedBodyError`` for a refused message, and errors of the connection.
    func next() async throws -> ByteBuffer? {
        guard !isReading else { throw StreamedBodyError(outcome: .pending) }
        isReading = true
        defer { isReading = false }
        while case .pending = outcome.decision.outcome {
            guard let part = try await part() else { return try await finish() }
            guard part.readableBytes > 0 else { continue }
            guard digests.length + part.readableBytes <= options.body.limit else {
                return try end(request.decision(.unjudged(.bodyTooLong)), part)
            }
            digests.update(part.readableBytesSpan)
            let former = held
            held = part
            if let former { return former }
        }
        // After the end. Under `annotate`, the rest of a body over the limit follows.
        return try await options.refuses(outcome.decision) ? nil : part()
    }

    /// Reads the body to its end.
    func drain() async {
        while (try? await next()) != nil {}
    }

    private func part() async throws -> ByteBuffer? {
        var iterator = self.iterator ?? body.makeAsyncIterator()
        defer { self.iterator = iterator }
        do { return try await iterator.next(isolation: self) } catch is TimedBody.Slow {
            outcome.set(request.decision(.unjudged(.bodyTooSlow)))
            throw StreamedBodyError(outcome: .unjudged(.bodyTooSlow))
        } catch {
            outcome.set(request.decision(.unjudged(.bodyLengthDiffers)))
            throw error
        }
    }

    private func finish() async throws(StreamedBodyError) -> ByteBuffer? {
        try end(await request.decide(.digests(digests)), nil)
    }

    private func end(_ result: RequestDecision, _ part: ByteBuffer?) throws(StreamedBodyError) -> ByteBuffer? {
        outcome.set(result)
        guard !options.refuses(result) else { throw StreamedBodyError(outcome: result.outcome) }
        var last = held.take() ?? ByteBuffer()
        if let part { last.writeImmutableBuffer(part) }
        return last.readableBytes > 0 ? last : nil
    }
}

/// The body of a request for the handler.
struct StreamedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let reader: StreamedBodyReader

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: StreamedBodyReader

        mutating func next() async throws -> ByteBuffer? { try await reader.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}
