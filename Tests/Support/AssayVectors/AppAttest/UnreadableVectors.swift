import AssayTesting
import FoundationEssentials

/// Records that say nothing a verdict could be given on: reading them is an error of whoever wrote them.
struct UnreadableVectors: VectorGroup {
    let mint: AppAttestVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        try keyIDs() + fields()
    }

    private func keyIDs() throws(MintingError) -> [VectorDraft] {
        // A key whose ID shows the difference between base64 and base64url.
        let label = (0..<100).map { "unreadable-\($0)" }.first {
            let text = Data(mint.key($0).keyID).base64EncodedString()
            return text.contains("+") && text.contains("/")
        }
        let minted = try mint.attestation(label ?? "unreadable").mint()
        let keyID = Data(minted.keyID).base64EncodedString()
        let url = String(keyID.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        let forms = [
            ("base64url", url), ("without-padding", String(keyID.dropLast())), ("with-too-much-padding", keyID + "="),
            ("with-trailing-space", keyID + " "), ("with-line-break", keyID + "\n"),
            ("with-leading-space", " " + keyID),
            ("not-canonical", Self.settingSpareBit(keyID)),
            (
                "hexadecimal",
                minted.keyID.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "="
            ),
        ]
        return forms.map { form in
            VectorDraft(
                path: "unreadable/key-id-\(form.0).json",
                contents: minted.record(id: "key-id-\(form.0)", keyID: form.1, app: AppAttestVectorMint.app).json)
        }
    }

    private func fields() throws(MintingError) -> [VectorDraft] {
        let attestation = try mint.attestation("unreadable").mint().record(
            id: "unreadable", app: AppAttestVectorMint.app
        ).json
        let assertion = try mint.assertion("unreadable").mint().record(
            id: "unreadable", app: AppAttestVectorMint.app, receivedAt: mint.time, storedCounter: 7
        ).json
        func file(_ id: String, _ json: String, _ part: String, _ replacement: String) throws(MintingError)
            -> VectorDraft
        {
            guard json.contains(part) else { throw MintingError("no \(part) in the record for \(id)") }
            return VectorDraft(
                path: "unreadable/\(id).json", contents: json.replacing(part, with: replacement))
        }
        return [
            try file("unknown-field", attestation, "\"evidence\":", "\"verified\": true,\n  \"evidence\":"),
            try file("unknown-evidence-field", attestation, "\"keyId\":", "\"rootCA\": \"\",\n    \"keyId\":"),
            try file("duplicate-field", attestation, "\"keyId\":", "\"keyId\": \"\",\n    \"keyId\":"),
            try file("unknown-kind", attestation, "app-attest.attestation", "app-attest.attestation2"),
            try file("attestation-missing", attestation, "\"attestation\":", "\"challengee\":"),
            try file("challenge-missing", attestation, "\"challenge\":", "\"clientData\":"),
            try file(
                "challenge-and-hash", attestation, "\"challenge\":", "\"clientDataHash\": \"AA==\",\n    \"challenge\":"
            ),
            try file("attestation-as-array", attestation, "\"attestation\": \"", "\"attestation\": [], \"x\": \""),
            try file("counter-negative", assertion, "\"counter\": 7", "\"counter\": -1"),
            try file("counter-beyond-32-bits", assertion, "\"counter\": 7", "\"counter\": 4294967296"),
            try file("counter-with-fraction", assertion, "\"counter\": 7", "\"counter\": 7.5"),
            try file("counter-as-text", assertion, "\"counter\": 7", "\"counter\": \"7\""),
            try file("trailing-text", attestation, "\n}\n", "\n}\n}\n"),
        ]
    }

    /// The base64 of 32 bytes with a bit set that decoding drops: another text for the same bytes.
    private static func settingSpareBit(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var characters = Array(text)
        guard characters.count == 44, let value = alphabet.firstIndex(of: characters[42]) else { return text }
        characters[42] = alphabet[value | 1]
        return String(characters)
    }
}
