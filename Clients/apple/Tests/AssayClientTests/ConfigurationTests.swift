import Crypto
import Foundation
import Testing

@testable import AssayClient

/// What a received configuration changes, and what it says of connections.
struct SignedConfigurationTests {
    private static let signer = ConfigurationSigner()
    private static var pin: [String: Any] { ConfigurationSigner.pin(Data("key".utf8)) }
    private static let ends = 1_790_003_600

    private func held(_ change: [String: Any] = [:]) throws -> SignedConfiguration {
        try SignedConfiguration(Self.signer.sign(5, pins: ["api.example.com": [Self.pin]], change))
    }

    /// A text that anyone but the holder of a known key made, or that is for another app, device or time, changes nothing.
    @Test func refusals() throws {
        let signer = Self.signer
        let held = try held()
        var cases: [(String, String)] = [
            ("key", try ConfigurationSigner(kid: "tokens-2").sign(6)), ("signature", try ConfigurationSigner().sign(6)),
            ("app", try signer.sign(6, ["aud": "shop-android"])), ("app", try signer.sign(6, ["iss": "https://a"])),
            ("version", try signer.sign(4)),
            ("device", try signer.sign(5, ConfigurationSigner.mode("unpin", device: "other", ends: Self.ends))),
            ("mode", try signer.sign(6, ["mode": "unpin", "did": "mine"])),
            ("mode", try signer.sign(6, ["mode": "unpin", "exp": Self.ends])),
            ("mode", try signer.sign(6, ["mode": "unpin", "did": "mine", "exp": 1_790_086_401])),
            ("mode", try signer.sign(6, ConfigurationSigner.mode("pin", device: "mine", ends: Self.ends))),
        ]
        let forms: [[String: Any]] = [
            ["mode": "other"], ["version": "6"], ["version": 0], ["version": 6.5], ["version": true], ["force": 7],
            ["force": -1], ["force": NSNull()], ["pins": NSNull()], ["pins": ["a.example": "x"]], ["keys": NSNull()],
            ["pins": ["a.example": [["pin": "x"]]]], ["pins": ["a.example": ["x"]]], ["keys": [Any]()],
            ["keys": [signer.jwk.filter { $0.key != "kid" }]], ["keys": [signer.jwk.merging(["crv": "P-384"]) { $1 }]],
            ["keys": [signer.jwk.merging(["x": Data(repeating: 1, count: 32).base64URL]) { $1 }]], ["iss": 7],
            ["aud": ["shop-ios"]], ["iat": NSNull()], ["exp": "x"],
        ]
        for form in forms { cases.append(("form", try signer.sign(6, form))) }
        let headers: [[String: Any]] = [["typ": "JWT"], ["alg": "none"], ["alg": "HS256"], ["kid": 7], ["crit": []]]
        for header in headers { cases.append(("form", try signer.sign(6, header: header))) }
        let good = try signer.sign(6)
        cases += ["", "a", "a.b.c", good + ".", good.replacingOccurrences(of: ".", with: "..")].map { ("form", $0) }
        cases += [("signature", good + "="), ("signature", String(good.dropLast(4)))]
        cases.append(("form", String(repeating: "a", count: 1 << 20) + "." + good))
        for (reason, text) in cases {
            #expect(throws: SignedConfiguration.Refusal(reason), "\(text.prefix(300))") {
                try held.successor(text, device: "mine")
            }
        }
        #expect(throws: SignedConfiguration.Refusal("device")) {
            try held.successor(
                signer.sign(5, ConfigurationSigner.mode("unpin", device: "mine", ends: Self.ends)), device: nil)
        }
        #expect(try held.successor(good, device: nil)?.version == 6)
    }

    /// Keys change from one configuration to the next.
    @Test func newKeys() throws {
        let next = ConfigurationSigner(kid: "tokens-2")
        let both = try #require(
            try held().successor(Self.signer.sign(6, ["keys": [Self.signer.jwk, next.jwk]]), device: nil))
        let alone = try #require(try both.successor(next.sign(7), device: nil))
        #expect(throws: SignedConfiguration.Refusal("key")) {
            try alone.successor(Self.signer.sign(8), device: nil)
        }
    }

    /// Of one version, only a mode changes something.
    @Test func modes() throws {
        let signer = Self.signer
        let held = try held()
        #expect(try held.successor(signer.sign(5), device: "mine") == nil)
        let unpin = try signer.sign(5, ConfigurationSigner.mode("unpin", device: "mine", ends: Self.ends))
        let unpinned = try #require(try held.successor(unpin, device: "mine"))
        #expect(unpinned.mode(at: Self.ends - 1) == .unpin)
        #expect(unpinned.mode(at: Self.ends) == .pin)
        #expect(try unpinned.successor(unpin, device: "mine") == nil)
        let longer = try signer.sign(5, ConfigurationSigner.mode("unpin", device: "mine", ends: Self.ends + 1))
        #expect(try unpinned.successor(longer, device: "mine") != nil)
        #expect(try unpinned.successor(signer.sign(5), device: "mine")?.mode(at: 0) == .pin)
    }

    /// The look-up of pins, their windows, and the modes.
    @Test func verdicts() throws {
        let (a, b) = (Data("a".utf8), Data("b".utf8))
        let window = ConfigurationSigner.pin(b).merging(["notBefore": 100, "notAfter": 200]) { $1 }
        let pins = [
            "api.example.com": [ConfigurationSigner.pin(a), window], "cdn.example.com": [], "*": [window],
        ]
        func verdicts(
            _ change: [String: Any], _ host: String, _ keys: [Data], _ times: [Int]
        ) throws -> [PinVerdict] {
            let configuration = try SignedConfiguration(Self.signer.sign(5, pins: pins, change))
            return times.map {
                configuration.verdict(on: host, keys: keys.map(\.sha256), at: $0, backend: "backend.example.com")
            }
        }
        #expect(try verdicts([:], "API.example.com.", [b, a], [0]) == [.allowed])
        #expect(
            try verdicts([:], "api.example.com", [b], [99, 100, 200, 201]) == [.refused, .allowed, .allowed, .refused])
        #expect(try verdicts([:], "api.example.com", [], [150]) == [.refused])
        #expect(try verdicts([:], "cdn.example.com", [], [150]) == [.unpinned])
        #expect(try verdicts([:], "x.api.example.com", [b], [150, 201]) == [.allowed, .refused])
        for (mode, pinned, unpinned, backend) in [
            ("unpin", PinVerdict.unpinned, PinVerdict.unpinned, PinVerdict.unpinned),
            ("block", .refused, .unpinned, .unpinned), ("blockAll", .refused, .unpinned, .refused),
        ] {
            let change = ConfigurationSigner.mode(mode, device: "mine", ends: 150).merging([
                "pins": ["api.example.com": [Self.pin]]
            ]) { $1 }
            #expect(try verdicts(change, "api.example.com", [Data("key".utf8)], [149, 150]) == [pinned, .allowed])
            #expect(try verdicts(change, "cdn.example.com", [], [149, 150]) == [unpinned, .unpinned])
            #expect(try verdicts(change, "backend.example.com", [], [149, 150]) == [backend, .unpinned])
        }
    }
}

/// The vectors that each kit passes.
@Suite(.enabled(if: Vectors.exist, "TestVectors is missing"))
struct ConfigurationVectorTests {
    @Test func all() throws {
        var ids: Set<String> = []
        for vector in try Vectors.read("../configuration/configuration.ndjson") {
            let id = try #require(vector["id"] as? String)
            let about: Comment = "\(id): \(vector["about"] as? String ?? "")"
            let (time, backend) = (
                try #require(vector["now"] as? Int), try #require(vector["backend"] as? String)
            )
            let embedded = try SignedConfiguration(try #require(vector["embedded"] as? String))
            let held = try (vector["held"] as? String).map { try SignedConfiguration($0) }
            var used = held.flatMap { $0.version < embedded.version ? nil : $0 } ?? embedded
            if let received = vector["received"] as? String {
                var (result, isForced) = ("ignored", false)
                do throws(SignedConfiguration.Refusal) {
                    if let new = try used.successor(received, device: vector["did"] as? String) {
                        (result, isForced, used) = ("applied", new.force > used.version, new)
                    }
                } catch { result = "refused" }
                #expect(result == vector["result"] as? String, about)
                #expect(isForced == (vector["forced"] as? Bool ?? false), about)
            }
            #expect(used.version == vector["version"] as? Int, about)
            #expect(used.mode(at: time).rawValue == vector["mode"] as? String, about)
            for (index, evaluation) in (vector["evaluations"] as? [[String: Any]] ?? []).enumerated() {
                let keys = (evaluation["spki"] as? [String] ?? []).compactMap { Data(base64Encoded: $0)?.sha256 }
                let verdict = used.verdict(
                    on: try #require(evaluation["host"] as? String), keys: keys,
                    at: try #require(evaluation["now"] as? Int), backend: backend)
                #expect(verdict.rawValue == evaluation["result"] as? String, "\(id), evaluation \(index)")
            }
            ids.insert(id)
        }
        #expect(ids.count > 20)
    }
}
