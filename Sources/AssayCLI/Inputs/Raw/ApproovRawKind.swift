/// The kinds of raw evidence of Approov.
enum ApproovRawKind: String, CaseIterable {
    case token = "approov.token"
    case message = "approov.message"
    case proof = "approov.proof"

    /// The options that say what the policy of every token would say.
    private static let tokenPolicy: Set<RawOption> = [
        .secret, .tokenPublicKey, .keySet, .tokenFormat, .tokenPrefix, .failover, .issuer, .longLivedIssuer, .audience,
        .rejectAnnotation, .maximumLifetime,
    ]

    /// The options that say what a policy would say.
    var policyOptions: Set<RawOption> {
        switch self {
        case .token, .proof: Self.tokenPolicy
        case .message:
            Self.tokenPolicy.union([.tokenHeader, .bindingHeader, .signer, .component, .accountKey, .quirk])
        }
    }

    /// The options that are part of the evidence.
    var evidenceOptions: Set<RawOption> {
        switch self {
        case .token: [.bindingHeader, .address]
        case .message: [.targetURI, .address]
        case .proof: [.nonce, .proof, .measurement]
        }
    }
}
