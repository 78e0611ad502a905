import Hummingbird
import NIOCore

/// A body that must have arrived by a point in time. Otherwise a slow client would hold the memory of its beginning, and delay the
/// decision, for as long as its connection lasts. It can be read once.
struct TimedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// The body did not arrive in time.
    struct Slow: Error {}

    private let reader: Reader

    /// The body itself if its time is not limited.
    static func limiting(_ body: RequestBody, to time: Duration?) -> RequestBody {
        guard let time else { return body }
        return RequestBody(asyncSequence: TimedBody(reader: Reader(body, deadline: .now + time)))
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        mutating func next() async throws -> ByteBuffer? { try await reader.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }

    /// An actor, because the part and the deadline are awaited by tasks of their own.
    fileprivate actor Reader {
        private let body: RequestBody
        private let deadline: ContinuousClock.Instant
        private var iterator: RequestBody.AsyncIterator?

        init(_ body: RequestBody, deadline: ContinuousClock.Instant) {
            self.body = body
            self.deadline = deadline
        }

        /// The next part.
        ///
        /// - Throws: ``Slow`` after the deadline. It cancels the reading, which ends the connection after the answer.
        nonisolated func next() async throws -> ByteBuffer? {
            let deadline = deadline
            return try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
                group.addTask { try await self.part() }
                group.addTask {
                    try await Task.sleep(until: deadline, clock: .continuous)
                    throw Slow()
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }

        private func part() async throws -> ByteBuffer? {
            var iterator = self.iterator ?? body.makeAsyncIterator()
            defer { self.iterator = iterator }
            return try await iterator.next(isolation: self)
        }
    }
}
