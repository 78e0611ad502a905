public import Approov
public import AssayCore
public import FoundationEssentials

/// Direct calls, for those who have the parts of a request and no record.
extension Verifier {
    /// Judges a token, or a loggable token.
    ///
    /// A loggable token that holds says that Approov has issued such a token; no request may be accepted for it.
    /// - Parameters:
    ///   - input: what the app sent, and what the request carries of what tokens are bound to.
    ///   - app: the policy's app; nil for the only one with a section for Approov.
    ///   - now: the time of judgement.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key.
    public func verifyApproovToken(
        _ input: ApproovTokenInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.demandTime(now)
        return try await settle(
            engines.approov.assess(input, app: app, ledger: ledger, at: now), at: now)
    }

    /// Judges a signed request with the token in it, and remembers it when the policy says `replay: ledger` and it is
    /// accepted.
    ///
    /// - Parameters:
    ///   - input: the request.
    ///   - app: the policy's app; nil for the only one with a section for Approov.
    ///   - now: the time of judgement.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key, or its policy says
    ///   nothing on messages.
    public func verifyApproovMessage(
        _ input: ApproovMessageInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.demandTime(now)
        return try await settle(
            engines.approov.assess(input, app: app, ledger: ledger, at: now), at: now)
    }

    /// Judges a measurement proof, with the token that carries the measurements if it comes along.
    ///
    /// Whether the nonce is the one that was given out is for the caller.
    /// - Parameters:
    ///   - input: the proof.
    ///   - app: the policy's app; nil for the only one with a section for Approov.
    ///   - now: the time of judgement.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when a token comes along and the app has no live key.
    public func verifyApproovProof(
        _ input: ApproovProofInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.demandTime(now)
        return try await settle(
            engines.approov.assess(input, app: app, ledger: ledger, at: now), at: now)
    }
}
