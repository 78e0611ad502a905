import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation

/// Project Wycheproof and the RFCs on JOSE. Assay allows only a few of their algorithms.
extension TrialSuite {
    static var jose: [TrialSuite] { [jsonWebSignature, jsonWebEncryption, jsonWebKey, rfcExamples] }

    private static func object(_ file: String) throws -> [String: Any] {
        try need(JSONSerialization.jsonObject(with: SharedFiles.data(file)) as? [String: Any])
    }

    private static func groups(_ file: String) throws -> (count: Int, groups: [[String: Any]]) {
        let suite = try object(file)
        return (try need(suite["count"] as? Int), try need(suite["testGroups"] as? [[String: Any]]))
    }

    private static func key(of group: [String: Any]) throws -> [String: Any] {
        try need((group["private"] ?? group["public"]) as? [String: Any])
    }

    /// The key of a set with only one key. Some have no ID of their own.
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
        // The key use that the suite states must match. Under the other algorithm nothing may open.
        let keys = [try? JWEKey.a256KW(SecretBytes(secret)), try? JWEKey.a256GCMKW(SecretBytes(secret))]
        return keys.compactMap { $0 }.compactMap { try? $0.decrypt(jwe) }.first
    }

    /// Accepted: what the file's restricted verifier accepts, and RS256, which that verifier does not support.
    private static func isAccepted(_ expectation: Any?, _ jwk: [String: Any]) -> Bool {
        switch expectation as? String {
        case "valid", "accept": true
        case "unsupported": (jwk["alg"] as? String) == "RS256"
        default: false
        }
    }

    /// Accepts exactly the valid signatures and MACs of the key's only algorithm.
    private static var jsonWebSignature: TrialSuite {
        wycheproof("json_web_signature", exercises: "`CompactJWS`, `JWKSet`, `JWSKey`") { file in
            let (count, groups) = try groups(file)
            var report = SuiteReport(cases: count)
            for group in groups {
                let jwk = try key(of: group)
                let key = try? verificationKey(jwk)
                for test in try need(group["tests"] as? [[String: Any]]) {
                    let text = try need(test["jws"] as? String)
                    report.record(
                        "\(test["tcId"] ?? 0)", expected: isAccepted(test["expect"], jwk),
                        accepted: key.flatMap { verified(text, $0) } != nil)
                }
            }
            return report
        }
    }

    /// Opens exactly the JWEs with A256KW or A256GCMKW and A256GCM, to the correct plaintext.
    private static var jsonWebEncryption: TrialSuite {
        wycheproof("json_web_encryption", exercises: "`CompactJWE`, `JWEKey`") { file in
            let (count, groups) = try groups(file)
            var report = SuiteReport(cases: count)
            for group in groups {
                let jwk = try key(of: group)
                for test in try need(group["tests"] as? [[String: Any]]) {
                    let id = "\(test["tcId"] ?? 0)"
                    let text = try need(test["jwe"] as? String)
                    let plaintext = decrypted(text, jwk)
                    let isValid = test["expect"] as? String == "valid"
                    report.record(id, expected: isValid, accepted: plaintext != nil)
                    report.require(
                        plaintext == nil || plaintext == [UInt8](hex: test["pt"] as? String ?? "-"),
                        "\(id): another plaintext")
                    // The suite has no negative case with these algorithms.
                    guard isValid else { continue }
                    let accepted = TokenMutation.accepted(text) { decrypted($0, jwk) != nil }
                    report.require(accepted.isEmpty, "\(id): opens after changes: \(accepted.prefix(3))")
                }
            }
            return report
        }
    }

    /// An ambiguous set of keys, or a set with a weak key or a key for another use, verifies nothing.
    private static var jsonWebKey: TrialSuite {
        wycheproof("json_web_key", exercises: "`JWKSet`") { file in
            let (count, groups) = try groups(file)
            var report = SuiteReport(cases: count)
            for group in groups {
                let jwks = try key(of: group)
                let set = try? JWKSet(Array(JSONSerialization.data(withJSONObject: jwks)))
                let first = try need((jwks["keys"] as? [[String: Any]])?.first)
                for test in try need(group["tests"] as? [[String: Any]]) {
                    let text = try need(test["jws"] as? String)
                    let header = try CompactJWS(Array(text.utf8), limit: InputLimits.joseText).header
                    let key = set.flatMap { try? $0.key(for: header) }
                    report.record(
                        "\(test["tcId"] ?? 0)", expected: isAccepted(test["expect"], first),
                        accepted: key.flatMap { verified(text, $0) } != nil)
                }
            }
            return report
        }
    }

    /// Accepts the RFCs' examples that are compact and have an allowed algorithm.
    private static var rfcExamples: TrialSuite {
        let file = "suites/jose/rfc_vectors.json"
        return TrialSuite(
            "RFC 7515, 7520, 7797 examples", file: file, exercises: "`CompactJWS`, `CompactJWE`, `JWKSet`"
        ) {
            let root = try object(file)
            var report = SuiteReport(cases: try need(root["count"] as? Int))
            for test in try need(root["cases"] as? [[String: Any]]) {
                let id = try need(test["id"] as? String)
                guard test["kind"] as? String != "thumbprint" else {
                    report.skip(id, "a thumbprint of a key (RFC 7638), which nothing here computes")
                    continue
                }
                let jwk = test["key"] as? [String: Any] ?? [:]
                let json = try test["json"].map {
                    try JSONSerialization.data(withJSONObject: $0, options: .fragmentsAllowed)
                }
                let text = test["compact"] as? String ?? String(decoding: json ?? Data(), as: UTF8.self)
                var opened: [UInt8]?
                if test["kind"] as? String == "jwe" {
                    opened = decrypted(text, jwk)
                } else if let key = try? verificationKey(jwk) {
                    opened = verified(text, key)
                }
                // The file's verifier does not support RS256; Assay does.
                let isRS256 = test["alg"] as? String == "RS256" && test["compact"] is String
                report.record(id, expected: test["expect"] as? String == "accept" || isRS256, accepted: opened != nil)
                let content = (test["payload"] ?? test["plaintext"]) as? String
                if let opened, let content { report.require(Array(content.utf8) == opened, "\(id): another content") }
            }
            return report
        }
    }
}
