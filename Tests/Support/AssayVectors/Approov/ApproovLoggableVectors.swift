import AssayTesting
import FoundationEssentials

/// Loggable tokens: the claims of a token and the start of its signature.
extension ApproovVectorMint {
    private func text(
        _ id: String, _ check: String, _ change: @escaping (inout JSONItem) -> Void
    ) -> VectorCase {
        loggable(id, .reject("token.\(check)"), changeText: change)
    }

    var tokenLoggable: [VectorCase] {
        let expiry = expiresAt
        let previous = previous.secret
        func sip(_ id: String, _ change: @escaping (String) -> String) -> VectorCase {
            text("sip-\(id)", "decode") {
                guard case .text(let prefix)? = $0["sip"] else { return }
                $0["sip"] = .text(change(prefix))
            }
        }
        return [
            loggable("genuine", .accept), loggable("where-tokens-are-bound", app: "bound", .accept),
            loggable("under-previous-secret", .accept, change: { $0.keys.secret = previous }),
            loggable("failover", .accept, change: { $0.claims = .failover(expiresAt: expiry) }),
            loggable(
                "with-annotations-and-escapes", .accept,
                change: {
                    $0.claims[.annotations] = ["rooted", "with \"quotes\" \\ / and \u{7F} \u{E9}"]
                    $0.claims[ApproovClaim("x")] = ["b": [1, .number("2.5"), .null, true], "a": "\n"]
                }),
            // The order of the text does not matter: the claims are sorted before the comparison.
            loggable(
                "in-other-order", .accept,
                changeText: {
                    guard case .object(let members) = $0 else { return }
                    $0 = .object(Array(members.reversed()))
                }),
            loggable("with-white-space", .accept, changeText: { $0 = .raw($0.text.replacing(",", with: " ,\n\t")) }),
            sip("empty") { _ in "" }, sip("of-1") { String($0.prefix(1)) }, sip("of-5") { String($0.prefix(5)) },
            sip("of-7") { $0 + "A" }, sip("with-space") { $0.prefix(5) + " " }, sip("with-plus") { $0.prefix(5) + "+" },
            text("sip-missing", "decode") { $0["sip"] = nil }, text("sip-null", "decode") { $0["sip"] = .null },
            text("sip-number", "decode") { $0["sip"] = 123456 },
            text("sip-twice", "decode") { $0 = .raw($0.text.dropLast() + ",\"sip\":\"AAAAAA\"}") },
            text("claim-twice", "decode") { $0 = .raw($0.text.dropLast() + ",\"exp\":9999999999}") },
            text("in-a-list", "decode") { $0 = [$0] }, text("empty", "decode") { $0 = .raw("") },
            text("no-json", "decode") { $0 = .raw("eyJhbGciOiJIUzI1NiJ9") },
            text("error", "decode") { $0 = ["error": "POOR_NETWORK"] },
            text("error-of-encrypted-token", "decode") { $0 = ["error": "JWE"] },
            text("error-unknown", "decode") { $0 = ["error": "SOMETHING"] },
            loggable("where-tokens-are-encrypted", app: "sealed", .reject("token.decode")),
            loggable("where-keys-are-public", app: "asymmetric", .reject("token.key")),
            loggable("rejected", .reject("token.signature"), change: { $0 = $0.rejected() }),
            text("sip-another", "signature") { $0["sip"] = "AAAAAA" },
            text("expiry-changed", "signature") { $0["exp"] = seconds(3600) },
            text("expiry-written-otherwise", "signature") { $0["exp"] = .number("\(seconds(240).text).0") },
            text("claim-added", "signature") { $0["anno"] = [] },
            text("claim-removed", "signature") { $0["arc"] = nil },
            text("error-added", "signature") { $0["error"] = "POOR_NETWORK" },
            text("device-changed", "signature") { $0["did"] = "AAAAAAAAAAAAAAAAAAAAAA==" },
            loggable("expired", .reject("token.expiry"), change: { $0.claims[.expiry] = seconds(0) }),
            loggable("expiry-text", .reject("token.claims"), change: { $0.claims[.expiry] = "1" }),
        ]
    }
}
