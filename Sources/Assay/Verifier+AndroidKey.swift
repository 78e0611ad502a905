public import AndroidKey
public import AssayCore
public import FoundationEssentials

/// Direct calls for backends that have the parts of a request instead of a record.
extension Verifier {
    /// Judges a key attestation of Android's keystore. With the policy `challenge: ledger`, acceptance consumes the challenge; it
    /// always enrols the key.
    ///
    /// - Parameters:
    ///   - input: the certificates of the key, and the challenge that the app was given.
    ///   - app: the policy's app; nil for the only one, or the one with the package that made the key.
    ///   - account: the account of the session, of 1 to 255 bytes; nil for none. The key then belongs to it.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also `.outage` when the policy demands a status list that cannot be
    ///   had, and nothing else rejects the evidence.
    public func verify(
        _ input: KeyAttestationInput, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.androidKey.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Judges a request that an attested key signed as an HTTP message (RFC 9421). The policy's `androidKey.requests`
    /// says what the signature must cover. The ledger accepts a request once.
    ///
    /// A body that is ``SignedRequest/Body/unread`` must be compared with the signed digests before the request is used.
    /// - Parameters:
    ///   - request: the request, with the target URI that the client addressed.
    ///   - suppliedKey: the key as SubjectPublicKeyInfo in DER, for a backend that stores keys itself and uses an ephemeral ledger.
    ///   - app: the policy's app; nil for the only one with `androidKey.requests`.
    ///   - account: the account of the session, of 1 to 255 bytes, that the key must belong to; nil for none.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also for an app without `androidKey.requests`.
    public func verifyAndroidKeyRequest(
        _ request: SignedRequest, suppliedKey: [UInt8]? = nil, app: String? = nil, account: String? = nil, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engines.androidKey
                .assess(request, suppliedKey: suppliedKey, app: app, account: account, ledger: ledger, at: now)
                .stating(propertyOf: request, in: policy.propertyHeader)
        }
    }
}
