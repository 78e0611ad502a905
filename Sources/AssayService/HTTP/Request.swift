import HTTPTypes
import NIOCore
import Synchronization

/// A request that a listener received.
struct Request: Sendable {
    let head: RequestHead
    let body: RequestBody
    let peer: Peer

    var method: HTTPRequest.Method { head.method }
    /// The fields for libraries. Built anew by each call.
    var headers: HTTPFields { head.headers }
}

/// The other end of a connection.
final class Peer: Sendable {
    let address: SocketAddress?
    private let trust = Mutex<Bool?>(nil)

    init(_ address: SocketAddress?) { self.address = address }

    /// Whether rules that never change contain the peer. Each connection asks once.
    func isTrusted(_ contain: (SocketAddress?) -> Bool) -> Bool {
        trust.withLock { trust in
            let isTrusted = trust ?? contain(address)
            trust = isTrusted
            return isTrusted
        }
    }
}

/// The body of a request, in parts as they arrive. It has one reader, which may run on any executor.
struct RequestBody: Sendable {
    private let arrival: NIOLoopBound<BodyArrival>

    init(_ arrival: BodyArrival, on loop: any EventLoop) { self.arrival = NIOLoopBound(arrival, eventLoop: loop) }

    /// Whether the reader need not wait. Only known on the event loop.
    var isWhole: Bool { arrival.eventLoop.inEventLoop && arrival.value.isEnded }

    /// What has arrived since the last call. Waits for something; nil at the end of the body.
    ///
    /// - Throws: what has ended the body before its end.
    func next() async throws -> ByteBuffer? {
        if arrival.eventLoop.inEventLoop, let arrived = arrival.value.take() { return try arrived.get() }
        return try await withCheckedThrowingContinuation { reader in
            if arrival.eventLoop.inEventLoop {
                arrival.value.read(reader)
            } else {
                arrival.eventLoop.execute { arrival.value.read(reader) }
            }
        }
    }
}

/// Keeps the parts of a body until its reader takes them. Used on the event loop of the connection alone.
final class BodyArrival {
    typealias Reader = CheckedContinuation<ByteBuffer?, any Error>

    /// How many bytes may wait for the reader before the connection reads no more.
    private static let highWaterMark = 64 << 10

    private var waiting: ByteBuffer?
    /// Set when no more parts come.
    private var end: Result<Void, any Error>?
    private var reader: Reader?
    /// Learns when there is room again; nil from the end on.
    private var handler: RequestHandler?

    init(for handler: RequestHandler) { self.handler = handler }

    var isEnded: Bool { end != nil }
    var isFull: Bool { waiting.map { $0.readableBytes >= Self.highWaterMark } ?? false }

    func append(_ part: ByteBuffer) {
        guard end == nil else { return }
        if let reader = reader.take() {
            reader.resume(returning: part)
        } else if waiting?.writeImmutableBuffer(part) == nil {
            waiting = part
            waiting?.shrink()
        }
    }

    /// Ends the body, unless it has ended.
    func finish(_ end: Result<Void, any Error>) {
        guard self.end == nil else { return }
        self.end = end
        handler = nil
        reader.take()?.resume(with: end.map { nil })
    }

    /// What has arrived; nil if the reader must wait.
    func take() -> Result<ByteBuffer?, any Error>? {
        guard let parts = waiting.take() else { return end.map { $0.map { nil } } }
        handler?.readAgain()
        return .success(parts)
    }

    func read(_ reader: Reader) {
        if let arrived = take() { reader.resume(with: arrived) } else { self.reader = reader }
    }
}
