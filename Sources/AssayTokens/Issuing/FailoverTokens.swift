package import AssayCore
package import FoundationEssentials

extension TokenEngine {
    /// Issues a failover token in Approov's format: nothing but its end, without evidence. Backends accept it under
    /// `failover: accept` of their policy, or as they treat failover tokens of Approov's own service.
    ///
    /// - Parameters:
    ///   - name: the policy's app; nil for the only one.
    ///   - audience: one of the app's audiences. The token does not contain it.
    /// - Throws: `.request` for an unknown app, one whose policy does not say `tokens.failover: issue`, and one without a secret;
    ///   `.outage` when the secret cannot be read.
    package func failoverToken(
        app name: String?, audience: String, at now: Date
    ) async throws(VerificationError) -> (token: IssuedToken, app: String) {
        let (expectations, _) = try apps.require(name, "failover: issue") {
            $0.configuration.shape.failover == .issue ? () : nil
        }
        do { try TokenIssuer.require(audience, expectations) } catch { throw .request(error) }
        let (app, configuration) = (expectations.app, expectations.configuration)
        guard let account: ApproovTokenSecret = try await secret(for: app, at: now) else {
            throw .request(
                RequestError(.noKey, "app \(app.excerpt) has no key for \(ApproovTokenSecret.purpose) that may be used")
            )
        }
        let end = Int64((now.timeIntervalSince1970 + configuration.life).rounded(.down))
        guard let text = account.token(Array(#"{"exp":\#(end)}"#.utf8), configuration.shape.approovForm) else {
            throw .outage(KeyStoreOutage(.internalError, "the token could not be signed"))
        }
        let token = IssuedToken(
            audience: audience, text: text, expiresIn: Int(configuration.life), scheme: .approov)
        return (token, app)
    }
}
