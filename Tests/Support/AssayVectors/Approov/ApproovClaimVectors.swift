import AssayTesting
import FoundationEssentials

/// Authentic tokens that have expired, or whose claims are not strict JSON of the known types.
extension ApproovVectorMint {
    var tokenClaims: [VectorCase] { texts + types + lengths }

    private func text(_ id: String, _ change: @escaping @Sendable (String) -> String) -> VectorCase {
        token("claims-\(id)", .reject("token.claims")) {
            $0.changeClaims = { Array(change(String(decoding: $0, as: UTF8.self)).utf8) }
        }
    }

    private func bytes(_ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> VectorCase {
        token("claims-\(id)", .reject("token.claims")) { $0.changeClaims = change }
    }

    private var texts: [VectorCase] {
        [
            text("empty") { _ in "" }, text("null") { _ in "null" }, text("array") { "[\($0)]" },
            text("string") { _ in "\"claims\"" }, text("number") { _ in "1" },
            text("twice") { $0 + $0 }, text("with-trailing-comma") { $0.dropLast() + ",}" },
            text("with-comment") { $0.dropLast() + "/**/}" }, text("with-byte-order-mark") { "\u{FEFF}" + $0 },
            text("truncated") { String($0.dropLast()) }, text("with-trailing-nul") { $0 + "\u{0}" },
            text("expiry-twice") { $0.dropLast() + ",\"exp\":9999999999}" },
            text("expiry-twice-with-escape") { $0.dropLast() + ",\"\\u0065xp\":9999999999}" },
            text("device-twice") { $0.dropLast() + ",\"did\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}" },
            text("unknown-claim-twice") { $0.dropLast() + ",\"x\":1,\"x\":1}" },
            text("with-line-feed-in-text") { $0.replacing("\"arc\":\"", with: "\"arc\":\"\n") },
            text("with-lone-surrogate") { $0.dropLast() + ",\"x\":\"\\ud800\"}" },
            text("with-nan") { $0.dropLast() + ",\"x\":NaN}" },
            text("with-single-quotes") { $0.replacing("\"", with: "'") },
            text("nested-5000-deep") {
                $0.dropLast() + ",\"x\":" + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
                    + "}"
            },
            bytes("with-invalid-utf-8") { $0.dropLast() + Array(",\"x\":\"".utf8) + [0xFF, 0x22, 0x7D] },
            bytes("in-utf-16") { [0xFF, 0xFE] + $0.flatMap { [$0, 0] } },
        ]
    }

    private func claim(_ id: String, _ claim: ApproovClaim, _ value: JSONItem) -> VectorCase {
        token("claims-\(id)", .reject("token.claims"), claim, value)
    }

    private var types: [VectorCase] {
        let texts: [ApproovClaim] = [
            .deviceID, .address, .issuer, .subject, .responseCode, .binding, .installationKey, .messageKeyID, .proofKey,
            .integrityMeasurement, .deviceMeasurement,
        ]
        let numbers: [ApproovClaim] = [.expiry, .notBefore, .issuedAt]
        return texts.flatMap { claim in
            [
                self.claim("\(claim.name)-number", claim, 1), self.claim("\(claim.name)-null", claim, .null),
                self.claim("\(claim.name)-list", claim, ["x"]),
            ]
        }
            + numbers.flatMap { claim in
                [
                    self.claim("\(claim.name)-empty-text", claim, ""),
                    self.claim("\(claim.name)-text", claim, "9999999999"),
                    self.claim("\(claim.name)-flag", claim, true), self.claim("\(claim.name)-null", claim, .null),
                    self.claim("\(claim.name)-list", claim, [1]), self.claim("\(claim.name)-object", claim, [:]),
                ]
            } + [
                claim("exp-with-leading-zero", .expiry, .number("09999999999")),
                claim("exp-with-plus", .expiry, .number("+9999999999")),
                claim("exp-hexadecimal", .expiry, .number("0xFFFFFFFFF")),
                claim("exp-without-fraction", .expiry, .number("9999999999.")),
                claim("exp-infinity", .expiry, .number("Infinity")),
                claim("anno-text", .annotations, "rooted"), claim("anno-numbers", .annotations, [1]),
                claim("anno-nested", .annotations, [["rooted"]]), claim("anno-object", .annotations, ["rooted": true]),
                claim("aud-number", .audience, 1), claim("aud-numbers", .audience, [1]),
                claim("aud-null", .audience, .null),
            ]
    }

    private var lengths: [VectorCase] {
        func bytes(_ count: Int) -> JSONItem { ApproovClaimsBlueprint.base64(self.bytes("length", count: count)) }
        let digest = Data(self.bytes("length", count: 32)).base64EncodedString()
        return [
            claim("did-of-15", .deviceID, bytes(15)), claim("did-of-17", .deviceID, bytes(17)),
            claim("did-empty", .deviceID, ""), claim("did-without-padding", .deviceID, "AAAAAAAAAAAAAAAAAAAAAA"),
            claim("did-base64url", .deviceID, "-_AAAAAAAAAAAAAAAAAAAA=="), claim("pay-of-31", .binding, bytes(31)),
            claim("pay-of-33", .binding, bytes(33)), claim("pay-empty", .binding, ""),
            claim("pay-hexadecimal", .binding, .text(String(repeating: "ab", count: 32))),
            claim("pay-without-padding", .binding, .text(String(digest.dropLast()))),
            claim("pay-with-line-feed", .binding, .text(digest + "\n")),
            claim("ipk-no-base64", .installationKey, "-----BEGIN PUBLIC KEY-----"),
            claim("mpk-of-32", .proofKey, bytes(32)), claim("imh-of-16", .integrityMeasurement, bytes(16)),
            claim("dmh-of-31", .deviceMeasurement, bytes(31)),
            claim("arc-of-65", .responseCode, .text(String(repeating: "A", count: 65))),
        ]
    }

    private func expiry(_ id: String, _ value: JSONItem?, app: String = "api") -> VectorCase {
        token("expiry-\(id)", app: app, .reject("token.expiry"), .expiry, value)
    }

    var tokenExpiry: [VectorCase] {
        let whole = Int64(time.timeIntervalSince1970)
        let audience: JSONItem = "https://api.example.com"
        func lives(_ id: String, _ outcome: VectorOutcome, _ seconds: Int64) -> VectorCase {
            token("lifetime-\(id)", app: "strict", outcome) {
                $0.claims[.expiry] = self.seconds(seconds)
                $0.claims[.audience] = audience
            }
        }
        return [
            expiry("missing", nil), expiry("a-second-ago", seconds(-1)),
            // Exactly at the expiry.
            expiry("now", seconds(0)), expiry("now-with-fraction", .number("\(whole).000")),
            expiry("a-tenth-ago", .number("\(whole - 1).9")), expiry("zero", 0), expiry("minus-zero", .number("-0")),
            expiry("negative", -9_999_999_999), expiry("beyond-doubles", .number("1e400")),
            expiry("beyond-doubles-negative", .number("-1e400")),
            expiry("beyond-integers", .number("9223372036854775808")),
            expiry("beyond-calendars", .number("253402300800")), expiry("in-milliseconds", .number("\(whole)000000")),
            token("expiry-of-failover", .reject("token.expiry")) { $0.claims = .failover(expiresAt: time) },
            token("expiry-without-claims", .reject("token.expiry")) { $0.claims = ApproovClaimsBlueprint(json: [:]) },
            token("expiry-not-yet-valid", .reject("token.expiry"), .notBefore, seconds(1)),
            token("expiry-never-valid", .reject("token.expiry"), .notBefore, .number("1e400")),
            // For a policy with a maximum lifetime of five minutes.
            lives("at-its-longest", .accept, 300), lives("a-second-too-long", .reject("token.expiry"), 301),
            lives("of-an-hour", .reject("token.expiry"), 3600),
        ]
    }
}
