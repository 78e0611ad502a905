import AssayHTTP
import Hummingbird
import NIOCore
import Synchronization

/// A body that is read before the handler is called, with its digests.
enum CollectedBody {
    /// The whole body.
    case whole(ByteBuffer, BodyDigests)
    /// A body over the limit. The handler gets it if the request is not refused.
    case tooLong(RequestBody)
    /// A body that did not arrive in time.
    case tooSlow

    /// Copies the parts. Each part is a slice of the server's read buffer, which also holds the chunk headers and can
    /// be 64 times as long.
    ///
    /// - Parameter length: the declared length, at most the limit; nil if unknown.
    static func read(
        _ body: RequestBody, length: Int?, upTo limit: Int, _ digests: BodyDigests
    ) async throws -> CollectedBody {
        var digests = digests
        var whole = ByteBuffer()
        if let length { whole.reserveCapacity(length) }
        var iterator = body.makeAsyncIterator()
        while true {
            let next: ByteBuffer?
            do { next = try await iterator.next() } catch is TimedBody.Slow { return .tooSlow }
            guard let part = next else { break }
            whole.writeImmutableBuffer(part)
            guard whole.readableBytes <= limit else {
                return .tooLong(RequestBody(asyncSequence: ResumedBody(beginning: whole, rest: iterator)))
            }
            digests.update(part.readableBytesSpan)
        }
        return .whole(whole, digests)
    }
}

/// A body whose beginning has been read already. It can be read once.
private final class ResumedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let beginning: ByteBuffer
    private let rest: Mutex<RequestBody.AsyncIterator?>

    init(beginning: ByteBuffer, rest: sending RequestBody.AsyncIterator) {
        self.beginning = beginning
        self.rest = Mutex(rest)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var beginning: ByteBuffer?
        var rest: RequestBody.AsyncIterator?

        mutating func next() async throws -> ByteBuffer? {
            if let part = beginning.take() { return part }
            return try await rest?.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        let rest = rest.withLock { held in
            let iterator = held
            held = nil
            return iterator
        }
        return AsyncIterator(beginning: rest == nil ? nil : beginning, rest: rest)
    }
}
