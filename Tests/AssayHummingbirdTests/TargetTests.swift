import Approov
import Assay
import AssayHTTP
import AssayHummingbird
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Target and client of a signed request", .timeLimit(.minutes(20)))
struct TargetTests {
    private static func status(
        host: [String], origin: String, origins: [String], proxy: TrustedProxy = .none, more: [String] = []
    ) async throws -> Int {
        let live = try TestAPI.live { $0.messageSigning = MessageSigning(signer: .installation) }
        let options = TestAPI.options(origins: try ServerOrigins(origins)) { $0.proxy = proxy }
        let message = SignedMessage(method: "GET", path: "/stock?q=a%20b&c", origin: origin)
        let lines =
            ["GET /stock?q=a%20b&c HTTP/1.1", "Connection: close"] + host.map { "Host: \($0)" } + more
            + (try message.fields().map { "\($0.0): \($0.1)" })
        return try await TestAPI.application(live, options: options).test(.live) { client in
            let port = try #require(client.port)
            let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
            return RawExchange.status(try await RawExchange.send([head], to: port))
        }
    }

    @Test("With one origin, Host is ignored")
    func oneOrigin() async throws {
        let api = "https://api.example.com"
        #expect(try await Self.status(host: ["10.0.0.1:8080"], origin: api, origins: [api]) == 200)
        #expect(try await Self.status(host: ["evil.example"], origin: "https://evil.example", origins: [api]) == 401)
        #expect(
            try await Self.status(host: ["api.example.com"], origin: "http://api.example.com", origins: [api]) == 401)
    }

    @Test(
        "A missing, repeated or malformed Host is refused, also with one origin and behind a proxy",
        arguments: [
            [], [""], ["api.example.com", "api.example.com"], ["api.example.com", "evil.example"],
            ["u@api.example.com"], ["api.example.com/"], ["api.example.com, evil.example"], ["api.example.com#"],
            ["api.example.com?"],
            ["api example.com"],
        ])
    func badHost(_ host: [String]) async throws {
        let api = "https://api.example.com"
        #expect(try await Self.status(host: host, origin: api, origins: [api]) == 400)
        let proxy = TrustedProxy(addressField: nil, hostField: .forwardedHost)
        let more = ["X-Forwarded-Host: api.example.com"]
        #expect(try await Self.status(host: host, origin: api, origins: [api], proxy: proxy, more: more) == 400)
    }

    @Test("With several Host chooses, and none that is not the server's")
    func severalOrigins() async throws {
        let origins = ["https://a.example", "https://b.example:8443"]
        let cases: [([String], String, [Int])] = [
            (["a.example"], "https://a.example", [200]),
            (["A.Example"], "https://a.example", [200]),
            (["a.example:443"], "https://a.example", [200]),
            (["b.example:8443"], "https://b.example:8443", [200]),
            (["b.example:8443"], "https://a.example", [401]),
            (["b.example"], "https://b.example:8443", [421]),
            (["c.example"], "https://a.example", [421]),
            ([""], "https://a.example", [400]),
            ([], "https://a.example", [400]),
            (["a.example", "b.example:8443"], "https://a.example", [400]),
            (["a.example", "a.example"], "https://a.example", [400]),
        ]
        for (host, origin, expected) in cases {
            let status = try await Self.status(host: host, origin: origin, origins: origins)
            #expect(expected.contains(status), "\(host) \(origin) \(status)")
        }
    }

    @Test("A forwarded host counts only behind a proxy that sets it, once, and then Host does not")
    func forwardedHost() async throws {
        let origins = ["https://a.example", "https://b.example"]
        let proxy = TrustedProxy(addressField: nil, hostField: .forwardedHost)
        let a = "https://a.example"
        let cases: [(TrustedProxy, [String], String, Int)] = [
            (.none, ["X-Forwarded-Host: a.example"], "b.example", 401),
            (.none, ["X-Forwarded-Host: b.example"], "a.example", 200),
            (proxy, ["X-Forwarded-Host: a.example"], "internal", 200),
            (proxy, ["X-Forwarded-Host: c.example"], "a.example", 421),
            (proxy, [], "a.example", 421),
            (proxy, ["X-Forwarded-Host: a.example", "X-Forwarded-Host: a.example"], "a.example", 421),
            (proxy, ["X-Forwarded-Host: a.example, b.example"], "a.example", 421),
        ]
        for (proxy, more, host, expected) in cases {
            let status = try await Self.status(
                host: [host], origin: a, origins: origins, proxy: proxy, more: more)
            #expect(status == expected, "\(more) \(host)")
        }
    }

    @Test(
        "A target with a fragment is refused: the router would read it as an unsigned part of the path",
        arguments: [[], [MessageSigning.Quirk.targetURIWithFragment]])
    func fragment(_ quirks: Set<MessageSigning.Quirk>) async throws {
        let message = SignedMessage(method: "GET", path: "/items/5")
        for (target, expected) in [
            ("/items/5", 200), ("/items/5#x?admin=1", 400), ("/items/5#", 400), ("http://a/items/5", 200),
        ] {
            let live = try TestAPI.live { $0.messageSigning = MessageSigning(signer: .installation, quirks: quirks) }
            let options = TestAPI.options(origins: try ServerOrigins(message.origin))
            let head = try message.head().replacing("GET /items/5 ", with: "GET \(target) ")
            try await TestAPI.application(live, options: options).test(.live) { client in
                let port = try #require(client.port)
                let answer = try await RawExchange.send([head], to: port)
                #expect(RawExchange.status(answer) == expected, "\(target) \(answer)")
                // Not from the HTTP parser, which also answers 400.
                #expect((expected == 400) == answer.contains(RequestObstacle.badTarget.rawValue))
            }
        }
    }

    struct Addresses: Sendable {
        let proxy: TrustedProxy
        let fields: [String]
        /// Whether the request comes from 203.0.113.7, the address in the token; nil if unknown.
        let matches: Bool?
    }

    @Test("The address is the peer's, or the one that the configured proxies vouch for")
    func addresses() async throws {
        let one = TrustedProxy(addressField: .forwardedFor, hostField: nil)
        let two = TrustedProxy(addressField: .forwardedFor, hostField: nil, hops: 2)
        let cases = [
            Addresses(proxy: .none, fields: ["203.0.113.7"], matches: nil),
            Addresses(proxy: one, fields: ["203.0.113.7"], matches: true),
            Addresses(proxy: one, fields: ["203.0.113.7:4711"], matches: true),
            Addresses(proxy: one, fields: ["203.0.113.7, 198.51.100.1"], matches: false),
            Addresses(proxy: one, fields: ["198.51.100.1", " 203.0.113.7 "], matches: true),
            Addresses(proxy: two, fields: ["203.0.113.7, 198.51.100.1"], matches: true),
            Addresses(proxy: two, fields: ["203.0.113.7"], matches: nil),
            Addresses(proxy: one, fields: [], matches: nil),
            Addresses(proxy: one, fields: ["[2001:db8::1]:4711"], matches: false),
            Addresses(proxy: one, fields: ["unknown"], matches: false),
        ]
        for one in cases {
            let log = TestLog()
            let live = try TestAPI.live(logger: log.logger)
            let options = TestAPI.options { $0.proxy = one.proxy }
            let found = try await AddressProbe.annotated(live, options, one.fields)
            #expect(found == one.matches, "\(one.fields)")
        }
    }
}
