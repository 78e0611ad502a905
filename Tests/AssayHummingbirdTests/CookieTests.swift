import Approov
import Assay
import AssayHTTP
import AssayHummingbird
import AssayTesting
import HTTPTypes
import HummingbirdTesting
import Testing

/// HTTP/2 lets clients split `cookie` into several fields, which mean one field (RFC 9113 section 8.2.3).
@Suite("Cookie crumbs", .timeLimit(.minutes(20)))
struct CookieTests {
    static let crumbs = [["a=1; b=2"], ["a=1", "b=2"], ["b=2", "a=1"], ["a=1"], []]

    @Test("A token that is bound to cookies accepts their crumbs in the bound order", arguments: crumbs)
    func binding(_ crumbs: [String]) async throws {
        let live = try TestAPI.live { settings in
            settings.binding = ["Cookie"]
            settings.failover = .reject
        }
        let digest = Base64Text.sha256("a=1; b=2")
        var fields: HTTPFields = [.approovToken: try TestAPI.token([JSONItem.Member("pay", .text(digest))])]
        for crumb in crumbs { fields.append(HTTPField(name: .cookie, value: crumb)) }
        let sent = fields
        try await TestAPI.application(live).test(.router) { client in
            try await client.execute(uri: "/stock", method: .get, headers: sent) { response in
                #expect((response.status == .ok) == (crumbs.joined(separator: "; ") == "a=1; b=2"))
            }
        }
    }

    @Test("A signature that covers cookies is that of their crumbs joined", arguments: crumbs)
    func signature(_ crumbs: [String]) async throws {
        let live = try TestAPI.live { $0.messageSigning = MessageSigning(signer: .installation) }
        let options = TestAPI.options(origins: try ServerOrigins("https://api.example.com"))
        let message = SignedMessage(method: "GET", path: "/stock", cookie: "a=1; b=2")
        try await TestAPI.application(live, options: options).test(.live) { client in
            let port = try #require(client.port)
            let lines =
                ["GET /stock HTTP/1.1", "Host: api.example.com", "Connection: close"]
                + crumbs.map { "Cookie: \($0)" } + (try message.fields().map { "\($0.0): \($0.1)" })
            let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
            let status = RawExchange.status(try await RawExchange.send([head], to: port))
            #expect((status == 200) == (crumbs.joined(separator: "; ") == "a=1; b=2"))
        }
    }
}
