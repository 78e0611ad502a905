package import AssayCore
import Foundation
import NIOCore
import NIOPosix

/// Asks the listener of operators of a running service, as `assay healthcheck` does.
package struct ServiceProbe: Sendable {
    /// Where the listener is.
    package let address: ListenAddress

    /// The longest answer that is read, in bytes. Health endpoints answer with less than a kilobyte.
    private static let maximumAnswer = 65_536

    /// What a listener answered.
    package struct Answer: Sendable, Equatable {
        /// The HTTP status.
        package let status: Int
        /// The `detail` of a problem (RFC 9457); nil for other bodies.
        package let detail: String?
    }

    /// - Parameter address: the address that the listener is bound to. For all interfaces, the loopback address is asked.
    /// - Throws: `PolicyError` if the system chooses the port.
    package init(_ address: ListenAddress) throws(PolicyError) {
        guard !address.isAnyPort else {
            throw PolicyError(
                field: "admin", "the system chooses the port of \(address.description); name the address with --address"
            )
        }
        switch address {
        case .tcp("0.0.0.0", let port): self.address = .tcp(host: "127.0.0.1", port: port)
        case .tcp("::", let port): self.address = .tcp(host: "::1", port: port)
        case .tcp, .unix: self.address = address
        }
    }

    /// Sends one GET request, and reads the answer.
    ///
    /// - Parameters:
    ///   - path: such as `/readyz`.
    ///   - token: the token of an operator, for listeners that demand one.
    ///   - seconds: how long connecting and answering may take together.
    /// - Throws: ``ServiceError`` if there is no answer.
    package func get(_ path: String, token: String?, within seconds: Double) async throws -> Answer {
        let limit = TimeAmount.nanoseconds(Int64(seconds * 1e9))
        return try await withThrowingTaskGroup(of: Answer.self) { tasks in
            tasks.addTask { try await request(path, token, limit) }
            tasks.addTask {
                try await Task.sleep(for: .nanoseconds(limit.nanoseconds))
                throw ServiceError("no answer within \(PolicyNode.text(ofSeconds: seconds))")
            }
            defer { tasks.cancelAll() }
            guard let answer = try await tasks.next() else { throw ServiceError("no answer") }
            return answer
        }
    }

    private func request(_ path: String, _ token: String?, _ limit: TimeAmount) async throws -> Answer {
        var head = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        let connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do { connection = try await connect(limit) } catch {
            throw ServiceError("cannot connect: \(Listener.reason(error))")
        }
        let request = ByteBuffer(string: head + "\r\n")
        return try await connection.executeThenClose { inbound, outbound in
            var bytes: [UInt8] = []
            do {
                try await outbound.write(request)
                for try await buffer in inbound {
                    bytes += buffer.readableBytesView
                    guard bytes.count <= Self.maximumAnswer else { throw ServiceError("the answer is too long") }
                }
            } catch let error as IOError {
                throw ServiceError("the connection broke: \(Listener.reason(error))")
            }
            guard let answer = Answer(bytes) else { throw ServiceError("the answer is not one of HTTP") }
            return answer
        }
    }

    private func connect(_ limit: TimeAmount) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(limit)
        let initialize: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = {
            channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
        switch address {
        case .tcp(let host, let port):
            return try await bootstrap.connect(host: host, port: port, channelInitializer: initialize)
        case .unix(let path):
            return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initialize)
        }
    }
}

extension ServiceProbe.Answer {
    private struct Problem: Decodable { let detail: String? }

    /// Reads a response of HTTP/1.1 that ends with its connection; nil for other bytes.
    init?(_ bytes: [UInt8]) {
        let line = bytes.prefix { $0 != UInt8(ascii: "\r") }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].elementsEqual("HTTP/1.1".utf8), words[1].count == 3,
            let status = Int(String(decoding: words[1], as: UTF8.self)),
            let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        else { return nil }
        let body = Data(bytes[end.upperBound...])
        self.init(status: status, detail: (try? JSONDecoder().decode(Problem.self, from: body))?.detail)
    }
}
