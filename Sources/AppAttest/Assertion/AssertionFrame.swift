import AssayCore

/// The form in which the server receives an assertion: by itself, or as the signature of a request.
struct AssertionFrame: Sendable {
    let kind: EvidenceKind
    /// The checks of the kind.
    let catalogue: [CheckDefinition]
    /// Whether the ledger or the caller keeps track of challenges.
    let challenge: AppAttestConfiguration.ChallengeSource
    /// The facts of a request's signature.
    let facts: MessageFacts?
    /// The challenge in the signature of a request; nil for an assertion by itself, whose client data may carry one.
    let nonce: BoundChallenge?
    /// The nonce in the signature of a request, where it need be no challenge.
    var boundText: String?
}

extension AssertionFrame {
    /// An assertion by itself: the policy names the place of the challenge in its client data.
    static func assertion(_ expectations: AppAttestExpectations) -> AssertionFrame {
        AssertionFrame(
            kind: .appAttestAssertion, catalogue: AssertionCheck.catalogue,
            challenge: expectations.configuration.challenge, facts: nil, nonce: nil)
    }
}
