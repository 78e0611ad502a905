import Approov
import Assay
import Hummingbird
import NIOCore
import Synchronization

/// The check of a body while the handler reads it.
public final class StreamedBodyCheck: Sendable {
    /// The state of the check.
    public enum Status: Int, Sendable {
        /// The body was not read to its end.
        case pending
        /// The signed digests are those of the body.
        case matches
        /// The signed digests are those of another body.
        case differs
        /// The body is shorter or longer than `Content-Length`.
        case lengthDiffers
        /// The body is longer than the limit.
        case tooLong
    }

    private let index = Atomic(Status.pending.rawValue)

    init() {}

    /// The current state.
    public internal(set) var status: Status {
        get { Status(rawValue: index.load(ordering: .acquiring)) ?? .pending }
        set { index.store(newValue.rawValue, ordering: .releasing) }
    }
}

/// Ends reading a body that is not the signed one.
public struct StreamedBodyError: Error, Sendable, CustomStringConvertible {
    /// The result of the check.
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

/// The body of a request with a valid signature, for the handler.
struct StreamedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    /// The digests that the signature covers.
    let expected: [MessageFacts.ContentDigest]
    let contentLength: Int?
    let limit: Int
    /// Whether another body than the signed one ends with an error.
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
