import Foundation
import NIOCore
import NIOPosix

/// One exchange of arbitrary bytes over a socket.
enum RawExchange {
    /// Sends parts one after the other, and returns all bytes up to the end of the connection.
    ///
    /// - Parameters:
    ///   - endsEarly: whether the client shuts down its side after the last part.
    ///   - waits: whether to wait between parts, so that the server reads them one by one.
    static func send(
        _ parts: [String], to port: Int, endsEarly: Bool = false, waits: Bool = false
    ) async throws -> String {
        let steps = parts.map { part -> Step in
            {
                if waits { try await Task.sleep(for: .milliseconds(30)) }
                return part
            }
        }
        return try await send(steps, to: port, endsEarly: endsEarly)
    }

    /// Returns the next part, once it is time to send it.
    typealias Step = @Sendable () async throws -> String

    /// Sends parts, each when its step returns it, and returns all bytes up to the end of the connection.
    static func send(_ steps: [Step], to port: Int, endsEarly: Bool = false) async throws -> String {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await client.executeThenClose { inbound, outbound in
            for step in steps {
                let part = try await step()
                // The server may have answered and closed.
                do { try await outbound.write(ByteBuffer(string: part)) } catch { break }
            }
            if endsEarly { outbound.finish() }
            var answer = ByteBuffer()
            do {
                for try await part in inbound { answer.writeImmutableBuffer(part) }
            } catch let error as IOError {
                // The server closed with unread bytes.
                guard error.errnoCode == ECONNRESET else { throw error }
            }
            return String(buffer: answer)
        }
    }

    /// The status of an answer; 0 without one.
    static func status(_ answer: String) -> Int {
        guard answer.hasPrefix("HTTP/1.1 ") else { return 0 }
        return Int(answer.dropFirst(9).prefix(3)) ?? 0
    }
}
