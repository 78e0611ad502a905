package import AssayCore
import FoundationEssentials

extension ApproovCheck {
    /// The nonce is a challenge of the ledger.
    package static let proofChallenge = CheckID("approov.proof.challenge")

    static let proofChallengeEntry = CheckDefinition(
        proofChallenge, .ledger,
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
            ApproovCheck.proofChallenge,
            .consumeChallenge(value: nonce, app: app, purpose: ChallengePurpose(EvidenceKind.approovProof)))
    }
}
