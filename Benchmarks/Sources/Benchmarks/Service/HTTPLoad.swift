import Foundation

/// Connections to a server on loopback that stay open, each with one request at a time.
final class HTTPLoad {
    private let descriptors: [Int32]
    /// What each answer contains.
    private let expected: StaticString

    init(port: Int, connections: Int, expecting expected: StaticString) {
        descriptors = (0..<connections).map { _ in Self.connect(port) }
        self.expected = expected
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    private static func connect(_ port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        require(status == 0, "port \(port) cannot be reached: \(String(cString: strerror(errno)))")
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// Writes the same bytes on every connection, and reads nothing.
    func write(_ bytes: [UInt8]) { for descriptor in descriptors { Self.send(descriptor, bytes) } }

    private static func send(_ descriptor: Int32, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            require(count > 0, "a connection is closed: \(String(cString: strerror(errno)))")
            rest = rest.dropFirst(count)
        }
    }

    /// A connection's part of a run.
    private struct Turn {
        var next = 0
        /// When the request that is not answered yet was due; nil if all are answered.
        var due: Double?
        var answer: [UInt8] = []
    }

    /// Sends the requests of each connection in their order, and reads the answers.
    ///
    /// - Parameters:
    ///   - requests: those of each connection.
    ///   - rate: requests a second of all connections together, each due at its time whether those before are answered or not. Without
    ///     it, each is due when the one before is answered.
    /// - Returns: for each request the seconds from the time when it was due until its answer was complete.
    func run(_ requests: [[[UInt8]]], rate: Double? = nil) -> [Double] {
        var turns = descriptors.map { _ in Turn() }
        var latencies: [Double] = []
        let total = requests.reduce(0) { $0 + $1.count }
        latencies.reserveCapacity(total)
        let start = Self.now
        while latencies.count < total {
            let now = Self.now
            var wait = 60.0
            for index in turns.indices where turns[index].due == nil && turns[index].next < requests[index].count {
                let place = Double(turns[index].next * turns.count + index)
                let due = rate.map { start + place / $0 } ?? now
                guard due <= now else {
                    wait = min(wait, due - now)
                    continue
                }
                Self.send(descriptors[index], requests[index][turns[index].next])
                turns[index].next += 1
                turns[index].due = due
            }
            for index in readable(turns, within: wait) {
                guard let due = turns[index].due, read(index, &turns[index].answer) else { continue }
                latencies.append(Self.now - due)
                turns[index].answer.removeAll(keepingCapacity: true)
                turns[index].due = nil
            }
        }
        return latencies
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// The connections on which an answer is expected, and something has arrived.
    private func readable(_ turns: [Turn], within seconds: Double) -> [Int] {
        let waiting = turns.indices.filter { turns[$0].due != nil }
        var polled = waiting.map { pollfd(fd: descriptors[$0], events: Int16(POLLIN), revents: 0) }
        // The resolution of poll is a millisecond.
        var count = poll(&polled, nfds_t(polled.count), Int32(seconds * 1000))
        if count == 0, seconds < 0.001 {
            usleep(50)
            count = poll(&polled, nfds_t(polled.count), 0)
        }
        require(count > 0 || seconds < 60, "the server does not answer")
        return waiting.indices.filter { polled[$0].revents != 0 }.map { waiting[$0] }
    }

    /// Reads what has arrived. Returns whether the answer is complete.
    private func read(_ index: Int, _ answer: inout [UInt8]) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = recv(descriptors[index], &bytes, bytes.count, 0)
        require(count > 0, "the server closes a connection after \(String(decoding: answer, as: UTF8.self))")
        answer += bytes.prefix(count)
        return answer.withUnsafeBytes { answer in
            guard let head = Self.offset(of: "\r\n\r\n", in: answer) else { return false }
            let fields = UnsafeRawBufferPointer(rebasing: answer[..<head])
            let name = Self.offset(of: "ontent-Length: ", in: fields) ?? Self.offset(of: "ontent-length: ", in: fields)
            guard let field = name else {
                stop("an answer without Content-Length: \(String(decoding: answer, as: UTF8.self))")
            }
            let digits = answer[(field + 15)...].prefix { (0x30...0x39).contains($0) }
            let length = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard answer.count >= head + 4 + length else { return false }
            require(
                Self.offset(of: expected, in: answer) != nil,
                "another answer: \(String(decoding: answer, as: UTF8.self))")
            return true
        }
    }

    private static func offset(of text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        let (first, count) = (text.utf8Start.pointee, text.utf8CodeUnitCount)
        var start = 0
        while start + count <= bytes.count, let base = bytes.baseAddress {
            guard let found = memchr(base + start, Int32(first), bytes.count - start) else { return nil }
            start = UnsafeRawPointer(found) - base
            guard start + count <= bytes.count else { return nil }
            if memcmp(found, text.utf8Start, count) == 0 { return start }
            start += 1
        }
        return nil
    }
}
