import ArgumentParser
import Assay

extension RawOptions {
    /// Holds the options against each other.
    ///
    /// - Parameters:
    ///   - policy: whether a policy file is named.
    ///   - app: whether an app is named.
    ///   - ledger: where the ledger is.
    /// - Throws: `ValidationError`.
    func validate(policy: Bool, app: Bool, ledger: LedgerURL) throws {
        guard let kind else {
            if let option = given.first {
                throw ValidationError("\(option.rawValue) is for one raw blob; name its kind with --kind")
            }
            return
        }
        for option in given where !kind.policyOptions.union(kind.evidenceOptions).contains(option) {
            throw ValidationError("\(kind.rawValue) has no option \(option.rawValue)")
        }
        guard keyID != nil else {
            throw ValidationError(
                "--key-id is required: the evidence must be that of the key that the app named, which the evidence "
                    + "cannot vouch for itself")
        }
        try validatePolicyOptions(kind, policy: policy, app: app, ledger: ledger)
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

    private func validatePolicyOptions(_ kind: RawKind, policy: Bool, app: Bool, ledger: LedgerURL) throws {
        if policy {
            for option in given where kind.policyOptions.contains(option) {
                throw ValidationError("\(option.rawValue) and --policy exclude each other: the policy says it")
            }
            return
        }
        guard !appIDs.isEmpty else {
            throw ValidationError("--app-id is required without --policy: which app is genuine is for you to say")
        }
        guard app || ledger == .memory else {
            throw ValidationError("--app is required with \(ledger.description): the ledger keeps keys by app")
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
