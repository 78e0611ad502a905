public import AssayCore
public import FoundationEssentials
public import PlayIntegrity

/// Direct calls for backends that have the parts of a request instead of a record.
extension Verifier {
    /// Judges a classic token. With the policy `challenge: ledger`, acceptance consumes its nonce.
    ///
    /// - Parameters:
    ///   - input: the token of the app, and the nonce that it must carry.
    ///   - app: the policy's app; nil for the one with the package name.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when the app has no live key.
    public func verify(
        _ input: ClassicIntegrityInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.playIntegrity.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Judges a standard token. The ledger accepts it once inside its freshness window.
    ///
    /// - Parameters:
    ///   - input: the token, which a service of the verifier sends to Google, or Google's answer on it.
    ///   - app: the policy's app; nil for the one with the package name.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when no service can decode the token.
    public func verify(
        _ input: StandardIntegrityInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.playIntegrity.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Judges a request whose HTTP message signature is a standard token. The ledger accepts the token once inside its
    /// freshness window. The policy's `playIntegrity.requests` says what the signature must cover.
    ///
    /// A body that is ``SignedRequest/Body/unread`` must be compared with the signed digests before the request is used.
    /// - Parameters:
    ///   - request: the request, with the target URI that the client addressed.
    ///   - answer: Google's answer on the token; nil to have a service of the verifier ask Google.
    ///   - app: the policy's app; nil for the only one with `playIntegrity.requests`.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. A blocked account is rejected.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also when no service can decode the token, and for an app
    ///   without `playIntegrity.requests`.
    public func verifyPlayIntegrityRequest(
        _ request: SignedRequest, answer: IntegrityAnswer? = nil, app: String? = nil, account: String? = nil,
        at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.playIntegrity
                .assess(request, answer: answer, app: app, account: account, ledger: ledger, at: now)
                .stating(propertyOf: request, in: policy.propertyHeader)
        }
    }
}
