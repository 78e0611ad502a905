package import AssayCore
import AssayPrimitives
package import FoundationEssentials

extension AndroidKeyEngine: RequestEngine {
    /// Requests that attested keys sign, for apps with `requests`.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(AndroidKeyConfiguration.self)?.requests.map { rules in
            RequestEvidenceRules(
                kind: .androidKeyRequest, enforcement: rules.enforcement,
                scope: .signature(contentDigest: AndroidKeyRequest.checks.contentDigest, body: rules.body))
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
        let identifier = KeyIdentifier.androidKey(signed.part.identifier)
        let named =
            ledger.isWithoutStandings
            ? AccountStandings(account: account, standings: [])
            : try await ledger.asking { (ledger) async throws(LedgerOutage) in
                try await ledger.standings(ofAccount: account, and: [identifier.subject], at: now)
            }
        let block = named.standings.isEmpty ? nil : named.standings.block(on: identifier.subject)
        let cache = keyCache
        let (keys, standings) = try await ledger.asking { (ledger) async throws(LedgerOutage) in
            let enrolled = try await ledger.enrolledKey(identifier)
            return (
                AndroidRequestKeys(
                    enrolled: enrolled, supplied: suppliedKey, durability: ledger.durability, block: block, cache: cache
                ),
                try await ledger.standings(named, withOwnerOf: enrolled, at: now)
            )
        }
        return AndroidKeyRequest.assess(signed, rules, keys, standings, expectations, now, &run)
    }
}
