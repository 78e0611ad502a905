public import AssayCore
public import FoundationEssentials
public import PlayIntegrity

/// Direct calls, for those who have the parts of a request and no record.
extension Verifier {
    /// Judges a classic token, and consumes its nonce when the policy says `challenge: ledger` and it is accepted.
    ///
    /// - Parameters:
    ///   - input: what the app sent, and the nonce that it was to use.
    ///   - app: the policy's app; nil for the one of the package name.
    ///   - now: the time of judgement.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key.
    public func verifyClassicIntegrityToken(
        _ input: ClassicIntegrityInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.demandTime(now)
        return try await settle(engines.playIntegrity.assess(input, app: app, at: now), at: now)
    }

    /// Judges a standard token, which is accepted once inside its freshness window.
    ///
    /// - Parameters:
    ///   - input: the token, which a service given to the verifier has decoded, or Google's answer on it.
    ///   - app: the policy's app; nil for the one of the package name.
    ///   - now: the time of judgement.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when a token is given and no service decodes it, or
    ///   Google gives no answer.
    public func verifyStandardIntegrityToken(
        _ input: StandardIntegrityInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.demandTime(now)
        return try await settle(engines.playIntegrity.assess(input, app: app, at: now), at: now)
    }
}
