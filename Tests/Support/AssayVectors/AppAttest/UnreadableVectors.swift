import AssayCore
import AssayTesting
import FoundationEssentials

/// Records without a verdict: reading them is an error of their author.
extension AppAttestVectorMint {
    func unreadable() throws(MintingError) -> [VectorDraft] {
        // A key whose ID differs between base64 and base64url.
        let label = (0..<100).map { "unreadable-\($0)" }.first {
            let text = Data(key($0).keyID).base64EncodedString()
            return text.contains("+") && text.contains("/")
        }
        let minted = try attestation(label ?? "unreadable").mint()
        let keyID = Data(minted.keyID).base64EncodedString()
        let forms = [
            ("base64url", String(keyID.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })),
            ("without-padding", String(keyID.dropLast())), ("with-too-much-padding", keyID + "="),
            ("with-trailing-space", keyID + " "), ("with-line-break", keyID + "\n"),
            ("with-leading-space", " " + keyID), ("not-canonical", Self.settingSpareBit(keyID)),
            ("hexadecimal", minted.keyID.hexadecimal + "="),
        ]
        let attested = try attestation("unreadable").mint().record(id: "unreadable", app: Self.app).json
        let asserted = try assertion("unreadable").mint().record(
            id: "unreadable", app: Self.app, receivedAt: time, storedCounter: 7
        ).json
        let changes = [
            ("unknown-field", attested, "\"evidence\":", "\"verified\": true,\n  \"evidence\":"),
            ("unknown-evidence-field", attested, "\"keyId\":", "\"rootCA\": \"\",\n    \"keyId\":"),
            ("duplicate-field", attested, "\"keyId\":", "\"keyId\": \"\",\n    \"keyId\":"),
            ("unknown-kind", attested, "app-attest.attestation", "app-attest.attestation2"),
            ("attestation-missing", attested, "\"attestation\":", "\"challengee\":"),
            ("challenge-missing", attested, "\"challenge\":", "\"clientData\":"),
            ("challenge-and-hash", attested, "\"challenge\":", "\"clientDataHash\": \"AA==\",\n    \"challenge\":"),
            ("attestation-as-array", attested, "\"attestation\": \"", "\"attestation\": [], \"x\": \""),
            ("counter-negative", asserted, "\"counter\": 7", "\"counter\": -1"),
            ("counter-beyond-32-bits", asserted, "\"counter\": 7", "\"counter\": 4294967296"),
            ("counter-with-fraction", asserted, "\"counter\": 7", "\"counter\": 7.5"),
            ("counter-as-text", asserted, "\"counter\": 7", "\"counter\": \"7\""),
            ("trailing-text", attested, "\n}\n", "\n}\n}\n"),
        ]
        return forms.map { name, text in
            VectorDraft(
                unreadable: "key-id-\(name)", minted.record(id: "key-id-\(name)", keyID: text, app: Self.app).json)
        } + (try VectorDraft.unreadable(changes))
    }

    /// The base64 of 32 bytes with an unused bit set: another text for the same bytes.
    private static func settingSpareBit(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var characters = Array(text)
        guard characters.count == 44, let value = alphabet.firstIndex(of: characters[42]) else { return text }
        characters[42] = alphabet[value | 1]
        return String(characters)
    }
}
