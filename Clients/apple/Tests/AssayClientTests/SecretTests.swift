import Crypto
import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runtime secrets: fetched once, sealed, held until they end, and written into requests of the hosts that may have them.
struct SecretTests {
    private let backend = FakeBackend()
    private let phone = TestPhone()
    private let clock = HurriedClock()

    private func attestor(_ change: (inout Configuration) -> Void = { _ in }) throws -> AppAttestor {
        try EndToEndTests.attestor(phone, backend, clock: clock, change)
    }

    private func failure(_ source: SecretSource, _ name: String = "maps") async -> AssayClientError? {
        do { _ = try await source.value(name) } catch { return error }
        return nil
    }

    /// One request brings all names. The signature covers challenge, names and key, and comes without the app's own fields.
    @Test func fetched() async throws {
        let source = SecretSource(try attestor(), names: ["maps", "flags"])
        async let first = source.value("maps")
        async let second = source.value("flags")
        #expect(try await [first, second].allSatisfy { $0.hasPrefix("canary ") })
        #expect(backend.requests("/secrets").count == 1)
        let body = try #require(backend.requests("/secrets").first?.httpBody)
        let wanted = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(wanted["names"] as? [String] == ["flags", "maps"])
        let jwk = try #require(wanted["jwk"] as? [String: String])
        let thumbprint =
            #"{"crv":"P-256","kty":"EC","x":"\#(jwk["x"] ?? "")","y":"\#(jwk["y"] ?? "")"}"#.sha256.base64URL
        let challenge = try #require(wanted["challenge"] as? String)
        let nonce = "assay-secrets\n\(challenge)\nflags,maps\n\(thumbprint)\n".sha256.base64URL
        let record = try #require(wanted["record"] as? [String: Any])
        #expect(record["kind"] as? String == "app-attest.request")
        let evidence = try #require(record["evidence"] as? [String: Any])
        #expect(evidence["targetURI"] as? String == "https://api.example.com/secrets")
        let fields = try #require(evidence["headers"] as? [[String]])
        #expect(fields.first?.last?.contains("nonce=\"\(nonce)\"") == true)
        #expect(await failure(source, "other")?.code == .invalidSecretName)
    }

    /// Values are used until they end, and no longer; `forget` ends them.
    @Test func life() async throws {
        let attestor = try attestor()
        let source = SecretSource(attestor, names: ["maps"])
        let first = try await source.value("maps")
        #expect(try await source.value("maps") == first)
        clock.goOn(by: 3_600_000)
        let second = try await source.value("maps")
        #expect(second != first)
        clock.goOn(by: 3_600_000)
        backend.fail("/secrets", "url:-1009", sent: false)
        #expect(await failure(source)?.code == .later)
        await attestor.networkIsBack()
        let third = try await source.value("maps")
        try await attestor.forget()
        #expect(try await source.value("maps") != third)
        #expect(backend.requests("/secrets").count == 5)
    }

    private static let refusals: [(Int, String, AssayClientError.Code, String?)] = [
        (404, #"{"error": "UNKNOWN_KEY", "code": "unknown-secret"}"#, AssayClientError.Code.unknownSecret, nil),
        (409, #"{"error": "DISABLED", "code": "secrets-disabled"}"#, .secretsDisabled, nil),
        (400, #"{"error": "BAD_KEY", "code": "invalid-secret-name"}"#, .invalidSecretName, nil),
        (400, #"{"error": "BAD_KEY"}"#, .invalidSecretName, nil),
        (403, #"{"error": "REJECTED", "arc": "RMPAKMHI", "remedy": "contact-support"}"#, .contactSupport, "RMPAKMHI"),
        (403, #"{"error": "REJECTED", "arc": "RMPAKMHI", "remedy": "update-app"}"#, .updateApp, "RMPAKMHI"),
        (403, #"{"error": "REJECTED", "reasons": ["x"]}"#, .refused, nil),
        (422, #"{"code": "evidence-not-bound"}"#, .answer, "evidence-not-bound"),
        (503, #"{"code": "outage"}"#, .later, "outage"), (200, #"{"secrets": "a.b.c.d.e"}"#, .answer, "json:200"),
    ]

    /// Each word of a refusal has its error, which is not asked for again at once.
    @Test(arguments: refusals)
    func refused(_ status: Int, _ body: String, _ code: AssayClientError.Code, _ detail: String?) async throws {
        let source = SecretSource(try attestor(), names: ["maps"])
        try backend.next("/secrets", status, body, ["Content-Type": "application/problem+json"])
        for _ in 0..<2 {
            let error = await failure(source)
            #expect(error?.code == code)
            if let detail { #expect(error?.detail == detail) }
        }
        #expect(backend.requests("/secrets").count == 1)
    }

    /// A key that the server has lost is replaced, as for a request.
    @Test func newKey() async throws {
        let source = SecretSource(try attestor(), names: ["maps"])
        try backend.next("/secrets", 403, #"{"error": "REJECTED", "remedy": "new-attestation"}"#)
        #expect(try await source.value("maps").hasPrefix("canary maps"))
        #expect(phone.count(.generateKey) == 2)
    }

    /// A device without App Attest gets none.
    @Test func unsupported() async throws {
        phone.isSupported = false
        #expect(await failure(SecretSource(try attestor(), names: ["maps"]))?.code == .unsupported)
        #expect(backend.requests("/secrets").isEmpty)
    }

    /// What is not sealed for this request is not taken.
    @Test func sealed() throws {
        let key = SecretsKey()
        func opened(_ sealer: SecretSealer, names: [String] = ["maps"], challenge: String = "c") throws -> [String:
            String]?
        {
            let text = try sealer.seal(names, challenge, key.point.members)
            return key.open(text, names: ["maps"], challenge: "c", app: "shop-ios")?.values
        }
        #expect(try opened(SecretSealer()) == ["maps": "canary maps 1"])
        #expect(try opened(SecretSealer(), challenge: "d") == nil)
        #expect(try opened(SecretSealer(), names: ["maps", "flags"]) == nil)
        #expect(try opened(SecretSealer(), names: []) == nil)
        let contents: [[String: Any]] = [
            ["app": "other"], ["exp": 999], ["exp": "x"], ["secrets": ["maps": 7]], ["exp": Int.max, "iat": -1],
        ]
        for content in contents { #expect(try opened(SecretSealer(content: content)) == nil) }
        let endless = try SecretSealer(content: ["exp": Int.max]).seal(["maps"], "c", key.point.members)
        #expect(key.open(endless, names: ["maps"], challenge: "c", app: "shop-ios")?.life == 86_400)
        let headers: [[String: Any]] = [
            ["alg": "dir"], ["enc": "A128GCM"], ["typ": "JWT"], ["apu": "AA"], ["apv": "AA"], ["crit": ["exp"]],
            ["zip": "DEF"], ["epk": ["kty": "EC"]], ["epk": 7],
        ]
        for header in headers { #expect(try opened(SecretSealer(header: header)) == nil) }
        let good = try SecretSealer().seal(["maps"], "c", key.point.members)
        #expect(SecretsKey().open(good, names: ["maps"], challenge: "c", app: "shop-ios") == nil)
        for (index, part) in good.split(separator: ".", omittingEmptySubsequences: false).enumerated() {
            var parts = good.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            parts[index] = (part.first == "A" ? "B" : "A") + part.dropFirst()
            #expect(key.open(parts.joined(separator: "."), names: ["maps"], challenge: "c", app: "shop-ios") == nil)
        }
    }

    // MARK: Substitution

    private static let substitutions: [Substitution] = [
        .header("X-Api-Key", secret: "maps", hosts: ["Maps.Example.com"]),
        .header("Authorization", prefix: "Bearer ", secret: "flags", hosts: ["flags.example.com"]),
        .query("key", secret: "maps", hosts: ["maps.example.com", "tiles.example.com"]),
    ]

    private static let requests: [(String, String, [String: String])] = [
        (
            "https://maps.example.com/a?key=old&x=1&k%65y=older&keys=2#part",
            "https://maps.example.com/a?x=1&keys=2&key=canary%20maps%20N", ["X-Api-Key": "canary maps N"]
        ),
        (
            "https://MAPS.example.com:443", "https://maps.example.com/?key=canary%20maps%20N",
            ["X-Api-Key": "canary maps N"]
        ),
        ("https://tiles.example.com/?", "https://tiles.example.com/?key=canary%20maps%20N", [:]),
        (
            "https://flags.example.com/a?key=b", "https://flags.example.com/a?key=b",
            ["Authorization": "Bearer canary flags N"]
        ),
        ("https://other.example.com/?key=b", "https://other.example.com/?key=b", [:]),
        ("https://maps.example.com.other.example/", "https://maps.example.com.other.example/", [:]),
        ("https://a.maps.example.com/", "https://a.maps.example.com/", [:]),
    ]

    /// A secret stands where the app has declared it, in requests to hosts that may have it.
    @Test(arguments: requests)
    func substituted(_ url: String, _ expected: String, _ fields: [String: String]) async throws {
        let source = SecretSource(try attestor(), substitutions: Self.substitutions)
        var request = URLRequest(url: try #require(URL(string: url)))
        request.setValue("old", forHTTPHeaderField: "x-api-key")
        let sent = try await source.substituted(request)
        let number = try await source.value("maps").split(separator: " ").last ?? ""
        #expect(sent.url?.absoluteString == expected.replacingOccurrences(of: "N", with: number))
        for (name, value) in fields {
            #expect(sent.value(forHTTPHeaderField: name) == value.replacingOccurrences(of: "N", with: number))
        }
        if fields["X-Api-Key"] == nil { #expect(sent.value(forHTTPHeaderField: "X-Api-Key") == "old") }
        if fields["Authorization"] == nil { #expect(sent.value(forHTTPHeaderField: "Authorization") == nil) }
    }

    /// A request to another host needs no secrets, and one over http gets none.
    @Test func refusedRequests() async throws {
        let source = SecretSource(try attestor(), substitutions: Self.substitutions)
        _ = try await source.substituted(URLRequest(url: try #require(URL(string: "https://other.example.com/"))))
        #expect(backend.requests("/secrets").isEmpty)
        for url in ["http://maps.example.com/", "https://user@maps.example.com/"] {
            let request = URLRequest(url: try #require(URL(string: url)))
            let error = await #expect(throws: AssayClientError.self) { try await source.substituted(request) }
            #expect(error?.code == .request)
        }
        var request = URLRequest(url: try #require(URL(string: "https://maps.example.com/")))
        for value in ["a\r\nCookie: b", "a\nb", "\u{e9}", "\u{7f}"] {
            let error = #expect(throws: AssayClientError.self) {
                try Self.substitutions[0].write(value, into: &request)
            }
            #expect(error?.code == .request && error?.message.contains(value) == false)
        }
        try Self.substitutions[2].write("a&b=c\n\u{e9}", into: &request)
        #expect(request.url?.absoluteString == "https://maps.example.com/?key=a%26b%3Dc%0A%C3%A9")
    }

    /// The signature covers the request with its secret; a third party gets no signature, and the answer's redirect nothing.
    @Test func sent() async throws {
        let events = SecretEvents()
        let attestor = try attestor {
            $0.coveredFields = ["x-api-key"]
            $0.observe = { events.add($0) }
        }
        let own = SecretSource(
            attestor,
            substitutions: [
                .header("X-Api-Key", secret: "maps", hosts: ["api.example.com"]),
                .query("key", secret: "maps", hosts: ["maps.example.com"]),
            ])
        let signed = try await own.substituted(EndToEndTests.order())
        _ = try await attestor.data(for: signed)
        let order = try #require(backend.requests("/v1/orders").first)
        #expect(order.value(forHTTPHeaderField: "X-Api-Key")?.hasPrefix("canary maps") == true)
        #expect(order.value(forHTTPHeaderField: "Signature-Input")?.contains(#""x-api-key""#) == true)
        try backend.next("/tile", 302, "", ["Location": "https://other.example.com/"])
        let tile = URLRequest(url: try #require(URL(string: "https://maps.example.com/tile")))
        #expect(try await own.data(for: tile).1.statusCode == 302)
        let sent = try #require(backend.requests("/tile").first)
        #expect(sent.url?.query?.hasPrefix("key=canary%20maps") == true)
        #expect(sent.value(forHTTPHeaderField: "Signature") == nil)
        #expect(!"\(events.all)".contains("canary"))
        backend.fail("/tile", sent: true)
        let error = await #expect(throws: AssayClientError.self) { try await own.data(for: tile) }
        #expect(error?.code == .outcomeUnknown && error?.description.contains("canary") == false)
    }
}

/// The events of a test.
private final class SecretEvents: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [ClientEvent] = []

    var all: [ClientEvent] { lock.withLock { events } }
    func add(_ event: ClientEvent) { lock.withLock { events.append(event) } }
}
