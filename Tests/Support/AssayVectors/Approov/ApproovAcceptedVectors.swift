import AssayTesting
import FoundationEssentials

/// Genuine tokens in every form that Approov issues, and oddities that do not make a token invalid.
extension ApproovVectorMint {
    private func accept(
        _ id: String, app: String = "api", form: ApproovTokenBlueprint.Form = .signed, keyID: String? = nil,
        secret: [UInt8]? = nil, _ change: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        token("accepted-\(id)", app: app, .accept, form: form, keyID: keyID, secret: secret, change: change)
    }

    private func claim(_ id: String, _ claim: ApproovClaim, _ value: JSONItem?) -> VectorCase {
        token("accepted-\(id)", .accept, claim, value)
    }

    private func header(_ id: String, _ change: @escaping @Sendable (inout JSONItem) -> Void) -> VectorCase {
        accept("header-\(id)") { $0.changeSigned = { change(&$0.header) } }
    }

    var scopeTokenAccept: [VectorCase] { [accept("scope-current"), accept("scope-previous", secret: previous.secret)] }

    var tokenAccept: [VectorCase] {
        let expiry = expiresAt
        let previous = previous.secret
        let whole = Int64(time.timeIntervalSince1970)
        return [
            accept("genuine"),
            accept("failover") { $0.claims = .failover(expiresAt: expiry) },
            accept("example") { $0.claims = .example(expiresAt: expiry) },
            accept("encrypted", app: "sealed", form: .encrypted),
            accept("encrypted-failover", app: "sealed", form: .encrypted) { $0.claims = .failover(expiresAt: expiry) },
            accept("es256", app: "asymmetric", form: .signedES256, keyID: "es"),
            accept("es256-with-high-s", app: "asymmetric", form: .signedES256, keyID: "es") {
                $0.changeSigned = { $0.writeSignature = { $0.withHighS.concatenated } }
            },
            accept("es256-with-low-s", app: "asymmetric", form: .signedES256, keyID: "es") {
                $0.changeSigned = { $0.writeSignature = { $0.withLowS.concatenated } }
            },
            accept("rs256", app: "asymmetric", form: .signedRS256, keyID: "rs"),
            accept("es256-of-a-set", app: "key-set", form: .signedES256, keyID: "set-es"),
            accept("rs256-of-a-set", app: "key-set", form: .signedRS256, keyID: "set-rs"),
            accept("es256-without-id", app: "nameless", form: .signedES256),
            accept("with-prefix", app: "prefixed") { $0.changeToken = { "Bearer \($0)" } },
            // Only header fields must have the prefix. Records and logs contain the token alone.
            accept("without-the-prefix", app: "prefixed"),
            accept("previous-secret", secret: previous),
            accept("encrypted-under-previous-secret", app: "sealed", form: .encrypted, secret: previous),
            accept("named-one", app: "named", keyID: "one"),
            accept("named-two", app: "named", keyID: "two", secret: previous),
            // The secret alone decides.
            accept("naming-none", app: "named", secret: previous),
            accept("encrypted-naming-one", app: "sealed-named", form: .encrypted, keyID: "one"),
            // Keys without an ID serve tokens whose key ID no key has.
            accept("naming-an-id-where-no-key-has-one", keyID: "approov-2026"),
            header("without-type") { $0["typ"] = nil }, header("with-other-type") { $0["typ"] = "at+jwt" },
            header("with-unknown-members") { $0["x"] = ["y": [1, true, .null]] },
            // URLs in the header that a reader must never follow.
            header("with-references") {
                $0["kid"] = "../../../../dev/null"
                $0["jku"] = "https://attacker.example/keys"
                $0["x5u"] = "file:///etc/passwd"
            },
            accept("header-in-other-order") { $0.changeSigned = { $0.header = ["typ": "JWT", "alg": "HS256"] } },
            accept("header-with-escapes") {
                $0.changeSigned = { $0.header = .raw("{ \"\\u0061lg\" : \"\\u0048S256\" }") }
            },
            claim("expiring-in-a-second", .expiry, seconds(1)),
            claim("expiring-in-a-tenth", .expiry, .number("\(whole).1")),
            claim("expiry-with-fraction", .expiry, .number("\(whole + 240).123456789")),
            claim("expiry-with-exponent", .expiry, .number("\(whole + 240)0e-1")),
            claim("valid-now", .notBefore, seconds(0)),
            claim("issued-later", .issuedAt, seconds(5)), claim("address-empty", .address, ""),
            claim("address-missing", .address, nil), claim("address-v6", .address, "2001:db8::1"),
            claim("ip-no-address", .address, "somewhere"), claim("code-missing", .responseCode, nil),
            claim("code-empty", .responseCode, ""), claim("subject", .subject, "an-app"),
            claim("unknown-claim", ApproovClaim("future"), ["x": [.null, 1, "y"]]),
            claim("unknown-claim-with-unicode", ApproovClaim("übermorgen"), "\u{1F9EA}"),
            claim("vendors-device-id", .deviceID, .text(ApproovClaimsBlueprint.exampleDeviceID)),
            claim("annotations-empty", .annotations, []),
            token("accepted-claims-with-white-space", .accept) {
                $0.changeClaims = { Array(" \t\r\n".utf8) + $0 + [0x0A] }
            },
            token("accepted-claims-with-escapes", .accept) {
                $0.changeClaims = { claims in
                    Array(String(decoding: claims, as: UTF8.self).replacing("\"exp\"", with: "\"e\\u0078p\"").utf8)
                }
            },
            token("accepted-bound-to-what-nobody-asks-for", .accept) { $0.claims.bind(to: ["custom-data"]) },
            token("accepted-measured", .accept) { $0.claims.measure(measurements) },
            // Claims that the policy annotates or only shows.
            claim("annotation", .annotations, ["rooted", "something-new"]),
            token("accepted-address-same", .accept, address: "203.0.113.7"),
            token("accepted-address-mapped", .accept, address: "::ffff:203.0.113.7"),
            token("accepted-address-another", .accept, address: "198.51.100.1"),
            token("accepted-address-no-address", .accept, address: "localhost"),
        ]
    }
}
