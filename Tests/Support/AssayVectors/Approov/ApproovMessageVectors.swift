import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Signed messages with another token, key, signed content or time.
extension ApproovVectorMint {
    // MARK: The token in it

    var messageToken: [VectorCase] {
        func field(_ id: String, _ change: @escaping (String) -> String?) -> VectorCase {
            message(
                "token-\(id)", .reject("token.decode"),
                minted: { $0[field: "Approov-Token"] = change($0.fields[0].value) })
        }
        func token(
            _ id: String, _ check: String, _ change: @escaping (inout ApproovTokenBlueprint) -> Void
        ) -> VectorCase { message("token-\(id)", .reject(check), token: change) }
        return [
            field("missing") { _ in nil }, field("empty") { _ in "" }, field("space-alone") { _ in "  " },
            message("token-twice", .reject("token.decode"), minted: { $0.fields.append($0.fields[0]) }),
            message(
                "token-twice-in-other-case", .reject("token.decode"),
                minted: { $0.fields.append(HTTPMessageParts.Field("APPROOV-TOKEN", $0.fields[0].value)) }),
            field("folded") { "\($0.prefix(40))\r\n \($0.dropFirst(40))" },
            field("of-64-kibibytes") { _ in String(repeating: "A", count: 65_536) },
            field("status-word") { _ in "MITM_DETECTED" }, field("with-prefix") { "Bearer \($0)" },
            token("rejected", "token.signature") { $0 = $0.rejected() },
            token("expired", "token.expiry") { $0.claims[.expiry] = seconds(0) },
            message("token-bound-to-nothing", app: "signed-bound", .reject("token.binding")),
            token("failover", "message.key") { $0.claims = .failover(expiresAt: expiresAt) },
            message("token-without-the-prefix", app: "signed-prefixed", .reject("token.decode")) {
                $0.fields = [HTTPMessageParts.Field("Authorization", $0.fields[0].value)]
                $0.signing.components = ["@method", "@target-uri", "authorization"].map { SignatureComponent($0) }
            },
            // A token of another form or account that contains the same key.
            token("encrypted", "token.decode") { $0.form = .encrypted },
            token("of-another-account", "token.signature") { $0.keys.secret = attacker.secret },
        ]
    }

    // MARK: The key

    var messageKey: [VectorCase] {
        let p384 = TestKey(.p384, seed: seed, label: "approov/p384")
        func token(
            _ id: String, app: String = "signed", _ change: @escaping (inout ApproovTokenBlueprint) -> Void
        ) -> VectorCase { message("key-\(id)", app: app, .reject("message.key"), token: change) }
        func ipk(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            token("ipk-\(id)") { $0.claims[.installationKey] = ApproovClaimsBlueprint.base64(bytes) }
        }
        let info = current.installationPublicKey
        return [
            token("ipk-missing") { $0.claims[.installationKey] = nil }, ipk("empty", []),
            ipk("of-p384", p384.subjectPublicKeyInfo()), ipk("point-alone", current.installationKey.publicPoint),
            ipk("truncated", info.dropLast()), ipk("with-trailing-byte", info + [0]),
            ipk("not-on-the-curve", info.flippingLastBit()), ipk("rsa", current.rsaKey.subjectPublicKeyInfo),
            ipk(
                "compressed",
                current.installationKey.subjectPublicKeyInfo(
                    point: current.installationKey.compressedPublicPoint)),
            token("mskid-missing", app: "signed-account") { $0.claims[.messageKeyID] = nil },
            token("mskid-unknown", app: "signed-account") { $0.claims[.messageKeyID] = "other" },
            token("mskid-empty", app: "signed-account") { $0.claims[.messageKeyID] = "" },
            token("mskid-in-other-case", app: "signed-account") {
                $0.claims[.messageKeyID] = .text(current.messageKeyID.uppercased())
            },
            token("mskid-not-live", app: "signed-account") { $0.claims[.messageKeyID] = .text(expired.messageKeyID) },
        ]
    }

    // MARK: The signature

    var messageSignature: [VectorCase] {
        func changed(
            _ id: String, app: String = "signed", _ change: @escaping (inout MintedApproovMessage) -> Void
        ) -> VectorCase { message("changed-\(id)", app: app, .reject("message.signature"), minted: change) }
        let uri = Self.targetURI
        func target(_ id: String, _ uri: String) -> VectorCase { changed("uri-\(id)") { $0.targetURI = uri } }
        let attacker = attacker
        let zero = [UInt8].zeros(32)
        func signed(
            _ id: String, app: String = "signed",
            _ change: @escaping (inout ApproovMessageBlueprint) throws(MintingError) -> Void
        ) -> VectorCase { message("signature-\(id)", app: app, .reject("message.signature"), change: change) }
        func written(_ id: String, _ write: @escaping @Sendable (ECDSASignature) -> [UInt8]) -> VectorCase {
            signed(id) { $0.writeSignature = write }
        }
        return [
            // Signed parts are changed in transit.
            changed("method") { $0.method = "DELETE" }, changed("method-in-other-case") { $0.method = "get" },
            target("path", uri.replacing("items", with: "admin")), target("host", uri.replacing("api.", with: "evil.")),
            target("scheme", uri.replacing("https", with: "http")), target("query", uri.replacing("a=1", with: "a=2")),
            target("query-order", "https://api.example.com/v1/items?b=2&a=1"),
            target("query-missing", "https://api.example.com/v1/items"), target("query-longer", uri + "&c=3"),
            target("port", uri.replacing(".com/", with: ".com:443/")),
            target("host-in-other-case", uri.replacing("api.example", with: "API.example")),
            target("encoded-otherwise", uri.replacing("items", with: "%69tems")),
            target("with-a-slash-more", uri.replacing("/v1", with: "//v1")),
            changed("method-of-account", app: "signed-account") { $0.method = "DELETE" },
            changed("created") {
                let created = Int64(time.timeIntervalSince1970)
                $0.changeInput { $0.replacing("created=\(created - 2)", with: "created=\(created - 1)") }
            },
            changed("algorithm-removed") { $0.changeInput { $0.replacing(";alg=\"ecdsa-p256-sha256\"", with: "") } },
            changed("component-added") { $0.changeInput { $0.replacing(")", with: " \"@path\")") } },
            changed("components-in-other-order") {
                $0.changeInput { $0.replacing("\"@method\" \"@target-uri\"", with: "\"@target-uri\" \"@method\"") }
            },
            signed("of-another-installation") { $0.signer = .installation(attacker.installationKey) },
            signed("of-another-account", app: "signed-account") { $0.signer = .account(attacker.messageKey) },
            signed("of-another-live-key", app: "signed-account") { $0.signer = .account(previous.messageKey) },
            // The account's token secret is not a message key.
            signed("under-the-token-secret", app: "signed-account") { $0.signer = .account(current.secret) },
            signed("under-nothing", app: "signed-account") { $0.signer = .account([]) },
            written("both-zero") { _ in zero + zero }, written("r-and-s-exchanged") { $0.s + $0.r },
            written("s-is-order") { $0.r + ECDSASignature.p256Order },
            written("changed") { $0.concatenated.flippingLastBit() },
            signed("over-the-digest") { $0.signing.changeBase = { Digest.sha256($0) } },
            signed("over-nothing") { $0.signing.changeBase = { _ in [] } },
            signed("over-carriage-returns") {
                $0.signing.changeBase = {
                    Array(String(decoding: $0, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
                }
            },
            signed("over-a-line-feed-more") { $0.signing.changeBase = { $0 + [0x0A] } },
            signed("over-another-uri") { $0.signedTargetURI = "https://api.example.com/" },
        ]
    }

    // MARK: The time

    var messageFreshness: [VectorCase] {
        let now = Int64(time.timeIntervalSince1970)
        func times(
            _ id: String, _ outcome: VectorOutcome = .reject("message.freshness"), app: String = "signed",
            created: Int64?, expires: Int64?
        ) -> VectorCase {
            message("time-\(id)", app: app, outcome) {
                $0.signing[parameter: "created"] = created.map { .integer(now + $0) }
                $0.signing[parameter: "expires"] = expires.map { .integer(now + $0) }
            }
        }
        return [
            times("missing", created: nil, expires: nil), times("created-missing", created: nil, expires: 5),
            times("expired-now", created: -15, expires: 0), times("expired-long-ago", created: -3600, expires: -3585),
            times("in-the-last-second", .accept, created: -14, expires: 1),
            times("at-the-end-of-the-window", .accept, created: -60, expires: nil),
            times("a-second-too-old", created: -61, expires: nil),
            times("a-second-too-old-and-not-expired", created: -61, expires: 60),
            times("at-the-beginning-of-the-window", .accept, created: 15, expires: 30),
            times("from-the-future", created: 16, expires: 31),
            times("expires-before-created", created: 0, expires: -5),
            times("expires-as-created", created: 1, expires: 1),
            times("created-negative", created: -2 * now, expires: nil),
            times("created-greatest", created: 999_999_999_999_999 - now, expires: nil),
            times("expires-greatest", .accept, created: 0, expires: 999_999_999_999_999 - now),
            times("in-a-narrow-window", .accept, app: "signed-once", created: -5, expires: nil),
            times(
                "a-second-before-a-narrow-window", .reject("message.freshness"), app: "signed-once", created: -6,
                expires: nil),
            times(
                "a-second-after-a-narrow-window", .reject("message.freshness"), app: "signed-once", created: 1,
                expires: nil),
        ]
    }
}

extension MintedApproovMessage {
    /// Changes the value of `Signature-Input`.
    mutating func changeInput(_ change: (String) -> String) {
        self[field: "Signature-Input"] = self[field: "Signature-Input"].map(change)
    }
}
