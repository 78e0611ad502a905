import Foundation
import Testing

/// A server on a loopback address that answers each connection once, with given bytes, and closes it.
final class LocalServer: @unchecked Sendable {
    let port: Int
    private let descriptor: Int32
    private let lock = NSLock()
    private var heads: [String] = []

    /// - Parameter answer: the bytes for the request whose head it gets.
    init(_ answer: @escaping @Sendable (String) -> Data) throws {
        (descriptor, port) = try Self.socket(listens: true)
        let thread = Thread { [descriptor, weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                let head = Self.readRequest(connection)
                self?.lock.withLock { self?.heads.append(head) }
                let bytes = answer(head)
                // A client that has seen enough closes the connection.
                bytes.withUnsafeBytes { buffer in
                    var sent = 0
                    while sent < buffer.count {
                        let count = Glibc.send(
                            connection, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL)
                        )
                        guard count > 0 else { break }
                        sent += count
                    }
                }
                close(connection)
            }
        }
        thread.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// The heads of the requests so far.
    var requests: [String] { lock.withLock { heads } }

    /// A port that no program has just now.
    static func freePort() throws -> Int {
        let (descriptor, port) = try socket(listens: false)
        close(descriptor)
        return port
    }

    /// A port that refuses connections while the work goes on.
    static func refusing<T>(_ work: (Int) async throws -> T) async throws -> T {
        let (descriptor, port) = try socket(listens: false)
        defer { close(descriptor) }
        return try await work(port)
    }

    private static func socket(listens: Bool) throws -> (Int32, Int) {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && (!listens || listen(descriptor, 16) == 0)
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(bound)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func readRequest(_ connection: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = String(text[..<end.lowerBound])
                let length =
                    head.lowercased().components(separatedBy: "content-length: ").dropFirst().first
                    .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return head }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return text }
            bytes += buffer[..<count]
        }
    }
}
