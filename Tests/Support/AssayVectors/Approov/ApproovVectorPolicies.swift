import AssayCore
import AssayTesting
import FoundationEssentials

/// The policies of the vectors, one per folder, and their keys.
struct ApproovVectorPolicies {
    let mint: ApproovVectorMint

    init(_ mint: ApproovVectorMint) { self.mint = mint }

    var files: [VectorDraft] {
        keyFiles + [
            VectorDraft("policy.yaml", text: policy),
            VectorDraft("scope/policy.yaml", text: scopePolicy),
        ]
    }

    private var keyFiles: [VectorDraft] {
        let secrets: [(String, ApproovTestKeys)] = [
            ("current", mint.current), ("previous", mint.previous), ("expired", mint.expired),
            ("pending", mint.pending), ("other-api", mint.otherAPI),
        ]
        return secrets.map { name, keys in
            VectorDraft("keys/\(name)-secret.b64", text: keys.secretFile, isSecret: true)
        }
            + secrets.prefix(3).map { name, keys in
                VectorDraft("keys/\(name)-message-key.b64", text: keys.messageKeyFile, isSecret: true)
            } + [
                VectorDraft("keys/hardware.pem", text: mint.hardware.pem + "\n", isSecret: true),
                VectorDraft("keys/es256.pem", text: mint.current.signingKeyFile),
                VectorDraft("keys/rs256.pem", text: mint.current.rsaKeyFile),
                VectorDraft(
                    "keys/key-set.jwks",
                    text: mint.current.keySet(es256: "set-es", rs256: "set-rs").text + "\n"),
            ]
    }

    private static let beginning = [
        "# Minted with the vectors beside it; the keys are for tests and known to everybody.", "version: 1", "keys:",
    ]

    /// The windows of keys that are not always live. `previous` is live up to its last moment, which is the time of
    /// receipt.
    private var windows: [(name: String, field: String)] {
        let past = RFC3339.format(mint.time.addingTimeInterval(-86_400))
        let future = RFC3339.format(mint.time.addingTimeInterval(86_400))
        return [
            ("previous", "notAfter: \(RFC3339.format(mint.time))"), ("expired", "notAfter: \(past)"),
            ("pending", "notBefore: \(future)"),
        ]
    }

    private func secret(_ name: String, file: String, _ fields: [String] = [], up: String = "") -> String {
        key(name, "approov", "secret: \"file:\(up)keys/\(file)-secret.b64\"", fields)
    }

    private func messageKey(_ name: String, file: String, id: String, _ fields: [String] = []) -> String {
        key(name, "approov-message", "secret: \"file:keys/\(file)-message-key.b64\"", ["keyID: \(id)"] + fields)
    }

    private func key(_ name: String, _ use: String, _ source: String, _ fields: [String]) -> String {
        "  - { \((["name: \(name)", "use: \(use)"] + fields + [source]).joined(separator: ", ")) }"
    }

    private var keys: [String] {
        [secret("current", file: "current")] + windows.map { secret($0.name, file: $0.name, [$0.field]) } + [
            secret("named-one", file: "current", ["keyID: one"]),
            secret("named-two", file: "previous", ["keyID: two"]),
            secret("named-old", file: "expired", ["keyID: old", windows[1].field]),
            key("es256", "approov", "publicKey: \"file:keys/es256.pem\"", ["keyID: es", "algorithm: ES256"]),
            key("rs256", "approov", "publicKey: \"file:keys/rs256.pem\"", ["keyID: rs", "algorithm: RS256"]),
            key("es256-nameless", "approov", "publicKey: \"file:keys/es256.pem\"", []),
            key("key-set", "approov", "keySet: \"file:keys/key-set.jwks\"", []),
            messageKey("message-current", file: "current", id: mint.current.messageKeyID),
            messageKey("message-previous", file: "previous", id: mint.previous.messageKeyID),
            key("hardware", "approov-hardware", "privateKey: \"file:keys/hardware.pem\"", []),
            messageKey("message-expired", file: "expired", id: mint.expired.messageKeyID, [windows[1].field]),
        ]
    }

    private static let secrets = "keys: [current, previous, expired, pending]"

    private var apps: [(name: String, fields: [String])] {
        let secrets = Self.secrets
        let installation = "messageSigning: { signer: installation"
        let accountKeys = "keys: [message-current, message-previous, message-expired]"
        let account = "messageSigning: { signer: account, \(accountKeys)"
        let texts = "textSigning: { \(accountKeys)"
        return [
            ("api", [secrets, "proof: { tokens: any }"]), ("named", ["keys: [named-one, named-two, named-old]"]),
            ("bound", [secrets, "binding: [Authorization]", "failover: reject"]),
            ("bound-to-two", [secrets, "binding: [Authorization, X-Device-ID]", "failover: accept"]),
            ("sealed", [secrets, "format: jwe"]),
            ("sealed-named", ["keys: [named-one, named-two, named-old]", "format: jwe"]),
            ("asymmetric", ["keys: [es256, rs256]"]), ("nameless", ["keys: [es256-nameless]"]),
            ("key-set", ["keys: [key-set]"]), ("prefixed", [secrets, "tokenPrefix: \"Bearer \""]),
            (
                "strict",
                [
                    secrets, "failover: reject", "issuers: [failover.example.com, api.example.com]",
                    "longLivedIssuers: [batch-server]", "audiences: [\"https://api.example.com\", other-audience]",
                    "annotations: { reject: [rooted, jailbroken], note: [emulator], ignore: [debug], others: note }",
                    "maximumLifetime: 5m",
                ]
            ),
            ("wary", [secrets, "annotations: { ignore: [debug], others: reject }"]),
            ("signed", [secrets, "\(installation) }"]), ("signed-account", [secrets, "\(account) }"]),
            (
                "signed-more",
                [
                    secrets,
                    "\(installation), components: [\"@method\", \"@authority\", \"@path\", \"@query\", approov-token, "
                        + "content-type] }",
                ]
            ),
            (
                "signed-bound",
                [secrets, "binding: [Authorization]", "failover: reject", "\(installation) }"]
            ),
            (
                "signed-prefixed",
                [
                    secrets, "tokenHeader: Authorization", "tokenPrefix: \"Bearer \"",
                    "\(installation), components: [\"@method\", \"@target-uri\", authorization] }",
                ]
            ),
            ("signed-sealed", [secrets, "format: jwe", "\(installation) }"]),
            ("signed-once", [secrets, "\(installation), freshness: { past: 5s, future: 0s } }"]),
            ("signed-often", [secrets, "\(installation), replay: caller }"]),
            (
                "signed-leniently",
                [
                    secrets,
                    "\(installation), components: [\"@method\", approov-token], quirks: [signature-as-string, "
                        + "digest-as-string, authority-without-port, target-uri-with-fragment] }",
                ]
            ),
            ("texts", [secrets, "\(texts) }"]), ("texts-twice", [secrets, "\(texts) }"]),
            ("texts-sealed", [secrets, "format: jwe", "\(texts) }"]),
            ("texts-bound", [secrets, "binding: [Authorization]", "failover: reject", "\(texts) }"]),
            ("texts-prefixed", [secrets, "tokenPrefix: \"Bearer \"", "\(texts) }"]),
            ("offline", [secrets, "proof: { tokens: any, keys: [hardware] }"]),
            ("offline-encrypted", [secrets, "proof: {}"]),
            ("offline-encrypted-jwe", [secrets, "format: jwe", "proof: { tokens: encrypted }"]),
            ("offline-once", [secrets, "proof: { tokens: any, nonce: ledger }"]),
            ("texts-often", [secrets, "\(texts), replay: caller }"]),
        ]
    }

    private var policy: String {
        var lines = Self.beginning + keys + ["apps:"]
        for app in apps {
            lines += ["  - name: \(app.name)", "    approov:"] + app.fields.map { "      \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// No names: every key whose scope is the app's name.
    private var scopePolicy: String {
        let scope = "for: api"
        let keys =
            [secret("current", file: "current", [scope], up: "../")]
            + windows.map { secret($0.name, file: $0.name, [scope, $0.field], up: "../") }
            + [secret("other-api", file: "other-api", ["for: other-api"], up: "../")]
        return
            (Self.beginning + keys + [
                "apps:", "  - { name: api, approov: {} }", "  - { name: other-api, approov: {} }",
            ]).joined(separator: "\n") + "\n"
    }
}
