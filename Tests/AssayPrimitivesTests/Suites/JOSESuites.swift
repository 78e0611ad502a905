import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Project Wycheproof and the RFCs on JOSE, whose algorithms are mostly others than the few that are allowed here.
@Suite("Third-party suites: JOSE", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct JOSESuites {
    /// A key of a suite, as JSON that is handed on as it is.
    private typealias Key = [String: any Sendable]

    private static func groups(_ file: String) throws -> (count: Int, groups: [[String: Any]]) {
        let root = try JSONSerialization.jsonObject(with: SharedFiles.data("suites/wycheproof/\(file).json"))
        let suite = try #require(root as? [String: Any])
        return (
            try #require(suite["count"] as? Int), try #require(suite["testGroups"] as? [[String: Any]])
        )
    }

    private static func key(of group: [String: Any]) throws -> [String: Any] {
        try #require((group["private"] ?? group["public"]) as? [String: Any])
    }

    /// The only key of a set that is made for it; some have no ID of their own.
    private static func verificationKey(_ jwk: [String: Any]) throws -> JWSKey {
        var jwk = jwk
        jwk["kid"] = "only"
        let set = try JWKSet(Array(JSONSerialization.data(withJSONObject: ["keys": [jwk]])))
        guard let key = set.key("only") else { throw JOSEError(.unknownKeyID, "of a kind that is not known here") }
        return key
    }

    private static func verified(_ text: String, _ key: JWSKey) -> [UInt8]? {
        guard let jws = try? CompactJWS(Array(text.utf8), limit: InputLimits.joseText) else { return nil }
        return (try? key.verify(jws)) == nil ? nil : jws.payload
    }

    private static func decrypted(_ text: String, _ jwk: [String: Any]) -> [UInt8]? {
        guard let jwe = try? CompactJWE(Array(text.utf8), limit: InputLimits.joseText),
            let text = jwk["k"] as? String, let secret = try? Base64.decode(text, .url)
        else { return nil }
        // What the suite says that a key is for must hold too; under the other algorithm nothing may open.
        let keys = [try? JWEKey.a256KW(SecretBytes(secret)), try? JWEKey.a256GCMKW(SecretBytes(secret))]
        return keys.compactMap { $0 }.compactMap { try? $0.decrypt(jwe) }.first
    }

    /// What is accepted: what the suite's restricted verifier accepts, and RS256, which it does not know.
    private static func isAccepted(_ expectation: Any?, _ jwk: [String: Any]) -> Bool {
        switch expectation as? String {
        case "valid", "accept": true
        case "unsupported", "reject": (jwk["alg"] as? String) == "RS256" && expectation as? String == "unsupported"
        default: false
        }
    }

    @Test("Signatures and MACs are accepted exactly when they are valid and of the key's one algorithm")
    func jsonWebSignature() throws {
        let (count, groups) = try Self.groups("json_web_signature")
        var report = SuiteReport()
        for group in groups {
            let jwk = try Self.key(of: group)
            let key = try? Self.verificationKey(jwk)
            for test in try #require(group["tests"] as? [[String: Any]]) {
                let text = try #require(test["jws"] as? String)
                report.record(
                    "\(test["tcId"] ?? 0)", expected: Self.isAccepted(test["expect"], jwk),
                    accepted: key.flatMap { Self.verified(text, $0) } != nil)
            }
        }
        #expect(report.problems(cases: count) == [])
    }

    @Test("JWEs are opened exactly when they are A256KW or A256GCMKW with A256GCM, and give their plaintext")
    func jsonWebEncryption() throws {
        let (count, groups) = try Self.groups("json_web_encryption")
        var report = SuiteReport()
        var opened: [Int] = []
        for group in groups {
            let jwk = try Self.key(of: group)
            for test in try #require(group["tests"] as? [[String: Any]]) {
                let plaintext = Self.decrypted(try #require(test["jwe"] as? String), jwk)
                report.record(
                    "\(test["tcId"] ?? 0)", expected: test["expect"] as? String == "valid",
                    accepted: plaintext != nil)
                guard let plaintext else { continue }
                opened.append(test["tcId"] as? Int ?? 0)
                #expect(plaintext == [UInt8](hex: test["pt"] as? String ?? "-"))
            }
        }
        #expect(report.problems(cases: count) == [])
        #expect(opened.sorted() == [29, 73, 74])
    }

    @Test("Whatever is changed in the JWEs of the suite that open: rejected")
    func mutatedEncryption() throws {
        var subjects = 0
        for group in try Self.groups("json_web_encryption").groups {
            let jwk = try Self.key(of: group)
            for test in try #require(group["tests"] as? [[String: Any]]) where test["expect"] as? String == "valid" {
                let text = try #require(test["jwe"] as? String)
                let accepted = TokenMutation.accepted(text) { Self.decrypted($0, jwk) != nil }
                #expect(accepted == [], "\(test["tcId"] ?? 0)")
                subjects += 1
            }
        }
        #expect(subjects == 3)
    }

    @Test("A set of keys that is ambiguous, or holds a key that is weak or for something else, verifies nothing")
    func jsonWebKey() throws {
        let (count, groups) = try Self.groups("json_web_key")
        var report = SuiteReport()
        for group in groups {
            let jwks = try Self.key(of: group)
            let set = try? JWKSet(Array(JSONSerialization.data(withJSONObject: jwks)))
            let first = try #require((jwks["keys"] as? [[String: Any]])?.first)
            for test in try #require(group["tests"] as? [[String: Any]]) {
                let text = Array(try #require(test["jws"] as? String).utf8)
                let header = try CompactJWS(text, limit: InputLimits.joseText).header
                let key = set.flatMap { try? $0.key(for: header) }
                report.record(
                    "\(test["tcId"] ?? 0)", expected: Self.isAccepted(test["expect"], first),
                    accepted: key.flatMap { Self.verified(String(decoding: text, as: UTF8.self), $0) } != nil)
            }
        }
        #expect(report.problems(cases: count) == [])
    }

    @Test("The examples of the RFCs are accepted when they are compact and of an allowed algorithm")
    func rfcExamples() throws {
        let root = try JSONSerialization.jsonObject(with: SharedFiles.data("suites/jose/rfc_vectors.json"))
        let cases = try #require((root as? [String: Any])?["cases"] as? [[String: Any]])
        var report = SuiteReport()
        for test in cases where test["kind"] as? String != "thumbprint" {
            let id = try #require(test["id"] as? String)
            let jwk = test["key"] as? [String: Any] ?? [:]
            let json = try test["json"].map {
                try JSONSerialization.data(withJSONObject: $0, options: .fragmentsAllowed)
            }
            let text = test["compact"] as? String ?? String(decoding: json ?? Data(), as: UTF8.self)
            var opened: [UInt8]?
            if test["kind"] as? String == "jwe" {
                opened = Self.decrypted(text, jwk)
            } else if let key = try? Self.verificationKey(jwk) {
                opened = Self.verified(text, key)
            }
            // The file's verifier has no RS256; ours has.
            let isRS256 = test["alg"] as? String == "RS256" && test["compact"] is String
            report.record(id, expected: test["expect"] as? String == "accept" || isRS256, accepted: opened != nil)
            let content = (test["payload"] ?? test["plaintext"]) as? String
            if let opened, let content { #expect(Array(content.utf8) == opened, "\(id)") }
        }
        #expect(report.problems(cases: 30) == [])
    }
}
