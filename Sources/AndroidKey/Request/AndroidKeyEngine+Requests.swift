package import AssayCore
package import FoundationEssentials

extension AndroidKeyEngine: RequestEngine {
    /// Requests that attested keys sign, for apps with `requests`.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(AndroidKeyConfiguration.self)?.requests.map {
            AndroidKeyRequest.checks.evidence(.androidKeyRequest, $0)
        }
    }

    /// Assesses a request that an attested key signed.
    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try await assess(request, suppliedKey: nil, app: app, account: account, ledger: ledger, at: now)
    }

    /// Looks up the key that a request names and assesses its signature; see ``AndroidKeyRequest``.
    /// - Throws: `.request` if the policy's app has no `requests`, and without a name unless one app has.
    package func assess(
        _ request: SignedRequest, suppliedKey: [UInt8]?, app: String?, account: String?, ledger: any Ledger,
        at now: Date
    ) async throws(VerificationError) -> Assessment {
        let (expectations, rules) = try apps.require(app, RequestRules.policyField) { $0.configuration.requests }
        var run = CheckRun(modes: expectations.modes, capacity: AndroidKeyRequest.catalogue.count)
        guard let signed = AndroidKeyRequest.assess(request, rules, at: now, &run) else {
            let none = AndroidRequestKeys(
                enrolled: nil, supplied: nil, durability: ledger.durability, block: nil, cache: nil)
            return AndroidKeyRequest.assess(nil, rules, none, .none, expectations, now, &run)
        }
        let (enrolled, block, standings) = try await ledger.use(
            of: .androidKey(signed.part.identifier), account: account, at: now)
        let keys = AndroidRequestKeys(
            enrolled: enrolled, supplied: suppliedKey, durability: ledger.durability, block: block, cache: keyCache)
        return AndroidKeyRequest.assess(signed, rules, keys, standings, expectations, now, &run)
    }
}
