import ArgumentParser
import Assay

extension AppAttestRawOptions {
    /// Holds the options against each other.
    ///
    /// - Throws: `ValidationError`.
    func validate(_ kind: AppAttestRawKind, policy: Bool, ledger: LedgerURL) throws {
        guard keyID != nil else {
            throw ValidationError(
                "--key-id is required: the evidence must be that of the key that the app named, which the evidence "
                    + "cannot vouch for itself")
        }
        guard policy || !appIDs.isEmpty else {
            throw ValidationError("--app-id is required without --policy: which app is genuine is for you to say")
        }
        switch kind {
        case .attestation:
            guard (challenge == nil) != (clientDataHash == nil) else {
                throw ValidationError("\(kind.rawValue) needs --challenge or --client-data-hash, and not both")
            }
        case .assertion:
            try validateAssertion(policy: policy, ledger: ledger)
        case .receipt: break
        }
    }

    private func validateAssertion(policy: Bool, ledger: LedgerURL) throws {
        guard (clientData == nil) != (clientDataHash == nil) else {
            throw ValidationError("an assertion needs --client-data or --client-data-hash, and not both")
        }
        if ledger == .memory {
            guard publicKey != nil, counter != nil else {
                throw ValidationError(
                    "an assertion needs --public-key and --counter, or the ledger that has its key "
                        + "(--ledger sqlite:PATH)"
                )
            }
        } else if publicKey != nil || counter != nil {
            throw ValidationError(
                "--public-key and --counter are for use without a ledger; \(ledger.description) has the key or refuses")
        }
        guard !policy else { return }
        switch (challengeAt, challenge) {
        case (nil, .some):
            throw ValidationError("--challenge-at is required with --challenge: where client data carries it")
        case (.some(.none), .some):
            throw ValidationError("--challenge-at none binds nothing to --challenge; leave one of them out")
        case (.some(.raw), nil), (.some(.challengeAt), nil):
            throw ValidationError("--challenge is required with --challenge-at: what to compare with")
        case (nil, nil), (.some(.none), nil), (.some(.raw), .some), (.some(.challengeAt), .some): break
        }
    }
}
