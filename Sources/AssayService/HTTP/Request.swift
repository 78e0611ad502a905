import AssayHTTP
import AssayPrimitives
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// A request that a listener received.
struct Request: Sendable {
    let head: RequestHead
    let body: RequestBody
    let peer: Peer

    var method: HTTPRequest.Method { head.method }
    var headers: HTTPFields { head.headers }
}

/// The head of a request.
struct RequestHead: Sendable {
    let method: HTTPRequest.Method
    /// The field `Host`, which is none of the fields.
    let authority: String?
    /// The target in origin form: the path, and the query, if any.
    let target: String
    let headers: HTTPFields

    /// The target without the query.
    var path: String {
        let end = target.utf8.withContiguousStorageIfAvailable { $0.firstIndex(of: UInt8(ascii: "?")) }
        return end.flatMap { $0 }.map { String(target.utf8.prefix($0)) ?? target } ?? target
    }

    /// Takes the head of a request; nil for a method that is no token, and for a target or a `Host` that servers do not read alike
    /// (RFC 9112, section 3.2).
    init?(_ received: HTTPRequestHead, _ names: inout FieldNames) {
        switch received.method {
        case .GET: method = .get
        case .POST: method = .post
        default:
            guard let other = HTTPRequest.Method(received.method.rawValue) else { return nil }
            method = other
        }
        guard ServerOrigins.isTarget(received.uri) else { return nil }
        target = received.uri
        var authority: String?
        var fields = HTTPFields()
        fields.reserveCapacity(received.headers.count)
        var index = 0
        for (text, value) in received.headers {
            defer { index += 1 }
            guard let name = names.name(text, at: index) else { continue }
            if name.canonicalName.isByteEqual(to: "host") {
                guard authority == nil, ServerOrigins.isHost(value) else { return nil }
                authority = value
            } else {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        // Only HTTP/1.0 allows none.
        guard authority != nil || received.version == .http1_0 else { return nil }
        (self.authority, headers) = (authority, fields)
    }
}

/// The names of the fields of the last request of a connection, by their places: clients send the same ones again.
struct FieldNames {
    /// What a connection keeps at most.
    private static let count = 32
    private static let length = 64
    private var last: [HTTPField.Name] = []

    /// The name with a text, in the place `index`; nil for a text that is no name.
    mutating func name(_ text: String, at index: Int) -> HTTPField.Name? {
        if index < last.count, last[index].rawName.isByteEqual(to: text) { return last[index] }
        guard let name = HTTPField.Name(text) else { return nil }
        guard text.utf8.count <= Self.length else { return name }
        if index < last.count {
            last[index] = name
        } else if index == last.count, index < Self.count {
            last.append(name)
        }
        return name
    }
}

extension HTTPFields {
    /// Whether there is a field with a name. Compares less than `contains`.
    func hold(_ name: HTTPField.Name) -> Bool { index(of: name, from: 0) != nil }

    /// The values of the fields with a name, joined as by the subscript, which costs much more for one field; nil without one.
    func value(_ name: HTTPField.Name) -> String? {
        guard let first = index(of: name, from: 0) else { return nil }
        return index(of: name, from: first + 1) == nil ? self[first].value : self[name]
    }

    private func index(of name: HTTPField.Name, from start: Int) -> Int? {
        (start..<endIndex).first { self[$0].name.canonicalName.isByteEqual(to: name.canonicalName) }
    }
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
    /// Called when there is room again.
    var onRoom: (() -> Void)?

    var isEnded: Bool { end != nil }
    var isFull: Bool { waiting.map { $0.readableBytes >= Self.highWaterMark } ?? false }

    func append(_ part: ByteBuffer) {
        guard end == nil else { return }
        if let reader = reader.take() {
            reader.resume(returning: part)
        } else if waiting?.writeImmutableBuffer(part) == nil {
            waiting = part
        }
    }

    /// Ends the body, unless it has ended.
    func finish(_ end: Result<Void, any Error>) {
        guard self.end == nil else { return }
        self.end = end
        onRoom = nil
        reader.take()?.resume(with: end.map { nil })
    }

    /// What has arrived; nil if the reader must wait.
    func take() -> Result<ByteBuffer?, any Error>? {
        guard let parts = waiting.take() else { return end.map { $0.map { nil } } }
        onRoom?()
        return .success(parts)
    }

    func read(_ reader: Reader) {
        if let arrived = take() { reader.resume(with: arrived) } else { self.reader = reader }
    }
}
