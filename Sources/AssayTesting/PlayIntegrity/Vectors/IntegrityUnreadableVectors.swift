import FoundationEssentials

/// Records that say nothing a verdict could be given on: reading them is an error of whoever wrote them.
struct IntegrityUnreadableVectors {
    let mint: IntegrityVectorMint

    init(_ mint: IntegrityVectorMint) { self.mint = mint }

    func files() throws(MintingError) -> [VectorFile] {
        try nonces() + fields()
    }

    private func nonces() throws(MintingError) -> [VectorFile] {
        let minted = try mint.classic("unreadable-nonce").mint()
        let text = Base64URL.text(minted.nonce)
        let forms = [
            ("empty", ""), ("not-base64", "not base64 at all!"), ("with-line-feed", text + "\n"),
            ("with-leading-space", " " + text), ("with-wrong-padding", text + "="),
            ("with-both-alphabets", "-_+/" + text.dropFirst(4)), ("of-impossible-length", text + "A"),
            ("with-a-spare-bit", Base64URL.withSpareBit(Base64URL.text(minted.nonce + [0])) ?? ""),
            ("of-15-characters", "AAECAwQFBgcICQo"), ("of-501-characters", String(repeating: "A", count: 501)),
            ("of-504-characters", String(repeating: "A", count: 504)),
        ]
        return forms.map { form in
            VectorFile(
                path: "unreadable/nonce-\(form.0).json",
                contents: minted.record(id: "nonce-\(form.0)", nonce: form.1, app: IntegrityVectorMint.app).json)
        }
    }

    private func fields() throws(MintingError) -> [VectorFile] {
        let classic = try mint.classic("unreadable").mint().record(id: "unreadable", app: IntegrityVectorMint.app).json
        let standard = try mint.standard("unreadable").mint()
            .record(id: "unreadable", app: IntegrityVectorMint.app).json
        func file(_ id: String, _ json: String, _ part: String, _ replacement: String) throws(MintingError)
            -> VectorFile
        {
            guard json.contains(part) else { throw MintingError("no \(part) in the record for \(id)") }
            return VectorFile(path: "unreadable/\(id).json", contents: json.replacing(part, with: replacement))
        }
        let (token, decoded) = ("\"token\":", "\"decoded\":")
        return [
            try file("unknown-field", classic, "\"evidence\":", "\"verified\": true,\n  \"evidence\":"),
            try file("unknown-evidence-field", classic, token, "\"decryptionKey\": \"\",\n    \(token)"),
            try file("duplicate-field", classic, token, "\"token\": \"\",\n    \(token)"),
            try file("unknown-kind", classic, "play-integrity.classic", "play-integrity.modern"),
            try file("other-kind", classic, "play-integrity.classic", "play-integrity.standard"),
            try file("classic-kind-of-an-answer", standard, "play-integrity.standard", "play-integrity.classic"),
            try file("token-missing", classic, token, "\"nonce2\":"),
            try file("token-as-list", classic, "\"token\": \"", "\"token\": [], \"x\": \""),
            try file("nonce-missing", classic, "\"nonce\":", "\"challenge\":"),
            try file("nonce-as-number", classic, "\"nonce\": \"", "\"nonce\": 1, \"x\": \""),
            try file("package-name-missing", classic, "\"packageName\":", "\"package\":"),
            try file("request-hash-missing", standard, "\"requestHash\": \"", "\"hash\": \""),
            try file("answer-missing", standard, decoded, "\"answer\":"),
            try file("answer-and-token", standard, decoded, "\"token\": \"AA\",\n    \(decoded)"),
            // Without a client of Google's servers nobody can open it.
            VectorFile(
                path: "unreadable/token-without-a-service.json",
                contents: try file("", classic, "\"nonce\":", "\"requestHash\":").contents
                    .replacing("play-integrity.classic", with: "play-integrity.standard")),
            try file("answer-as-text", standard, "\(decoded) {", "\(decoded) \"\",\n    \"x\": {"),
            try file("answer-null", standard, "\(decoded) {", "\(decoded) null,\n    \"x\": {"),
            try file(
                "answer-with-a-field-twice", standard, "\"versionCode\":",
                "\"version\\u0043ode\": \"99\",\n          \"versionCode\":"),
            try file("trailing-text", classic, "\n}\n", "\n}\n}\n"),
        ]
    }
}
