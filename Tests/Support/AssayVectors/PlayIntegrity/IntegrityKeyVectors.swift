import AssayTesting

/// Classic tokens around a rotation: which of an app's keys open them, by the names in a policy and by scope.
struct IntegrityKeyVectors: VectorGroup {
    let mint: IntegrityVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [mint.file("classic-keys.json", cases("")), mint.file("scope/classic-keys.json", cases("scope-"))]
    }

    private func cases(_ prefix: String) -> [ClassicCase] {
        func under(_ id: String, _ outcome: VectorOutcome, _ keys: PlayIntegrityTestKeys) -> ClassicCase {
            ClassicCase("\(prefix)rotation-\(id)", outcome) { $0.keys = keys }
        }
        let mixed = PlayIntegrityTestKeys(
            decryptionKey: mint.previous.decryptionKey, signingKey: mint.current.signingKey)
        return [
            under("current", .accept, mint.current), under("previous-in-its-last-second", .accept, mint.previous),
            under("expired", .reject("decryption"), mint.expired),
            under("pending", .reject("decryption"), mint.pending),
            under("of-another-app", .reject("decryption"), mint.otherApp),
            under("of-nobody", .reject("decryption"), mint.attacker),
            under("halves-of-two-keys", .reject("signature"), mixed),
        ]
    }
}
