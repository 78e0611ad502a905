public import AssayCore
public import FoundationEssentials
public import PlayIntegrity

/// Direct calls for backends that have the parts of a request and no record.
extension Verifier {
    /// Judges a classic token, and consumes its nonce when the policy says `challenge: ledger` and it is accepted.
    ///
    /// - Parameters:
    ///   - input: the token of the app, and the nonce that it must carry.
    ///   - app: the policy's app; nil for the one with the package name.
    ///   - now: the time of judgement.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key.
    public func verifyClassicIntegrityToken(
        _ input: ClassicIntegrityInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.demandTime(now)
        return try await engines.playIntegrity.assess(input, app: app, at: now)
            .verdict(committingTo: ledger, at: now)
    }

    /// Judges a standard token, which is accepted once inside its freshness window.
    ///
    /// - Parameters:
    ///   - input: the token, which a service of the verifier has Google decode, or Google's answer on it.
    ///   - app: the policy's app; nil for the one with the package name.
    ///   - now: the time of judgement.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when there is a token and no service decodes it, or
    ///   Google does not answer.
    public func verifyStandardIntegrityToken(
        _ input: StandardIntegrityInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.demandTime(now)
        return try await engines.playIntegrity.assess(input, app: app, at: now)
            .verdict(committingTo: ledger, at: now)
    }
}
