import AssayPrimitives

extension Assessment {
    /// The assessment to commit for evidence that covers a value derived from a challenge: an acceptance consumes the challenge. Evidence
    /// that consumes none covers the value as text, and the ledger remembers the evidence or its counter.
    ///
    /// - Parameters:
    ///   - derived: the value that the evidence contains in place of the challenge.
    ///   - challenge: base64url, as the ledger issued it.
    /// - Returns: nil if the evidence does not cover the value.
    package func covering(_ derived: [UInt8], inPlaceOf challenge: String) -> Assessment? {
        guard let bytes = LedgerChallenge.bytes(of: challenge) else { return nil }
        if let bound = consuming(bytes, insteadOf: derived) { return bound }
        guard let boundText, boundText.isByteEqual(to: Base64.encode(derived, .url)) else { return nil }
        return self
    }
}
