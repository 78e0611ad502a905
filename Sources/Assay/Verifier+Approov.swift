public import Approov
public import AssayCore
public import FoundationEssentials

/// Direct calls for backends that have the parts of a request instead of a record.
extension Verifier {
    /// Judges a token. Rejects a loggable token, with the code `loggable-token` if its signature prefix is correct.
    ///
    /// - Parameters:
    ///   - input: the token, and the values of the request that tokens are bound to.
    ///   - app: the policy's app; nil for the only app with a section for Approov.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key.
    public func verify(
        _ input: ApproovTokenInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.approov.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Judges a signed request with its token. With the policy `replay: ledger`, each request is accepted at most once.
    ///
    /// - Parameters:
    ///   - app: the policy's app; nil for the only app with a section for Approov.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key, or its policy has
    ///   no section for messages.
    public func verify(
        _ input: ApproovMessageInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.approov.assess(input, app: app, account: account, ledger: ledger, at: now)
                .stating(propertyOf: input, in: policy.propertyHeader)
        }
    }

    /// Judges a text that an app signed with the account's message signing key. The text contains a token. With the
    /// policy `replay: ledger`, each text is accepted at most once per app.
    ///
    /// - Parameters:
    ///   - app: the policy's app; nil for the only app with a section for Approov.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key, or its policy has
    ///   no section for texts.
    public func verify(
        _ input: ApproovTextInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.approov.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Judges a measurement proof, with the token that carries the measurements if there is one.
    ///
    /// With the policy `proof.nonce: ledger`, the nonce must be a challenge of the ledger for ``EvidenceKind/approovProof``,
    /// and is consumed. Otherwise the caller must check that the nonce is the one that the caller issued.
    /// - Parameters:
    ///   - app: the policy's app; nil for the only app with a section for Approov.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also for a token when the app has no live key.
    public func verify(
        _ input: ApproovProofInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.approov.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }
}
