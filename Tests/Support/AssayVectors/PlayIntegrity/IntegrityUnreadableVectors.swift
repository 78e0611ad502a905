import AssayCore
import AssayTesting
import FoundationEssentials

/// Records without a verdict: reading them is an error of their author.
extension IntegrityVectorMint {
    func unreadable() throws(MintingError) -> [VectorDraft] { try nonces() + fields() + texts() }

    private func nonces() throws(MintingError) -> [VectorDraft] {
        let minted = try classic("unreadable-nonce").mint()
        let text = Base64URL.text(minted.nonce)
        let forms = [
            ("empty", ""), ("not-base64", "not base64 at all!"), ("with-line-feed", text + "\n"),
            ("with-leading-space", " " + text), ("with-wrong-padding", text + "="),
            ("with-both-alphabets", "-_+/" + text.dropFirst(4)), ("of-impossible-length", text + "A"),
            ("with-a-spare-bit", Base64URL.withSpareBit(Base64URL.text(minted.nonce + [0])) ?? ""),
            ("of-15-characters", "AAECAwQFBgcICQo"), ("of-501-characters", String(repeating: "A", count: 501)),
            ("of-504-characters", String(repeating: "A", count: 504)),
        ]
        return forms.map { name, nonce in
            VectorDraft(
                unreadable: "nonce-\(name)", minted.record(id: "nonce-\(name)", nonce: nonce, app: Self.app).json)
        }
    }

    private func fields() throws(MintingError) -> [VectorDraft] {
        let minted = try classic("unreadable").mint()
        let answer: RecordValue.Content = standard("unreadable").mint().answer.recordContent ?? .null
        let name = ("packageName", RecordValue.Content.text(minted.packageName))
        let token = ("token", RecordValue.Content.text(minted.token))
        let nonce = ("nonce", RecordValue.Content.text(Base64URL.text(minted.nonce)))
        let hash = ("requestHash", RecordValue.Content.text(requestHash("unreadable")))
        let decoded = ("decoded", answer)
        let evidence: [(String, kind: String, [(String, RecordValue.Content)])] = [
            ("classic-token-missing", "classic", [name, nonce]), ("classic-nonce-missing", "classic", [name, token]),
            ("classic-package-name-missing", "classic", [token, nonce]), ("classic-empty", "classic", []),
            ("classic-token-as-list", "classic", [name, ("token", .array([])), nonce]),
            ("classic-token-null", "classic", [name, ("token", .null), nonce]),
            ("classic-nonce-as-number", "classic", [name, token, ("nonce", .number("1"))]),
            ("classic-package-name-as-flag", "classic", [("packageName", .flag(true)), token, nonce]),
            ("classic-with-unknown-field", "classic", [name, token, nonce, ("decryptionKey", .text("AA"))]),
            ("classic-with-request-hash", "classic", [name, token, nonce, hash]),
            ("classic-with-an-answer", "classic", [name, token, nonce, decoded]),
            ("standard-request-hash-missing", "standard", [name, decoded]),
            ("standard-package-name-missing", "standard", [hash, decoded]),
            ("standard-with-neither-answer-nor-token", "standard", [name, hash]),
            ("standard-with-answer-and-token", "standard", [name, hash, decoded, token]),
            ("standard-with-nonce", "standard", [name, hash, decoded, nonce]),
            ("standard-answer-as-text", "standard", [name, hash, ("decoded", .text("{}"))]),
            ("standard-answer-as-list", "standard", [name, hash, ("decoded", .array([]))]),
            ("standard-answer-null", "standard", [name, hash, ("decoded", .null)]),
            ("standard-request-hash-as-list", "standard", [name, ("requestHash", .array([])), decoded]),
            ("standard-request-hash-null", "standard", [name, ("requestHash", .null), decoded]),
            // Only a client of Google's servers can decode it.
            ("standard-token-without-a-service", "standard", [name, hash, token]),
            ("unknown-kind", "modern", [name, token, nonce]), ("unknown-app", "classic", [name, token, nonce]),
        ]
        return evidence.map { id, kind, fields in
            let record = EvidenceRecord(
                id: id, kind: EvidenceKind("play-integrity.\(kind)"), app: id == "unknown-app" ? "nobody" : Self.app,
                receivedAt: time, evidence: RecordObject(fields), expect: nil)
            return VectorDraft(unreadable: id, record.json)
        }
    }

    /// Texts that ``EvidenceRecord/json`` never writes.
    private func texts() throws(MintingError) -> [VectorDraft] {
        let classic = try classic("unreadable-text").mint().record(id: "text", app: Self.app).json
        let standard = try standard("unreadable-text").mint().record(id: "text", app: Self.app).json
        return try VectorDraft.unreadable([
            ("unknown-field", classic, "\"evidence\":", "\"verified\": true,\n  \"evidence\":"),
            ("duplicate-field", classic, "\"token\":", "\"token\": \"\",\n    \"token\":"),
            (
                "answer-with-a-field-twice", standard, "\"versionCode\":",
                "\"version\\u0043ode\": \"99\",\n          \"versionCode\":"
            ),
            ("answer-with-trailing-comma", standard, "\"playProtectVerdict\": \"NO_ISSUES\"", "\"x\": 1,"),
            ("trailing-text", classic, "\n}\n", "\n}\n}\n"),
        ])
    }
}
