public import AssayCore
public import AssayTokens
public import FoundationEssentials

/// Runtime secrets: values that an app receives after accepted evidence, and that its binary does not contain.
extension Verifier {
    /// Exchanges evidence for runtime secrets, under the policy's `secrets`, sealed for the client's key. Acceptance has the effects that
    /// the evidence alone has; the challenge of the request is consumed in place of the value in the evidence.
    ///
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also `.request` for names that no secret can have, and for acceptable
    ///   evidence if the app gets no secrets, a name is not known, or the evidence does not cover the request. Nothing is consumed then.
    public func deliverSecrets(_ request: SecretRequest, at now: Date) async throws(VerificationError) -> SecretAnswer {
        try Verifier.require(now, request.record.account)
        try await counting { () async throws(VerificationError) in
            do throws(RequestError) { try request.requireNames() } catch { throw .request(error) }
        }
        var sealed: (text: String, expiresIn: Int, app: String)?
        let verdict = try await verify(at: now, hasDeviceCheck: true) { () async throws(VerificationError) in
            let assessment = try await assess(request.record, ledger: ledger, at: now)
            guard assessment.isAcceptable else { return assessment }
            if let app = assessment.app {
                try engines.certificates.requireExchangeable(request.record.kind, for: app)
            }
            let named: [NamedKey]
            do throws(KeyStoreOutage) { named = try await keys.keys(for: RuntimeSecret.purpose) } catch {
                throw .outage(error)
            }
            let chosen: SecretDelivery
            do throws(RequestError) {
                chosen = try SecretDelivery(request, assessment, in: policy, keys: named, at: now)
            } catch { throw .request(error) }
            // Before the commit: values that cannot be sealed use no evidence up.
            let (text, expiresIn) = try chosen.sealed(at: now)
            sealed = (text, expiresIn, chosen.app)
            return chosen.assessment
        }
        // The ledger can still refuse the evidence.
        guard verdict.outcome == .accept, let sealed else {
            let code = try await counting { () async throws(VerificationError) in
                try await engines.tokens.responseCode(of: verdict, at: now)
            }
            return .rejected(verdict, responseCode: code)
        }
        for name in request.names { metrics?.secrets.count(name, app: sealed.app) }
        return .sealed(sealed.text, expiresIn: sealed.expiresIn, verdict)
    }
}
