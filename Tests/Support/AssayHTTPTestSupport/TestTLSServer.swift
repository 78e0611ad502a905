package import AssayTesting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// A certificate chain with the key of its leaf.
package struct TestServerIdentity: Sendable {
    /// DER, the leaf first.
    package var chain: [[UInt8]]
    /// The key of the leaf.
    package let key: TestKey

    /// A leaf under an authority of its own. All keys derive from the label.
    ///
    /// - Parameters:
    ///   - ends: when the leaf ends, in seconds from now.
    ///   - isSelfSigned: whether the leaf signs itself, and nothing else is presented.
    ///   - padding: bytes of an extension that makes the leaf larger.
    package init(
        _ label: String, ends: Double = 90 * 86_400, isSelfSigned: Bool = false, padding: Int = 0
    ) throws {
        key = TestKey(.p256, seed: label, label: "leaf")
        let start = Date(timeIntervalSinceNow: -365 * 86_400)
        let name = DistinguishedName([.init(.commonName, label)])
        let authorityName = isSelfSigned ? name : DistinguishedName([.init(.commonName, "\(label) authority")])
        let authority = try TestIssuer.selfSigned(
            name: authorityName, key: isSelfSigned ? key : TestKey(.p384, seed: label, label: "authority"),
            notBefore: start, notAfter: Date(timeIntervalSinceNow: 3650 * 86_400))
        // TLS clients demand digitalSignature of a leaf.
        var extensions: [CertificateExtension] = [.keyUsage(0x80)]
        if padding > 0 {
            extensions.append(CertificateExtension([1, 3, 9999, 1], value: [UInt8](repeating: 0x05, count: padding)))
        }
        let leaf = try authority.issue(
            name: name, key: key, notBefore: start, notAfter: Date(timeIntervalSinceNow: ends), extensions: extensions,
            signatureAlgorithm: .ecdsaWithSHA256)
        chain = isSelfSigned ? [leaf.certificate] : [leaf.certificate, authority.certificate]
    }

    /// The chain in PEM.
    package var pem: String {
        chain.map { der in
            "-----BEGIN CERTIFICATE-----\n\(Data(der).base64EncodedString())\n-----END CERTIFICATE-----\n"
        }.joined()
    }

    fileprivate var context: NIOSSLContext {
        get throws {
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
                    privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(key.pem.utf8), format: .pem))))
        }
    }
}

/// A local server that does something else at each of its addresses, all on one port. Linux takes all of 127.0.0.0/8 for loopback.
package final class TestTLSServer: Sendable {
    /// What happens at an address.
    package enum Behaviour: Sendable {
        /// A TLS handshake.
        case presents(TestServerIdentity)
        /// Accepts connections, and sends nothing.
        case hangs
        /// An answer in plain HTTP to whatever arrives.
        case plainHTTP
        /// Closes connections.
        case closes
    }

    private let channel: any Channel

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - behaviours: by address.
    ///   - other: at all other addresses of 127.0.0.0/8.
    package init(_ behaviours: [String: Behaviour] = [:], otherwise other: Behaviour) async throws {
        let contexts = try behaviours.merging(["": other]) { $1 }.mapValues { behaviour in
            if case .presents(let identity) = behaviour { try Optional(identity.context) } else { NIOSSLContext?.none }
        }
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                let address = channel.localAddress?.ipAddress ?? ""
                let behaviour = behaviours[address] ?? other
                let context = contexts[behaviours[address] == nil ? "" : address] ?? nil
                return channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(Reaction(behaviour))
                }
            }
            .bind(host: "0.0.0.0", port: 0).get()
    }

    /// The port.
    package var port: Int { channel.localAddress?.port ?? 0 }

    /// Stops listening.
    package func close() async throws { try await channel.close().get() }
}

private final class Reaction: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let behaviour: TestTLSServer.Behaviour

    init(_ behaviour: TestTLSServer.Behaviour) { self.behaviour = behaviour }

    func channelActive(context: ChannelHandlerContext) {
        if case .closes = behaviour { context.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .plainHTTP = behaviour else { return }
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://portal.example/login\r\nContent-Length: 0\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
