import AssayTesting
import Foundation

extension TokenVectorMint {
    /// Requests without exactly one well-formed proof.
    var proof: [VectorCase] {
        let reject = VectorOutcome.reject("proof")
        func header(_ id: String, _ change: @escaping (inout JSONItem) -> Void) -> VectorCase {
            token("proof-\(id)", reject) { change(&$0.proof.header) }
        }
        return [
            token("proof-none", reject) { $0.changeFields = { $0.removeAll { $0.name == "DPoP" } } },
            token("proof-twice", reject) {
                $0.changeFields = { fields in fields += fields.filter { $0.name == "DPoP" } }
            },
            token("proof-two-in-one", reject) { $0.changeFields = { $0[2].value += ", \($0[2].value)" } },
            token("proof-empty", reject) { $0.changeFields = { $0[2].value = "" } },
            header("type-jwt") { $0["typ"] = "JWT" },
            header("type-none") { $0["typ"] = nil },
            header("no-key") { $0["jwk"] = nil },
            header("key-text") { $0["jwk"] = "key" },
            header("critical") { $0["crit"] = ["exp"] },
            token("proof-private-key", reject) {
                $0.proof.header[path: ["jwk", "d"]] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            },
            token("proof-symmetric", reject) {
                let secret = [UInt8](repeating: 7, count: 32)
                $0.proof.signer = .hs256(secret)
                $0.proof.header["alg"] = "HS256"
                $0.proof.header["jwk"] = [
                    "kty": "oct", "k": .text("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"),
                ]
            },
            token("proof-symmetric-key-for-es256", reject) {
                $0.proof.header["jwk"] = [
                    "kty": "oct", "k": .text("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"),
                ]
            },
            token("proof-algorithm-none", reject) {
                $0.proof.signer = .none
                $0.proof.header["alg"] = "none"
            },
            token("proof-off-curve", reject) {
                $0.proof.header[path: ["jwk", "y"]] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            },
            token("proof-signature", reject) { $0.proof.changeSignature = { $0.flippingLastBit() } },
            token("proof-signed-by-another", reject) { $0.proof.signer = .es256(client("attacker")) },
            token("proof-no-id", reject) { $0.proofClaims["jti"] = nil },
            token("proof-long-id", reject) { $0.proofClaims["jti"] = .text(String(repeating: "a", count: 257)) },
            token("proof-time-text", reject) { $0.proofClaims["iat"] = "1" },
            token("proof-no-method", reject) { $0.proofClaims["htm"] = nil },
            token("proof-no-target", reject) { $0.proofClaims["htu"] = nil },
        ]
    }

    /// Genuine proofs of another key, request or token.
    var binding: [VectorCase] {
        let reject = VectorOutcome.reject("binding")
        func target(_ id: String, _ text: String) -> VectorCase {
            token("target-\(id)", reject) { $0.proofClaims["htu"] = .text(text) }
        }
        return [
            token("other-key", reject) {
                $0.proof.signer = .es256(client("attacker"))
                $0.proof.header["jwk"] = AssayTokenBlueprint.jwk(client("attacker"))
            },
            token("as-bearer", reject) { $0.scheme = "Bearer" },
            token("unbound", reject) {
                $0.claims["cnf"] = nil
                $0.scheme = "Bearer"
                $0.changeFields = { $0.removeAll { $0.name == "DPoP" } }
            },
            token("unbound-with-proof", reject) { $0.claims["cnf"] = nil },
            token("method", reject) { $0.proofClaims["htm"] = "POST" },
            token("method-case", reject) { $0.proofClaims["htm"] = "get" },
            target("path", "https://api.example.com/v1/item"),
            target("path-slash", "https://api.example.com/v1/items/"),
            target("path-case", "https://api.example.com/V1/items"),
            target("path-dots", "https://api.example.com/v1/../items"),
            target("path-escaped-slash", "https://api.example.com/v1%2Fitems"),
            target("path-bad-escape", "https://api.example.com/v1/%6items"),
            target("host", "https://api.example.net/v1/items"),
            target("host-user", "https://a@api.example.com/v1/items"),
            target("port", "https://api.example.com:8443/v1/items"),
            target("scheme", "http://api.example.com/v1/items"),
            target("relative", "/v1/items"),
            token("no-hash", reject) { $0.hasTokenHash = false },
            token("hash-of-another", reject) { $0.proofClaims["ath"] = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo" },
        ]
    }

    /// Proofs of another time.
    var freshness: [VectorCase] {
        [
            token("oldest", .accept, delay: 60),
            token("too-old", .reject("freshness"), delay: 61),
            token("furthest", .accept) { $0.proofClaims["iat"] = seconds(60) },
            token("from-future-proof", .reject("freshness")) { $0.proofClaims["iat"] = seconds(61) },
        ]
    }

    /// Proofs and tokens that come again.
    var replay: [VectorCase] {
        [
            token("first", .accept) { $0.proofClaims["jti"] = "same" },
            token("first-again", .reject("replay"), of: "first", delay: 60) { $0.proofClaims["jti"] = "same" },
            // The same ID of another key is another proof.
            token("other-client", .accept) { $0.proofClaims["jti"] = "same" },
            token("once", .accept) { $0.claims["use"] = "once" },
            token("once-again", .reject("replay"), of: "once") {
                $0.claims["use"] = "once"
                $0.proofClaims["jti"] = "another"
            },
        ]
    }

    /// Under `key: optional`.
    var bearer: [VectorCase] {
        func unbound(_ blueprint: inout AssayTokenBlueprint) {
            blueprint.claims["cnf"] = nil
            blueprint.scheme = "Bearer"
            blueprint.changeFields = { $0.removeAll { $0.name == "DPoP" } }
        }
        return [
            token("bearer", .accept, change: unbound),
            token("bearer-again", .accept, change: unbound),
            token("bound", .accept),
            token("bound-as-bearer", .reject("binding")) { $0.scheme = "Bearer" },
            token("bound-without-proof", .reject("proof")) {
                $0.scheme = "Bearer"
                $0.changeFields = { $0.removeAll { $0.name == "DPoP" } }
            },
            token("bearer-as-dpop", .reject("proof")) {
                unbound(&$0)
                $0.scheme = "DPoP"
            },
        ]
    }

    /// Under `nonce: required`.
    var nonces: [VectorCase] {
        [
            token("nonce", .accept) { $0.proofClaims["nonce"] = .text(nonce(0)) },
            token("nonce-before", .accept) { $0.proofClaims["nonce"] = .text(nonce(-120)) },
            token("nonce-old", .reject("freshness")) { $0.proofClaims["nonce"] = .text(nonce(-240)) },
            token("nonce-next", .reject("freshness")) { $0.proofClaims["nonce"] = .text(nonce(120)) },
            token("nonce-none", .reject("freshness")),
        ]
    }

    /// Under `testAuthorities: allow`.
    var environment: [VectorCase] { [token("test", .accept) { $0.claims["env"] = "test" }] }
}
