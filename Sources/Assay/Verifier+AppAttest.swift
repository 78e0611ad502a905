public import AppAttest
public import AssayCore
public import FoundationEssentials

/// Direct calls for backends that have the parts of a request instead of a record.
extension Verifier {
    package var appAttest: AppAttestEngine { engines.appAttest }

    /// Judges an attestation, and enrols its key on acceptance.
    ///
    /// - Parameters:
    ///   - input: the attestation of the app, and its challenge.
    ///   - app: the policy's app; nil to select the app by its App ID.
    ///   - account: the account of the session, of 1 to 255 bytes, that the key will belong to; nil for none.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does.
    public func verify(
        _ input: AttestationInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.appAttest.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Judges an assertion, and advances the counter of its key on acceptance.
    ///
    /// - Parameters:
    ///   - input: the assertion of the app; with its challenge for the policy `challenge: caller`.
    ///   - suppliedKey: the key and its counter, for a backend that stores keys itself and uses an ephemeral ledger.
    ///     The backend must compare and store the counter of the verdict's subject in one atomic step.
    ///   - app: the policy's app; nil to select the app by its App ID.
    ///   - account: the account of the session, of 1 to 255 bytes, that the key must belong to; nil for none.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does.
    public func verify(
        _ input: AssertionInput, suppliedKey: AssertionKeys.Supplied? = nil, app: String? = nil,
        account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.appAttest
                .assess(input, suppliedKey: suppliedKey, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Judges a request whose HTTP message signature is an assertion, and advances the counter of its key on acceptance. The
    /// policy's `appAttest.requests` says what the signature must cover.
    ///
    /// A body that is ``SignedRequest/Body/unread`` must be compared with the signed digests before the request is used.
    /// - Parameters:
    ///   - request: the request, with the target URI that the client addressed.
    ///   - suppliedKey: the key and its counter, for a backend that stores keys itself and uses an ephemeral ledger.
    ///   - app: the policy's app; nil for the only one with `appAttest.requests`.
    ///   - account: the account of the session, of 1 to 255 bytes, that the key must belong to; nil for none.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also for an app without `appAttest.requests`.
    public func verifyAppAttestRequest(
        _ request: SignedRequest, suppliedKey: AssertionKeys.Supplied? = nil, app: String? = nil,
        account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.appAttest
                .assess(request, suppliedKey: suppliedKey, app: app, account: account, ledger: ledger, at: now)
                .stating(propertyOf: request, in: policy.propertyHeader)
        }
    }

    /// Judges a receipt that Apple's server issued in exchange for an older one.
    ///
    /// - Parameters:
    ///   - input: the receipt, and the identifier of its key.
    ///   - app: the policy's app; nil to select the app by its App ID.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does.
    public func verify(
        _ input: ReceiptInput, app: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.requireTime(now)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.appAttest.assess(input, app: app, ledger: ledger, at: now)
        }
    }
}
