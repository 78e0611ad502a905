import Assay
package import AssayCore
import AssayPrimitives
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Asks the listener of operators of a running service, as `assay healthcheck`, `assay recent` and `assay remote` do.
package struct ServiceProbe: Sendable {
    /// Where the listener is.
    package let address: ListenAddress
    /// The certificate that the listener must present; nil if it has no TLS.
    private let certificate: NIOSSLCertificate?

    /// The longest answer that is read unless the caller names another limit, in bytes. Health endpoints answer with less than a
    /// kilobyte.
    package static let maximumAnswer = 65_536

    /// What a listener answered.
    package struct Answer: Sendable, Equatable {
        /// The HTTP status.
        package let status: Int
        /// The `detail` of a problem (RFC 9457); nil for other bodies.
        package let detail: String?
        package let body: [UInt8]
    }

    /// - Parameters:
    ///   - address: the address that the listener is bound to. For all interfaces, the loopback address is asked.
    ///   - certificate: the file of the certificate with which a TCP listener speaks TLS, PEM; nil for no TLS. The listener must
    ///     present this one: the probe asks by address, which no certificate need name.
    /// - Throws: `PolicyError` if the system chooses the port, or the certificate cannot be read.
    package init(_ address: ListenAddress, certificate path: String? = nil) throws(PolicyError) {
        guard !address.isAnyPort else {
            throw PolicyError(
                field: "admin", "the system chooses the port of \(address.description); name the address with --address"
            )
        }
        if let path, address.path == nil {
            let pem: [UInt8]
            do throws(SecretSourceError) {
                pem = try TrustedFile.read(path, limit: InputLimits.policy).withUnsafeBytes { Array($0) }
            } catch {
                throw PolicyError(field: "adminTLS.certificate", "\(path): \(error.message)")
            }
            let chain = try? NIOSSLCertificate.fromPEMBytes(pem)
            guard let leaf = chain?.first else {
                throw PolicyError(
                    field: "adminTLS.certificate", "\(path): no certificate chain in PEM can be read from it")
            }
            certificate = leaf
        } else {
            certificate = nil
        }
        switch address {
        case .tcp("0.0.0.0", let port): self.address = .tcp(host: "127.0.0.1", port: port)
        case .tcp("::", let port): self.address = .tcp(host: "::1", port: port)
        case .tcp, .unix: self.address = address
        }
    }

    /// Sends one request, and reads the answer.
    ///
    /// - Parameters:
    ///   - method: `GET` or `POST`.
    ///   - path: such as `/readyz`.
    ///   - body: JSON; nil for none.
    ///   - token: the token of an operator, for listeners that demand one.
    ///   - seconds: how long connecting and answering may take together.
    ///   - size: the longest answer that is read, in bytes.
    /// - Throws: ``ServiceError`` if there is no answer. It says so if a `POST` may take effect all the same.
    package func send(
        _ method: String, _ path: String, body: String? = nil, token: String?, within seconds: Double,
        atMost size: Int = maximumAnswer
    ) async throws -> Answer {
        let limit = Duration.nanoseconds(Int64(seconds * 1e9))
        let end = ContinuousClock.now + limit
        let connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do { connection = try await connect(TimeAmount(limit)) } catch {
            throw ServiceError("cannot connect: \(Listener.reason(error))")
        }
        do {
            return try await withThrowingTaskGroup(of: Answer.self) { tasks in
                tasks.addTask { try await request(method, path, body, token, atMost: size, on: connection) }
                tasks.addTask {
                    try await Task.sleep(until: end)
                    throw ServiceError("no answer within \(PolicyNode.text(ofSeconds: seconds))")
                }
                defer { tasks.cancelAll() }
                guard let answer = try await tasks.next() else { throw ServiceError("no answer") }
                return answer
            }
        } catch let error as NIOSSLError where error != .uncleanShutdown {
            throw ServiceError("no TLS connection with the certificate of adminTLS.certificate: \(error)")
        } catch let error as NIOSSLExtraError {
            throw ServiceError("no TLS connection with the certificate of adminTLS.certificate: \(error)")
        } catch  where method != "GET" {
            throw ServiceError("\(error); the request may have taken effect, or may still: see the log of the service")
        }
    }

    private func request(
        _ method: String, _ path: String, _ body: String?, _ token: String?, atMost size: Int,
        on connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    ) async throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if method != "GET" { head += "Content-Length: \(body?.utf8.count ?? 0)\r\n" }
        if body != nil { head += "Content-Type: application/json\r\n" }
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        let request = ByteBuffer(string: head + "\r\n" + (body ?? ""))
        return try await connection.executeThenClose { inbound, outbound in
            var bytes: [UInt8] = []
            do {
                // A handshake that failed has closed the channel; why, is said where the answer is read.
                do { try await outbound.write(request) } catch ChannelError.ioOnClosedChannel {}
                for try await buffer in inbound {
                    bytes += buffer.readableBytesView
                    guard bytes.count <= size else { throw ServiceError("the answer is too long") }
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
            channel.eventLoop.makeCompletedFuture {
                if let certificate { try channel.pipeline.syncOperations.addHandler(Self.handler(certificate)) }
                return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
            }
        }
        switch address {
        case .tcp(let host, let port):
            return try await bootstrap.connect(host: host, port: port, channelInitializer: initialize)
        case .unix(let path):
            return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initialize)
        }
    }
}

extension ServiceProbe {
    /// Speaks TLS with a server that presents a certificate, byte for byte.
    private static func handler(_ certificate: NIOSSLCertificate) throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The callback compares the certificate. Names are not compared: the probe asks by address.
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        return try NIOSSLClientHandler(
            context: context, serverHostname: nil,
            customVerificationCallback: { presented, promise in
                promise.succeed(presented.first == certificate ? .certificateVerified : .failed)
            })
    }
}

extension ServiceProbe.Answer {
    private struct Problem: Decodable { let detail: String? }

    /// An answer that was read.
    package init(status: Int, body: [UInt8]) {
        let detail = status < 400 ? nil : (try? JSONDecoder().decode(Problem.self, from: Data(body)))?.detail
        self.init(status: status, detail: detail, body: body)
    }

    /// Reads a response of HTTP/1.1 that ends with its connection; nil for other bytes.
    init?(_ bytes: [UInt8]) {
        let line = bytes.prefix { $0 != UInt8(ascii: "\r") }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].elementsEqual("HTTP/1.1".utf8), words[1].count == 3,
            let status = Int(String(decoding: words[1], as: UTF8.self)),
            let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        else { return nil }
        self.init(status: status, body: Array(bytes[end.upperBound...]))
    }
}
