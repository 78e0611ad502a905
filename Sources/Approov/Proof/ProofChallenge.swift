public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The nonce is a challenge of the ledger.
    public static let approovProofChallenge = CheckID("approov.proof.challenge")
}

extension ApproovCheck {
    static let proofChallengeEntry = CheckDefinition(
        .approovProofChallenge, .ledger,
        proves: "The ledger issued the nonce for proofs of this app, and it was not used before.",
        stops: "Replay of a recorded proof.",
        lookAt: "Whether the nonce comes from `assay challenge issue --for approov.proof`, and from the same ledger.",
        source: "Approov, Offline Security Mode, Remote Hardware Integration",
        remedy: .newChallenge, codes: CheckCode.ofChallenge)
}

extension LedgerEffect {
    /// Consumes the nonce of a proof.
    static func consumeNonce(_ nonce: [UInt8], app: String) -> LedgerEffect {
        LedgerEffect(
            .approovProofChallenge,
            .consumeChallenge(value: nonce, app: app, purpose: ChallengePurpose(EvidenceKind.approovProof)))
    }
}
