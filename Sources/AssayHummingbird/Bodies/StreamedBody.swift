import Assay
import AssayCore
import Hummingbird
import NIOCore
import Synchronization

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

/// The outcome of a request whose body is streamed.
final class StreamedOutcome: Sendable {
    private let held: Mutex<RequestDecision>

    /// Begins with a decision that is ``RequestOutcome/pending``.
    init(_ decision: RequestDecision) { held = Mutex(decision) }

    /// ``RequestOutcome/pending`` until the body has ended.
    var decision: RequestDecision { held.withLock { $0 } }

    func set(_ decision: RequestDecision) { held.withLock { $0 = decision } }
}

/// Reads a body for the handler, and decides about the message before it delivers the last part.
///
/// An actor, because the handler and then the middleware read from it.
actor StreamedBodyReader {
    private let body: RequestBody
    private let contentLength: Int?
    private let limit: Int
    /// Decides about a body that was read completely.
    private let decide: @Sendable (CoveredDigests) async -> RequestDecision
    /// Whether a decision ends the reading with an error.
    private let refuses: @Sendable (RequestDecision) -> Bool
    private let outcome: StreamedOutcome
    private var iterator: RequestBody.AsyncIterator?
    private var digests: CoveredDigests
    private var length = 0
    private var held: ByteBuffer?
    private var isReading = false

    init(
        _ body: RequestBody, contentLength: Int?, limit: Int, _ digests: CoveredDigests, outcome: StreamedOutcome,
        decide: @escaping @Sendable (CoveredDigests) async -> RequestDecision,
        refuses: @escaping @Sendable (RequestDecision) -> Bool
    ) {
        self.body = body
        self.contentLength = contentLength
        self.limit = limit
        self.digests = digests
        self.outcome = outcome
        self.decide = decide
        self.refuses = refuses
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
            length += part.readableBytes
            guard length <= limit else { return try end(outcome.decision.with(.unjudged(.bodyTooLong)), part) }
            digests.update(part)
            let former = held
            held = part
            if let former { return former }
        }
        // After the end. Under `annotate`, the rest of a body over the limit follows.
        return try await refuses(outcome.decision) ? nil : part()
    }

    /// Reads the body to its end.
    func drain() async {
        while (try? await next()) != nil {}
    }

    private func part() async throws -> ByteBuffer? {
        var iterator = self.iterator ?? body.makeAsyncIterator()
        defer { self.iterator = iterator }
        do { return try await iterator.next(isolation: self) } catch is TimedBody.Slow {
            outcome.set(outcome.decision.with(.unjudged(.bodyTooSlow)))
            throw StreamedBodyError(outcome: .unjudged(.bodyTooSlow))
        } catch {
            outcome.set(outcome.decision.with(.unjudged(.bodyLengthDiffers)))
            throw error
        }
    }

    private func finish() async throws(StreamedBodyError) -> ByteBuffer? {
        // A broken connection looks like the end of the body.
        if let contentLength, contentLength != length {
            return try end(outcome.decision.with(.unjudged(.bodyLengthDiffers)), nil)
        }
        return try end(await decide(digests), nil)
    }

    private func end(_ result: RequestDecision, _ part: ByteBuffer?) throws(StreamedBodyError) -> ByteBuffer? {
        outcome.set(result)
        guard !refuses(result) else { throw StreamedBodyError(outcome: result.outcome) }
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
