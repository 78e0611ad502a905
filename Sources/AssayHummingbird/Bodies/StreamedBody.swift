import Approov
import Assay
import Hummingbird
import NIOCore
import Synchronization

/// Whether a body that is read by a handler is the one that was signed.
public final class StreamedBodyCheck: Sendable {
    /// How far the check is.
    public enum Status: Int, Sendable {
        /// The body has not been read to its end.
        case pending
        /// The body has been read, and the digests that the signature covers are its own.
        case matches
        /// The digests are those of another body.
        case differs
        /// The body has another length than `Content-Length` says: it was cut.
        case lengthDiffers
        /// The body is longer than the limit.
        case tooLong
    }

    private let index = Atomic(Status.pending.rawValue)

    init() {}

    /// How far the check is now.
    public internal(set) var status: Status {
        get { Status(rawValue: index.load(ordering: .acquiring)) ?? .pending }
        set { index.store(newValue.rawValue, ordering: .releasing) }
    }
}

/// Reading a body ended, since it is not the one that was signed.
public struct StreamedBodyError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let status: StreamedBodyCheck.Status

    /// The sentence.
    public var description: String {
        switch status {
        case .lengthDiffers: "the body was cut: it has another length than Content-Length says"
        case .tooLong: "the body is longer than the limit"
        case .pending, .matches, .differs: "the body is not the one that was signed"
        }
    }
}

/// The body of a request whose signature holds, on its way to the handler.
struct StreamedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    /// The digests that the signature covers.
    let expected: [MessageFacts.ContentDigest]
    let contentLength: Int?
    let limit: Int
    /// Whether a body that is another one ends with an error.
    let enforces: Bool
    let check: StreamedBodyCheck

    struct AsyncIterator: AsyncIteratorProtocol {
        let body: StreamedBody
        var base: RequestBody.AsyncIterator
        var digests: CoveredDigests
        var length = 0
        var held: ByteBuffer?
        var isAtEnd = false

        mutating func next() async throws -> ByteBuffer? {
            guard !isAtEnd else { return nil }
            while let part = try await base.next() {
                guard part.readableBytes > 0 else { continue }
                length += part.readableBytes
                if length > body.limit { try finish(.tooLong) }
                digests.update(part)
                let former = held
                held = part
                if let former { return former }
            }
            isAtEnd = true
            if let declared = body.contentLength, declared != length {
                try finish(.lengthDiffers)
            } else {
                try finish(digests.match(body.expected) ? .matches : .differs)
            }
            return held
        }

        private mutating func finish(_ status: StreamedBodyCheck.Status) throws(StreamedBodyError) {
            if body.check.status == .pending { body.check.status = status }
            guard body.enforces, status != .matches else { return }
            isAtEnd = true
            throw StreamedBodyError(status: status)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: self, base: base.makeAsyncIterator(), digests: CoveredDigests(of: expected))
    }
}
