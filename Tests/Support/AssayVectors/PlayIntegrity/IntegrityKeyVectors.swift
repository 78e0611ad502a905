import AssayTesting

/// Classic tokens during a key rotation: the keys that open them, by the names in a policy and by scope.
extension IntegrityVectorMint {
    func keys(_ prefix: String) -> [VectorCase] {
        func under(_ id: String, _ outcome: VectorOutcome, _ keys: PlayIntegrityTestKeys) -> VectorCase {
            classic("\(prefix)rotation-\(id)", outcome) { $0.keys = keys }
        }
        let mixed = PlayIntegrityTestKeys(decryptionKey: previous.decryptionKey, signingKey: current.signingKey)
        return [
            under("current", .accept, current), under("previous-in-its-last-second", .accept, previous),
            under("expired", .reject("decryption"), expired),
            under("pending", .reject("decryption"), pending),
            under("of-another-app", .reject("decryption"), otherApp),
            under("of-nobody", .reject("decryption"), attacker),
            under("halves-of-two-keys", .reject("signature"), mixed),
        ]
    }
}
