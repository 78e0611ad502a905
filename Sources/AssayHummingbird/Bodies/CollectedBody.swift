import Assay
import Hummingbird
import NIOCore
import Synchronization

/// A body that was read before its request is judged, with its digests.
enum CollectedBody {
    /// The whole body.
    case whole(ByteBuffer, CoveredDigests)
    /// A body over the limit, for the handler of a request that is not refused.
    case tooLong(RequestBody)

    /// Smaller parts are joined: the list of the parts of a body in one-byte chunks would take many times the limit.
    private static let smallPart = 1024

    static func read(_ body: RequestBody, upTo limit: Int, _ digests: CoveredDigests) async throws -> CollectedBody {
        var digests = digests
        var parts: [ByteBuffer] = []
        var length = 0
        var iterator = body.makeAsyncIterator()
        while let part = try await iterator.next() {
            if part.readableBytes < smallPart, let last = parts.indices.last, parts[last].readableBytes < smallPart {
                parts[last].writeImmutableBuffer(part)
            } else {
                parts.append(part)
            }
            length += part.readableBytes
            guard length <= limit else {
                return .tooLong(RequestBody(asyncSequence: ResumedBody(parts: parts, rest: iterator)))
            }
            digests.update(part)
        }
        guard parts.count != 1 else { return .whole(parts[0], digests) }
        var whole = ByteBuffer()
        whole.reserveCapacity(length)
        for part in parts { whole.writeImmutableBuffer(part) }
        return .whole(whole, digests)
    }
}

/// A body of which some parts were read. It can be read once.
private final class ResumedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let parts: [ByteBuffer]
    private let rest: Mutex<RequestBody.AsyncIterator?>

    init(parts: [ByteBuffer], rest: sending RequestBody.AsyncIterator) {
        self.parts = parts
        self.rest = Mutex(rest)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: ArraySlice<ByteBuffer>
        var rest: RequestBody.AsyncIterator?

        mutating func next() async throws -> ByteBuffer? {
            if let part = parts.popFirst() { return part }
            return try await rest?.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        let rest = rest.withLock { held in
            let iterator = held
            held = nil
            return iterator
        }
        return AsyncIterator(parts: rest == nil ? [] : parts[...], rest: rest)
    }
}
