import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Stands between a ledger and its server on Unix sockets, and follows the protocol: it counts the round trips of all connections,
/// and interferes with one of them.
///
/// Messages: <https://www.postgresql.org/docs/15/protocol-message-formats.html>.
final class FaultyProxy: Sendable {
    /// What happens to a round trip.
    enum Fault: CaseIterable, Sendable {
        /// The connection is cut before the server gets the last message.
        case cutBefore
        /// The server gets everything, and the connection is cut before its answer comes back.
        case cutAnswer
        /// The server gets everything, and its answer does not come back. The connection stays open.
        case stallAnswer
    }

    private struct State {
        var trips = 0
        var fault: (trip: Int, kind: Fault)?
        var isDown = false
        var isStalled = false
        var connections: Set<Int32> = []
    }

    private let state = Mutex(State())
    private let listener: Int32
    private let server: String

    /// Listens on the socket of a port in a folder, and leads to the socket of a server.
    init(folder: String, port: Int, server: String) throws {
        self.server = server
        signal(SIGPIPE, SIG_IGN)
        listener = try Self.open("\(folder)/.s.PGSQL.\(port)") { descriptor, address, length in
            bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
        }
        let thread = Thread { [self] in accept() }
        thread.start()
    }

    /// Interferes with a round trip from now on; 1 is the next one.
    func fail(_ trip: Int, _ kind: Fault) {
        state.withLock { state in
            state.trips = 0
            state.fault = (trip, kind)
        }
    }

    /// Whether the fault has happened. No further one follows.
    var hasFailed: Bool { state.withLock { $0.fault == nil } }

    /// The number of round trips since the fault was set.
    var trips: Int { state.withLock { $0.trips } }

    /// Cuts all connections, and refuses new ones while it is down.
    func set(isDown: Bool) {
        state.withLock { state in
            state.isDown = isDown
            if isDown { for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) } }
        }
    }

    /// Lets no answer of any connection through while it is stalled; those are lost.
    func set(isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

    /// Ends the proxy.
    func close() {
        set(isDown: true)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            #if canImport(Glibc)
                let client = Glibc.accept(listener, nil, nil)
            #else
                let client = Darwin.accept(listener, nil, nil)
            #endif
            guard client >= 0 else { break }
            guard !state.withLock({ $0.isDown }),
                let server = try? Self.open(server, { connect($0, $1, $2) == 0 })
            else {
                _ = closeDescriptor(client)
                continue
            }
            state.withLock { $0.connections.formUnion([client, server]) }
            let link = Link(client: client, server: server)
            Thread { [self] in forward(link) }.start()
            Thread { [self] in answer(link) }.start()
        }
        _ = closeDescriptor(listener)
    }

    /// One connection of a client. Both directions end together.
    private final class Link: Sendable {
        let client: Int32
        let server: Int32
        let stalls = Atomic<Bool>(false)
        let cutsAnswer = Atomic<Bool>(false)
        let ended = Atomic<Int>(0)

        init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

        func cut() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private func end(_ link: Link) {
        link.cut()
        guard link.ended.add(1, ordering: .sequentiallyConsistent).newValue == 2 else { return }
        state.withLock { $0.connections.subtract([link.client, link.server]) }
        _ = closeDescriptor(link.client)
        _ = closeDescriptor(link.server)
    }

    /// From the client to the server: a message without a type first, then messages with type and length. `S` is Sync.
    private func forward(_ link: Link) {
        defer { end(link) }
        var isFirst = true
        while true {
            var message: [UInt8] = []
            if !isFirst {
                guard let type = Self.read(link.client, 1) else { return }
                message = type
            }
            guard let length = Self.read(link.client, 4) else { return }
            let count = length.reduce(0) { $0 << 8 | Int($1) }
            guard count >= 4, let body = Self.read(link.client, count - 4) else { return }
            message += length + body
            // A request for TLS or GSSAPI is answered by one byte, and the first message follows.
            isFirst = isFirst && count == 8
            if message.first == UInt8(ascii: "S"), !isFirst, message.count == 5 {
                let fault: Fault? = state.withLock { state in
                    state.trips += 1
                    guard let fault = state.fault, fault.trip == state.trips else { return nil }
                    state.fault = nil
                    return fault.kind
                }
                switch fault {
                case .cutBefore: return
                case .cutAnswer: link.cutsAnswer.store(true, ordering: .sequentiallyConsistent)
                case .stallAnswer: link.stalls.store(true, ordering: .sequentiallyConsistent)
                case nil: break
                }
            }
            guard Self.write(link.server, message) else { return }
        }
    }

    private func answer(_ link: Link) {
        defer { end(link) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(link.server, &buffer, buffer.count)
            guard count > 0 else { return }
            // The server has answered: what it was sent is done.
            if link.cutsAnswer.load(ordering: .sequentiallyConsistent) { return }
            if link.stalls.load(ordering: .sequentiallyConsistent) || state.withLock({ $0.isStalled }) {
                link.stalls.store(true, ordering: .sequentiallyConsistent)
                continue
            }
            guard Self.write(link.client, Array(buffer[..<count])) else { return }
        }
    }

    private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = bytes.withUnsafeMutableBytes {
                Foundation.read(descriptor, $0.baseAddress?.advanced(by: done), count - done)
            }
            guard more > 0 else { return nil }
            done += more
        }
        return bytes
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let more = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            guard more > 0 else { return false }
            done += more
        }
        return true
    }

    private static func open(
        _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isCopied = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            guard path.utf8.count < buffer.count else { return false }
            buffer.copyBytes(from: path.utf8)
            return true
        }
        let isUsed = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isCopied, isUsed else {
            _ = closeDescriptor(descriptor)
            throw CocoaError(.fileReadUnknown)
        }
        return descriptor
    }
}

/// `close` of the C library, which a method of the same name hides.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
