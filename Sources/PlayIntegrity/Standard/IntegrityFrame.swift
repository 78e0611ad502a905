import AssayCore

/// The form in which the server receives a standard token: by itself, or as the signature of a request.
struct IntegrityFrame: Sendable {
    /// The challenge that a signature carries.
    enum Nonce: Sendable {
        /// The policy requires none.
        case notRequired
        /// The ledger must have issued it.
        case challenge([UInt8])
        /// There is none.
        case missing
    }

    let kind: EvidenceKind
    /// The checks of the kind.
    let catalogue: [CheckDefinition]
    /// The token, if the answer may come without it.
    let token: String?
    /// The challenge.
    let nonce: Nonce
    /// The facts of a request's signature.
    let facts: MessageFacts?
    /// The nonce of a request that need be no challenge; nil for a token by itself, which covers its request hash.
    var boundText: String?

    /// A token by itself.
    static let standard = IntegrityFrame(
        kind: .playIntegrityStandard, catalogue: PlayIntegrityCheck.catalogue, token: nil, nonce: .notRequired,
        facts: nil)
}
