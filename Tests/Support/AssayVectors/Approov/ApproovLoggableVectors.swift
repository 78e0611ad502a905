import AssayTesting
import FoundationEssentials

/// Loggable tokens: the claims of a token, and the beginning of its signature.
struct ApproovLoggableVectors: VectorGroup {
    let mint: ApproovVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [mint.file("token-loggable.json", accepted + decoding + signatures + claims)]
    }

    private func text(
        _ id: String, _ check: String, _ change: @escaping (inout JSONItem) -> Void
    ) -> LoggableCase {
        LoggableCase(id, .reject("token.\(check)"), changeText: change)
    }

    private var accepted: [LoggableCase] {
        let expiry = mint.expiresAt
        let previous = mint.previous.secret
        return [
            LoggableCase("genuine", .accept), LoggableCase("where-tokens-are-bound", app: "bound", .accept),
            LoggableCase("under-previous-secret", .accept, change: { $0.keys.secret = previous }),
            LoggableCase("failover", .accept, change: { $0.claims = .failover(expiresAt: expiry) }),
            LoggableCase(
                "with-annotations-and-escapes", .accept,
                change: {
                    $0.claims[.annotations] = ["rooted", "with \"quotes\" \\ / and \u{7F} \u{E9}"]
                    $0.claims[ApproovClaim("x")] = ["b": [1, .number("2.5"), .null, true], "a": "\n"]
                }),
            // How it was written down does not count: the claims are put in order before they are compared.
            LoggableCase(
                "in-other-order", .accept,
                changeText: {
                    guard case .object(let members) = $0 else { return }
                    $0 = .object(Array(members.reversed()))
                }),
            LoggableCase(
                "with-white-space", .accept, changeText: { $0 = .raw($0.text.replacing(",", with: " ,\n\t")) }),
        ]
    }

    private var decoding: [LoggableCase] {
        func sip(_ id: String, _ change: @escaping (String) -> String) -> LoggableCase {
            text("sip-\(id)", "decode") {
                guard case .text(let prefix)? = $0["sip"] else { return }
                $0["sip"] = .text(change(prefix))
            }
        }
        return [
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
            LoggableCase("where-tokens-are-encrypted", app: "sealed", .reject("token.decode")),
            LoggableCase("where-keys-are-public", app: "asymmetric", .reject("token.key")),
        ]
    }

    private var signatures: [LoggableCase] {
        [
            LoggableCase("rejected", .reject("token.signature"), change: { $0 = $0.rejected() }),
            text("sip-another", "signature") { $0["sip"] = "AAAAAA" },
            text("expiry-changed", "signature") { [mint] in $0["exp"] = mint.seconds(3600) },
            text("expiry-written-otherwise", "signature") { [mint] in
                $0["exp"] = .number("\(mint.seconds(240).text).0")
            },
            text("claim-added", "signature") { $0["anno"] = [] },
            text("claim-removed", "signature") { $0["arc"] = nil },
            text("error-added", "signature") { $0["error"] = "POOR_NETWORK" },
            text("device-changed", "signature") { $0["did"] = "AAAAAAAAAAAAAAAAAAAAAA==" },
        ]
    }

    private var claims: [LoggableCase] {
        [
            LoggableCase(
                "expired", .reject("token.expiry"), change: { [mint] in $0.claims[.expiry] = mint.seconds(0) }),
            LoggableCase("expiry-text", .reject("token.claims"), change: { $0.claims[.expiry] = "1" }),
        ]
    }
}
