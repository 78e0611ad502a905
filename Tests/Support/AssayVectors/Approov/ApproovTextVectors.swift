import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Texts that apps sign with the account's message signing key.
extension ApproovVectorMint {
    private typealias Change = (inout ApproovTextBlueprint) -> Void

    private func signed(
        _ id: String, _ text: (String) -> String = { "order 7, EUR 10.00, \($0)" },
        token change: (inout ApproovTokenBlueprint) -> Void = { _ in }
    ) throws(MintingError) -> ApproovTextBlueprint {
        var token = token("text-\(id)")
        change(&token)
        let minted = try token.mint().token
        return ApproovTextBlueprint(token: minted, text: text(minted), key: current.messageKey)
    }

    private func text(
        _ id: String, app: String = "texts", _ outcome: VectorOutcome, binding: [String] = [], address: String? = nil,
        change: @escaping Change = { _ in }, of text: @escaping (String) -> String = { "order 7, EUR 10.00, \($0)" },
        token: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = try signed(id, text, token: token)
            change(&blueprint)
            return blueprint.record(
                id: "text-\(id)", binding: binding, address: address, app: app, receivedAt: time,
                expect: outcome.expectation("approov"))
        }
    }

    var textAccept: [VectorCase] {
        let previous = previous
        return [
            text("of-an-order", .accept), text("of-the-token-alone", .accept, of: { $0 }),
            text("with-an-address", .accept, address: "203.0.113.7"),
            text("begins-with-the-token", .accept, of: { "\($0).order 7" }),
            text("with-lines", .accept, of: { "\r\n{\"order\": 7, \"token\": \"\($0)\"}\n\n" }),
            text("not-ascii", .accept, of: { "Überweisung über 10 €\u{0} 🔑 \($0)" }),
            text("with-encrypted-token", app: "texts-sealed", .accept, token: { $0.form = .encrypted }),
            text(
                "with-bound-token", app: "texts-bound", .accept, binding: ["Bearer session"],
                token: { $0.claims.bind(to: ["Bearer session"]) }),
            text("with-prefix-before-the-token", app: "texts-prefixed", .accept) { $0.token = "Bearer \($0.token)" },
            text(
                "under-the-previous-key", .accept, change: { $0.sign(with: previous.messageKey) },
                token: { $0.claims[.messageKeyID] = .text(previous.messageKeyID) }),
            text("within-a-day", .accept, token: { $0.claims[.expiry] = seconds(86_400) }),
            text(
                "long-lived-and-not-remembered", app: "texts-often", .accept,
                token: { $0.claims[.expiry] = seconds(864_000) }),
        ]
    }

    var textReject: [VectorCase] {
        textDecode + textToken + textKey + textSignature
    }

    private var textDecode: [VectorCase] {
        func signature(_ id: String, _ change: @escaping (String) -> String) -> VectorCase {
            text("signature-\(id)", .reject("text.decode")) { $0.signature = change($0.signature) }
        }
        func bytes(_ id: String, _ change: @escaping ([UInt8]) -> [UInt8]) -> VectorCase {
            signature(id) { Base64.encode(change((try? Base64.decode($0, .standard)) ?? []), .standard) }
        }
        return [
            text("empty", .reject("text.decode")) {
                $0.text = ""
                $0.sign(with: current.messageKey)
            },
            signature("empty") { _ in "" }, signature("without-padding") { String($0.dropLast()) },
            signature("with-line-feed") { "\($0)\n" },
            signature("as-structured-field") { ":\($0):" },
            signature("with-unused-bits") { "\($0.dropLast(2))\($0.dropLast().last == "A" ? "B" : "/")=" },
            bytes("of-31") { $0.dropLast() }, bytes("of-33") { $0 + [0] }, bytes("of-both-halves") { $0 + $0 },
        ]
    }

    private var textToken: [VectorCase] {
        let other = try? token("text-another-token").mint().token
        return [
            text("without-the-token", .reject("text.token"), of: { _ in "order 7" }),
            text("with-another-token", .reject("text.token")) { $0.token = other ?? "" },
            text("with-part-of-the-token", .reject("text.token"), of: { String($0.dropLast()) }),
            text("with-the-token-in-other-case", .reject("text.token"), of: { $0.uppercased() }),
            text("with-the-token-in-two-lines", .reject("text.token"), of: { "\($0.prefix(60))\n\($0.dropFirst(60))" }),
            text("token-missing", .reject("token.decode")) { $0.token = "" },
            text("token-status-word", .reject("token.decode")) { $0.token = "NO_NETWORK" },
            text("token-rejected", .reject("token.signature"), token: { $0 = $0.rejected() }),
            text("token-expired", .reject("token.expiry"), token: { $0.claims[.expiry] = seconds(0) }),
            text("token-bound-to-nothing", app: "texts-bound", .reject("token.binding")),
            text("token-encrypted", .reject("token.decode"), token: { $0.form = .encrypted }),
            text(
                "token-a-second-too-long", .reject("text.token"), token: { $0.claims[.expiry] = seconds(86_401) }),
            text("token-of-the-failover", .reject("text.key"), token: { $0.claims = .failover(expiresAt: expiresAt) }),
        ]
    }

    private var textKey: [VectorCase] {
        func key(_ id: String, _ value: JSONItem?) -> VectorCase {
            text("key-\(id)", .reject("text.key"), token: { $0.claims[.messageKeyID] = value })
        }
        return [
            key("missing", nil), key("unknown", "other"), key("empty", ""),
            key("in-other-case", .text(current.messageKeyID.uppercased())),
            key("not-live", .text(expired.messageKeyID)),
        ]
    }

    private var textSignature: [VectorCase] {
        func signed(_ id: String, with key: [UInt8]) -> VectorCase {
            text("signature-\(id)", .reject("text.signature")) { $0.sign(with: key) }
        }
        func changed(_ id: String, _ change: @escaping (String) -> String) -> VectorCase {
            text("changed-\(id)", .reject("text.signature")) { $0.text = change($0.text) }
        }
        return [
            // The key of an app that failed attestation.
            signed("of-a-random-key", with: attacker.messageKey),
            signed("of-another-live-key", with: previous.messageKey),
            signed("under-the-token-secret", with: current.secret), signed("under-nothing", with: []),
            text("signature-zero", .reject("text.signature")) {
                $0.signature = Base64.encode([UInt8](repeating: 0, count: 32), .standard)
            },
            text("signature-is-the-digest", .reject("text.signature")) {
                $0.signature = Base64.encode(Digest.sha256(Array($0.text.utf8)), .standard)
            },
            changed("amount") { $0.replacing("10.00", with: "99.00") }, changed("line-feed-more") { "\($0)\n" },
            changed("space-less") { $0.replacing("7, ", with: "7,") },
            changed("case") { $0.replacing("order", with: "Order") },
        ]
    }

    /// A text is accepted once per app while its token is valid. The records depend on each other.
    func textReplay() throws(MintingError) -> [EvidenceRecord] {
        let order = try signed("replay")
        var forged = try signed("replay-forged")
        let genuine = forged
        forged.sign(with: attacker.messageKey)
        var second = order
        second.text += " again"
        second.sign(with: current.messageKey)
        let refusal = VectorOutcome.reject("text.replay")
        let steps: [(String, ApproovTextBlueprint, String, TimeInterval, VectorOutcome)] = [
            ("first", order, "texts", 0, .accept), ("at-once", order, "texts", 0, refusal),
            ("before-the-token-expires", order, "texts", 239, refusal),
            ("after-the-token-expired", order, "texts", 240, .reject("token.expiry")),
            ("other-text-with-the-token", second, "texts", 1, .accept),
            // A rejection consumes nothing.
            ("forged", forged, "texts", 2, .reject("text.signature")),
            ("after-the-forged", genuine, "texts", 2, .accept),
            ("for-another-api", order, "texts-twice", 3, .accept),
            ("often-first", order, "texts-often", 3, .accept), ("often-again", order, "texts-often", 4, .accept),
        ]
        return steps.map { id, blueprint, app, delay, outcome in
            blueprint.record(
                id: "text-replay-\(id)", app: app, receivedAt: time.addingTimeInterval(delay),
                expect: outcome.expectation("approov"))
        }
    }
}
