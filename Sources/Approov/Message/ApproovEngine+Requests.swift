package import AssayCore
package import AssayHTTPSignatures
package import FoundationEssentials

extension ApproovEngine: RequestEngine {
    /// Signed messages for apps with `messageSigning`, and tokens for all others.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(ApproovConfiguration.self).map { configuration in
            guard let signing = configuration.messageSigning else {
                return RequestEvidenceRules(
                    kind: .approovToken, enforcement: configuration.enforcement, scope: .token)
            }
            return RequestEvidenceRules(
                kind: .approovMessage, enforcement: configuration.enforcement,
                scope: .signature(contentDigest: ApproovCheck.contentDigest, body: signing.body))
        }
    }

    /// Assesses a request that the app signed, with the token in it.
    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let message: ApproovMessageInput = request
        return try await assess(message, app: app, account: account, ledger: ledger, at: now)
    }
}
