import Foundation
import Synchronization
import Testing

/// A server behind a gateway that keeps every request as it arrived, and answers 200. It takes every upgrade, and CONNECT, and keeps
/// what follows as one more request with the line `TUNNEL`.
final class RecordingUpstream: Sendable {
    /// A request as it arrived.
    struct Received: Sendable, CustomStringConvertible {
        let line: String
        /// Names as received.
        let fields: [(name: String, value: String)]
        let body: [UInt8]
        /// The trailers of a chunked body, as lines.
        var trailers: [String] = []

        var method: String { line.split(separator: " ").first.map(String.init) ?? "" }
        var target: String {
            let parts = line.split(separator: " ")
            return parts.count == 3 ? String(parts[1]) : ""
        }

        /// The values of the fields whose name a backend may take for the given one.
        func values(like name: String) -> [String] {
            func normal(_ name: String) -> String {
                String(name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
            }
            return fields.filter { normal($0.name) == normal(name) }.map(\.value)
        }

        var description: String {
            ([line] + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\n")
                + "\n\n" + String(decoding: body.prefix(1000), as: UTF8.self) + trailers.joined(separator: "\n")
        }
    }

    private let descriptor: Int32
    let port: Int
    private let kept = Mutex<[Received]>([])
    private let open = Mutex(0)

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
                    ? getsockname(descriptor, address, &length) : -1
            }
        }
        try #require(status == 0)
        port = Int(in_port_t(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                guard let self else {
                    close(client)
                    return
                }
                self.open.withLock { $0 += 1 }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// The requests since the last call, once all connections are closed.
    func settled() throws -> [Received] {
        let end = Date(timeIntervalSinceNow: 600)
        while open.withLock({ $0 }) > 0 {
            try #require(Date() < end, "the connections to the upstream stay open")
            usleep(5_000)
        }
        return take()
    }

    /// The requests since the last call.
    func take() -> [Received] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }

    private func serve(_ client: Int32) {
        defer {
            close(client)
            open.withLock { $0 -= 1 }
        }
        var buffer: [UInt8] = []
        func more() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = bytes.withUnsafeMutableBytes { recv(client, $0.baseAddress, $0.count, 0) }
            if count > 0 { buffer += bytes.prefix(count) }
            return count > 0
        }
        while buffer.firstRange(of: Array("\r\n\r\n".utf8)) == nil { guard more() else { return } }
        guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        // Latin-1, so that every byte is kept.
        let head = String(String.UnicodeScalarView(buffer[..<end.lowerBound].map { Unicode.Scalar($0) }))
        let lines = head.components(separatedBy: "\r\n")
        let fields = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                (
                    name: String(line[..<colon]),
                    value: line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                )
            }
        }
        func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
        var body: [UInt8] = []
        var trailers: [String] = []
        func answer(_ text: String) {
            let answer = Array(text.utf8)
            _ = answer.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
        let protocols = value("upgrade")
        if protocols != nil || lines[0].hasPrefix("CONNECT ") {
            kept.withLock { $0.append(Received(line: lines[0], fields: fields, body: [])) }
            answer(
                protocols.map { "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: \($0)\r\n\r\n" }
                    ?? "HTTP/1.1 200 OK\r\n\r\n")
            while more() {}
            let rest = Array(buffer[end.upperBound...])
            if !rest.isEmpty { kept.withLock { $0.append(Received(line: "TUNNEL", fields: [], body: rest)) } }
            return
        }
        if value("transfer-encoding") != nil {
            var reader = ChunkedReader(position: end.upperBound)
            while !reader.read(buffer) { guard more() else { return } }
            (body, trailers) = (reader.body, reader.trailers)
        } else if let length = value("content-length").flatMap({ Int($0) }) {
            while buffer.count < end.upperBound + length { guard more() else { return } }
            body = Array(buffer[end.upperBound...].prefix(length))
        }
        kept.withLock { $0.append(Received(line: lines[0], fields: fields, body: body, trailers: trailers)) }
        answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    }
}

/// Reads a chunked body (RFC 9112 section 7.1).
private struct ChunkedReader {
    /// Where the next line begins.
    var position: Int
    var body: [UInt8] = []
    var trailers: [String] = []
    private var isInTrailers = false

    init(position: Int) { self.position = position }

    /// Reads on; true at the end of the body.
    mutating func read(_ bytes: [UInt8]) -> Bool {
        while let end = bytes[position...].firstRange(of: [0x0D, 0x0A]) {
            let line = String(decoding: bytes[position..<end.lowerBound], as: UTF8.self)
            if isInTrailers {
                position = end.upperBound
                if line.isEmpty { return true }
                trailers.append(line)
                continue
            }
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { return true }
            if size == 0 {
                position = end.upperBound
                isInTrailers = true
                continue
            }
            guard bytes.count >= end.upperBound + size + 2 else { return false }
            body += bytes[end.upperBound...].prefix(size)
            position = end.upperBound + size + 2
        }
        return false
    }
}
