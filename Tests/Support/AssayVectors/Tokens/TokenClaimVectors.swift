import AssayTesting
import Foundation

extension TokenVectorMint {
    /// What must be accepted.
    var accepted: [VectorCase] {
        [
            token("genuine", .accept),
            token("last-second", .accept, delay: 59) {
                $0.claims["exp"] = seconds(60)
            },
            token("issuer-ahead", .accept, delay: -30) { $0.proofClaims["iat"] = seconds(-30) },
            token("unknown-claims", .accept) {
                $0.claims["ear_verifier_id"] = ["developer": "example.com", "build": "1"]
                $0.claims["eat_profile"] = "tag:ietf.org,2026:rats/ear#03"
            },
            token("next-key", .accept) {
                $0.token.signer = .es256(next)
                $0.token.header["kid"] = .text(keyID(next))
            },
            token("lower-case-scheme", .accept) { $0.scheme = "dpop" },
            token("one-use", .accept) { $0.claims["use"] = "once" },
            token("no-subject", .accept) { $0.claims["sub"] = nil },
            token("target-variant", .accept) {
                $0.proofClaims["htu"] = "HTTPS://API.example.com:443/v1/%69tems"
            },
            token("target-dot-segments", .accept) {
                $0.proofClaims["htu"] = "https://api.example.com/v2/%2e%2e/v1/./items"
            },
            token("times-with-fractions", .accept) {
                $0.claims["nbf"] = .number("\(time.timeIntervalSince1970 - 0.25)")
                $0.proofClaims["iat"] = .number("\(time.timeIntervalSince1970 - 0.5)")
            },
            token("target-with-query", .accept) { $0.proofClaims["htu"] = "https://api.example.com/v1/items?b=2" },
        ]
    }

    /// Requests without exactly one token of the right type and form.
    var decode: [VectorCase] {
        let reject = VectorOutcome.reject("decode")
        func claim(_ id: String, _ name: String, _ value: JSONItem?) -> VectorCase {
            token("claim-\(id)", reject) { $0.claims[name] = value }
        }
        func field(
            _ id: String, _ change: @escaping @Sendable (inout [(name: String, value: String)]) -> Void
        ) -> VectorCase { token("field-\(id)", reject) { $0.changeFields = change } }
        return [
            field("none") { $0.removeAll { $0.name == "Authorization" } },
            field("two") { fields in fields += fields.filter { $0.name == "Authorization" } },
            field("basic") { $0[1].value = "Basic YTpi" },
            field("no-token") { $0[1].value = "DPoP" },
            field("two-tokens") { $0[1].value += " x" },
            field("four-parts") { $0[1].value += ".e30" },
            token("type-jwt", reject) { $0.token.header["typ"] = "JWT" },
            token("type-dpop", reject) { $0.token.header["typ"] = "dpop+jwt" },
            token("type-access", reject) { $0.token.header["typ"] = "at+jwt" },
            token("type-none", reject) { $0.token.header["typ"] = nil },
            token("critical", reject) { $0.token.header["crit"] = ["exp"] },
            token("duplicate-header", reject) {
                $0.token.changeHeader = { $0.dropLast() + Array(#","alg":"none"}"#.utf8) }
            },
            token("padded", reject) { $0.token.changeParts = { $0[2] += "==" } },
            claim("audience-list", "aud", [.text(Self.audience)]),
            claim("audience-none", "aud", nil),
            claim("issuer-none", "iss", nil),
            claim("expiry-none", "exp", nil),
            claim("expiry-text", "exp", "1795133340"),
            claim("expiry-negative", "exp", .number("-0.5")),
            claim("expiry-exponent", "exp", .number("1e12")),
            claim("issued-negative", "iat", .number("-1")),
            claim("id-none", "jti", nil),
            claim("attestation-none", "att", nil),
            claim("confirmation-key", "cnf", ["jwk": Self.someKey]),
            claim("confirmation-both", "cnf", ["jkt": .text(String(repeating: "A", count: 43)), "kid": "1"]),
            claim("thumbprint-short", "cnf", ["jkt": "AAAA"]),
            claim("use-unknown", "use", "twice"),
        ]
    }

    private static let someKey: JSONItem = ["kty": "EC", "crv": "P-256"]

    /// Tokens under other keys and algorithms.
    var signature: [VectorCase] {
        [
            token("no-key-id", .reject("key")) { $0.token.header["kid"] = nil },
            token("unknown-key", .reject("key")) {
                $0.token.signer = .es256(client("attacker"))
                $0.token.header["kid"] = .text(keyID(client("attacker")))
            },
            token("attacker-under-our-id", .reject("signature")) { $0.token.signer = .es256(client("attacker")) },
            token("embedded-key", .reject("signature")) {
                $0.token.signer = .es256(client("attacker"))
                $0.token.header["jwk"] = AssayTokenBlueprint.jwk(client("attacker"))
            },
            token("algorithm-none", .reject("signature")) {
                $0.token.signer = .none
                $0.token.header["alg"] = "none"
            },
            token("algorithm-hmac-with-public-key", .reject("signature")) {
                $0.token.signer = .hs256(key.publicPoint)
                $0.token.header["alg"] = "HS256"
            },
            token("algorithm-lower-case", .reject("signature")) { $0.token.header["alg"] = "es256" },
            token("signature-changed", .reject("signature")) {
                $0.token.changeSignature = { $0.flippingLastBit() }
            },
            token("signature-zero", .reject("signature")) { $0.token.changeSignature = { _ in .zeros(64) } },
            token("signature-der", .reject("signature")) {
                $0.token.writeSignature = { $0.der }
            },
            token("signature-empty", .reject("signature")) { $0.token.changeSignature = { _ in [] } },
        ]
    }

    /// Tokens that are genuine and not for this service, app or time.
    var claims: [VectorCase] {
        [
            token("issuer-slash", .reject("claims")) { $0.claims["iss"] = .text(Self.issuer + "/") },
            token("issuer-case", .reject("claims")) { $0.claims["iss"] = "https://ATTEST.example.com" },
            token("issuer-http", .reject("claims")) { $0.claims["iss"] = "http://attest.example.com" },
            token("other-app", .reject("claims")) { $0.claims["app"] = "other" },
            token("test-environment", .reject("claims")) { $0.claims["env"] = "test" },
            token("expired", .reject("expiry"), delay: 300) { $0.proofClaims["iat"] = seconds(300) },
            token("from-future", .reject("expiry"), delay: -31) { $0.proofClaims["iat"] = seconds(-31) },
            token("long-life", .reject("expiry")) { $0.claims["exp"] = seconds(3601) },
            token("ends-before-it-begins", .reject("expiry"), delay: -20) {
                $0.claims["exp"] = seconds(-10)
                $0.proofClaims["iat"] = seconds(-20)
            },
            token("audience-not-accepted", .reject("audience")) { $0.claims["aud"] = "https://other.example.com" },
            token("audience-slash", .reject("audience")) { $0.claims["aud"] = .text(Self.audience + "/") },
            token("foreign-reference", .reject("subject"), account: "alice") {
                $0.claims["ref"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            },
        ]
    }

    func keyID(_ key: TestKey) -> String {
        guard case .text(let text)? = blueprintHeader(key) else { return "" }
        return text
    }

    private func blueprintHeader(_ key: TestKey) -> JSONItem? {
        AssayTokenBlueprint(
            key: key, client: key, issuer: "", audience: "", app: "", id: "", issuedAt: time
        ).token.header["kid"]
    }
}
