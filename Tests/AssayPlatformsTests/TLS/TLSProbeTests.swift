import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import NIOCore
import Testing

@Suite("What a TLS server presents")
struct TLSProbeTests {
    /// Waits long enough on a busy machine; servers that hang are asked with less.
    private static let probe = TLSProbe(timeout: 30)

    private static func chain(
        of server: TestTLSServer, at address: String = "127.0.0.1", with probe: TLSProbe = probe
    ) async throws -> Result<[[UInt8]], TLSProbeError> {
        let address = try SocketAddress(ipAddress: address, port: server.port)
        do throws(TLSProbeError) { return .success(try await probe.chain(of: "api.example.com", at: address)) } catch {
            return .failure(error)
        }
    }

    @Test("The chain is that of the server, untrusted, expired or self-signed, and each address has its own")
    func chains() async throws {
        let first = try TestServerIdentity("first")
        let others: [(String, TestServerIdentity)] = [
            ("127.0.0.2", try TestServerIdentity("second")),
            ("127.0.0.3", try TestServerIdentity("expired", ends: -86_400)),
            ("127.0.0.4", try TestServerIdentity("self-signed", isSelfSigned: true)),
        ]
        let server = try await TestTLSServer(
            Dictionary(uniqueKeysWithValues: others.map { ($0.0, .presents($0.1)) }), otherwise: .presents(first))
        for (address, identity) in others + [("127.0.0.1", first)] {
            #expect(try await Self.chain(of: server, at: address).get() == identity.chain, "\(address)")
        }
        try await server.close()
    }

    @Test("A server without its intermediate certificate presents the leaf alone")
    func leafAlone() async throws {
        var identity = try TestServerIdentity("leaf alone")
        identity.chain = [identity.chain[0]]
        let server = try await TestTLSServer(otherwise: .presents(identity))
        #expect(try await Self.chain(of: server).get() == identity.chain)
        try await server.close()
    }

    @Test(
        "What is no TLS server has an error of its own",
        arguments: [
            (TestTLSServer.Behaviour.plainHTTP, "not-tls"), (.closes, "handshake"), (.hangs, "timeout"),
        ])
    func failures(behaviour: TestTLSServer.Behaviour, code: String) async throws {
        let server = try await TestTLSServer(otherwise: behaviour)
        let probe = code == "timeout" ? TLSProbe(timeout: 0.2) : Self.probe
        guard case .failure(let error) = try await Self.chain(of: server, with: probe) else {
            Issue.record("a chain of \(behaviour)")
            return
        }
        #expect(error.code == code, "\(error)")
        try await server.close()
    }

    @Test("A closed port refuses the connection")
    func refused() async throws {
        let server = try await TestTLSServer(otherwise: .closes)
        try await server.close()
        guard case .failure(.refused(let reason)) = try await Self.chain(of: server) else {
            Issue.record("a closed port was not refused")
            return
        }
        #expect(reason == "Connection refused")
    }

    @Test(
        "A certificate or a chain that is too large is not read",
        arguments: [
            (20_000, 0, "at most 16384 are read"), (0, 15, "presents 17 certificates; at most 16 are read"),
        ])
    func sizes(padding: Int, more: Int, words: String) async throws {
        var identity = try TestServerIdentity("sizes \(padding)", padding: padding)
        identity.chain += [[UInt8]](repeating: identity.chain[1], count: more)
        let server = try await TestTLSServer(otherwise: .presents(identity))
        guard case .failure(.tooLarge(let text)) = try await Self.chain(of: server) else {
            Issue.record("\(words): not refused")
            return
        }
        #expect(text.contains(words), "\(text)")
        try await server.close()
    }

    @Test("A literal is its own address, a name has those of the resolver, and a name without any is an error")
    func addresses() async throws {
        let probe = Self.probe
        for literal in ["127.0.0.9", "::1"] {
            let found = try await probe.addresses(of: literal, port: 8443)
            #expect(found.map(\.ipAddress) == [literal] && found.map(\.port) == [8443])
        }
        let local = try await probe.addresses(of: "localhost", port: 1)
        #expect(local.contains { $0.ipAddress == "127.0.0.1" || $0.ipAddress == "::1" })
        #expect(Set(local.map(\.description)).count == local.count)
        await #expect(throws: TLSProbeError.self) { try await probe.addresses(of: "no.such.host.invalid", port: 443) }
    }

    @Test("A hundred hosts that hang take one timeout, and views stand in the order of the hosts")
    func views() async throws {
        let identity = try TestServerIdentity("views")
        let server = try await TestTLSServer(["127.0.0.50": .presents(identity)], otherwise: .hangs)
        let hosts = (1...100).map { HostQuestion(name: "127.0.0.\($0)", port: server.port) }
        let views = await TLSProbe(timeout: 3).views(of: hosts)
        #expect(views.map(\.count) == [Int](repeating: 1, count: 100))
        #expect(views.flatMap { $0 }.compactMap(\.address) == hosts.map { "\($0.name):\(server.port)" })
        for (index, view) in views.enumerated() where index != 49 {
            guard case .failure(.timeout) = view[0].chain else {
                Issue.record("\(hosts[index].name): \(view[0].chain)")
                continue
            }
        }
        #expect(try views[49][0].chain.get().map(\.subject) == ["CN=views", "CN=views authority"])
        try await server.close()
    }

    @Test("Other addresses are asked as well, once each")
    func otherAddresses() async throws {
        let (here, there) = (try TestServerIdentity("here"), try TestServerIdentity("there"))
        let server = try await TestTLSServer(["127.0.0.2": .presents(there)], otherwise: .presents(here))
        let views = await Self.probe.views(of: [
            HostQuestion(name: "127.0.0.1", port: server.port, others: ["127.0.0.2", "127.0.0.1", "127.0.0.2"])
        ])
        #expect(views[0].map { $0.certificates?.first?.subject } == ["CN=here", "CN=there"])
        try await server.close()
    }
}
