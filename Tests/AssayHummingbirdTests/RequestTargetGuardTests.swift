import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Request heads that the server's libraries would normalise", .timeLimit(.minutes(20)))
struct RequestTargetGuardTests {
    struct Head: Sendable, CustomTestStringConvertible {
        var testDescription: String { "\(target) \(version) \(hosts)" }
        let target: String
        var version = "1.1"
        var hosts = ["api.example.com"]
        let status: Int
    }

    static let heads = [
        Head(target: "/items/5", status: 200),
        Head(target: "/items/5", hosts: ["API.example.com:443"], status: 200),
        Head(target: "http://api.example.com/items/5", status: 400),
        Head(target: "HTTP://api.example.com/items/5", status: 400),
        Head(target: "http://evil.example/items/5", status: 400),
        Head(target: "http://user@api.example.com/items/5", status: 400),
        Head(target: "http://api.example.com/items/5#x", status: 400),
        Head(target: "/items/5#x", status: 400),
        Head(target: "/items/5?q#x", status: 400),
        Head(target: "api.example.com:443", status: 400),
        Head(target: "/items/\u{E9}", status: 400),
        Head(target: "/items/5", hosts: [], status: 400),
        Head(target: "/items/5", hosts: [""], status: 400),
        Head(target: "/items/5", hosts: ["api.example.com", "api.example.com"], status: 400),
        Head(target: "/items/5", hosts: ["api.example.com", "evil.example"], status: 400),
        Head(target: "/items/5", hosts: ["user@api.example.com"], status: 400),
        Head(target: "/items/5", hosts: ["api.example.com/"], status: 400),
    ]

    /// An application that checks signed messages, or nothing at all, behind the guard.
    private static func application(_ enforcement: Enforcement) throws -> some ApplicationProtocol {
        let live = try TestAPI.live {
            $0.messageSigning = MessageSigning(signer: .installation)
            $0.enforcement = enforcement
        }
        let options = TestAPI.options(origins: try ServerOrigins("https://api.example.com"))
        return try TestAPI.application(live, options: options, isGuarded: true)
    }

    private static func head(_ one: Head, signed path: String = "/items/5") throws -> String {
        let fields = try SignedMessage(method: "GET", path: path).fields().map { "\($0.0): \($0.1)" }
        let lines = ["GET \(one.target) HTTP/\(one.version)"] + one.hosts.map { "Host: \($0)" } + fields
        return (lines + ["Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n"
    }

    @Test(
        "Targets but in origin form, and Hosts but one of host and port, are refused whatever the enforcement is",
        arguments: heads, [Enforcement.reject, .off])
    func refused(_ one: Head, _ enforcement: Enforcement) async throws {
        try await Self.application(enforcement).test(.live) { client in
            let port = try #require(client.port)
            let answer = try await RawExchange.send([Self.head(one)], to: port)
            #expect(RawExchange.status(answer) == one.status, "\(answer)")
            #expect(answer.contains("5 -") == (one.status == 200), "no handler is called")
        }
    }

    @Test("HTTP/1.0 needs no Host but for signed messages, as health checks do not send it")
    func oldVersion() async throws {
        let head = Head(target: "/items/5", version: "1.0", hosts: [], status: 200)
        for (enforcement, status) in [(Enforcement.off, 200), (.reject, 400)] {
            try await Self.application(enforcement).test(.live) { client in
                let port = try #require(client.port)
                let answer = try await RawExchange.send([Self.head(head)], to: port)
                #expect(RawExchange.status(answer) == status, "\(answer)")
            }
        }
    }

    @Test("A refused head is answered after the requests before it, and ends the connection")
    func pipelined() async throws {
        try await Self.application(.off).test(.live) { client in
            let port = try #require(client.port)
            let good = "GET /items/1 HTTP/1.1\r\nHost: a\r\n\r\n"
            let bad = "GET http://a/items/2 HTTP/1.1\r\nHost: a\r\n\r\n"
            let last = "GET /items/3 HTTP/1.1\r\nHost: a\r\n\r\n"
            let answer = try await RawExchange.send([good + bad + last], to: port)
            let statuses = answer.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(statuses == ["200", "400"], "\(answer)")
            #expect(answer.contains("1 -"))
            #expect(!answer.contains("3 -"))
        }
    }
}
