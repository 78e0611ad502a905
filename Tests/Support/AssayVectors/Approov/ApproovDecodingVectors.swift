import AssayTesting

/// Texts that are no strict token of the policy's form. They are rejected before any key is used.
extension ApproovVectorMint {
    var tokenDecode: [VectorCase] { texts + statusWords + parts + others }

    private func token(
        _ id: String, app: String = "api", _ change: @escaping @Sendable (String) -> String
    ) -> VectorCase {
        token("decode-\(id)", app: app, .reject("token.decode")) { $0.changeToken = change }
    }

    private func parts(_ id: String, _ change: @escaping @Sendable (inout [String]) -> Void) -> VectorCase {
        token("decode-\(id)", .reject("token.decode")) { $0.changeSigned = { $0.changeParts = change } }
    }

    private func header(_ id: String, text: String) -> VectorCase {
        token("decode-header-\(id)", .reject("token.decode")) {
            $0.changeSigned = { $0.changeHeader = { _ in Array(text.utf8) } }
        }
    }

    private var texts: [VectorCase] {
        [
            token("empty") { _ in "" }, token("dots-alone") { _ in ".." }, token("text") { _ in "token" },
            token("with-leading-space") { " " + $0 }, token("with-trailing-space") { $0 + " " },
            token("with-trailing-line-feed") { $0 + "\n" }, token("with-trailing-nul") { $0 + "\u{0}" },
            token("with-line-break-inside") { "\($0.prefix(30))\r\n \($0.dropFirst(30))" },
            token("with-combining-mark") { $0 + "\u{301}" }, token("with-letter-beyond-ascii") { $0.dropLast() + "é" },
            token("in-quotes") { "\"\($0)\"" }, token("twice") { "\($0), \($0)" },
            token("with-unknown-prefix") { "Bearer \($0)" },
            token("with-prefix-in-other-case", app: "prefixed") { "bearer \($0)" },
            token("with-prefix-twice", app: "prefixed") { "Bearer Bearer \($0)" },
            token("with-prefix-and-two-spaces", app: "prefixed") { "Bearer  \($0)" },
            token("prefix-alone", app: "prefixed") { _ in "Bearer " },
            token("as-json-serialisation") { token in
                let parts = token.split(separator: ".").map(String.init)
                return JSONItem.object([
                    "protected": .text(parts[0]), "payload": .text(parts[1]), "signature": .text(parts[2]),
                ]).text
            },
            token("beyond-every-size") { $0 + String(repeating: "A", count: 70_000) },
            token("of-50000-dots") { _ in String(repeating: ".", count: 50_000) },
        ]
    }

    /// The status words that apps send instead of a token (Approov, Token Fetch Status).
    private var statusWords: [VectorCase] {
        ["NO_NETWORK", "POOR_NETWORK", "MITM_DETECTED", "NO_APPROOV_SERVICE", "UNKNOWN_URL", "no_network"].map { word in
            token("status-\(word)") { _ in word }
        } + [token("status-with-prefix", app: "prefixed") { _ in "Bearer NO_NETWORK" }]
    }

    private var parts: [VectorCase] {
        let names = ["header", "payload", "signature"]
        return names.indices.flatMap { index in
            [
                parts("\(names[index])-with-padding") { $0[index] += "=" },
                parts("\(names[index])-with-space") { $0[index] += " " },
                parts("\(names[index])-of-impossible-length") {
                    $0[index] += String(repeating: "A", count: (5 - $0[index].count % 4) % 4)
                },
                parts("\(names[index])-in-the-standard-alphabet") { $0[index] = "+/" + $0[index].dropFirst(2) },
            ]
        } + [
            parts("of-2-parts") { $0.removeLast() }, parts("of-1-part") { $0.removeLast(2) },
            parts("of-4-parts") { $0.append("") }, parts("without-header") { $0[0] = "" },
            parts("signature-with-a-spare-bit") { $0[2] = Base64URL.withSpareBit($0[2]) ?? "" },
        ]
    }

    private var others: [VectorCase] {
        func encrypted(_ id: String, _ change: @escaping @Sendable (inout JWEBlueprint) -> Void) -> VectorCase {
            token("decode-encrypted-\(id)", app: "sealed", .reject("token.decode")) {
                $0.form = .encrypted
                $0.changeEncrypted = change
            }
        }
        return [
            encrypted("of-4-parts") { $0.changeParts = { $0.removeLast() } },
            encrypted("of-6-parts") { $0.changeParts = { $0.append("") } },
            encrypted("header-compressed") { $0.header["zip"] = "DEF" },
            encrypted("header-critical") { $0.header["crit"] = ["exp"] },
            encrypted("header-twice") { $0.changeHeader = { $0 + $0 } },
            header("empty", text: ""), header("not-json", text: "HS256"), header("as-array", text: #"["HS256"]"#),
            header("empty-object", text: "{}"), header("without-algorithm", text: #"{"typ":"JWT"}"#),
            header("algorithm-null", text: #"{"alg":null}"#), header("algorithm-as-list", text: #"{"alg":["HS256"]}"#),
            header("algorithm-twice", text: #"{"alg":"HS256","alg":"HS256"}"#),
            header("algorithm-twice-differing", text: #"{"alg":"none","alg":"HS256"}"#),
            header("algorithm-twice-with-escape", text: #"{"alg":"HS256","al\u0067":"none"}"#),
            header("key-id-as-number", text: #"{"alg":"HS256","kid":1}"#),
            header("critical-unknown", text: #"{"alg":"HS256","crit":["exp"],"exp":1}"#),
            header("critical-empty", text: #"{"alg":"HS256","crit":[]}"#),
            header("payload-not-encoded", text: #"{"alg":"HS256","b64":false,"crit":["b64"]}"#),
            header("compressed", text: #"{"alg":"HS256","zip":"DEF"}"#),
            header("with-byte-order-mark", text: "\u{FEFF}{\"alg\":\"HS256\"}"),
            header("with-trailing-comma", text: #"{"alg":"HS256",}"#),
            header("with-second-object", text: #"{"alg":"HS256"}{"alg":"HS256"}"#),
            // The policy determines the form of tokens, never the input.
            token("decode-encrypted-where-signed-is-set-up", .reject("token.decode")) { $0.form = .encrypted },
            token("decode-signed-where-encrypted-is-set-up", app: "sealed", .reject("token.decode")),
            token("decode-signed-inside-encrypted", .reject("token.decode")) { (blueprint) throws(MintingError) in
                let inner = try blueprint.mint().token
                blueprint.form = .encrypted
                blueprint.changeClaims = { _ in Array(inner.utf8) }
            },
        ]
    }
}
