import Approov
package import AssayCore
package import AssayHTTPSignatures
package import FoundationEssentials

/// Calls for servers that guard routes.
extension Verifier {
    /// The rules and the engine for each kind of evidence that requests of an app carry, in the order of the engines.
    package func requestEvidence(of app: PolicyApp) -> [(rules: RequestEvidenceRules, engine: any RequestEngine)] {
        EngineRegistry.standard.requestEvidence(of: app).compactMap { rules in
            (engines.byKind[rules.kind] as? any RequestEngine).map { (rules, $0) }
        }
    }

    /// Assesses an Approov token and commits nothing.
    package func assessApproovToken(
        _ input: ApproovTokenInput, app: String, account: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try Verifier.demand(now, account)
        return try await counting(at: now) { () async throws(VerificationError) in
            try await engines.approov.assess(input, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Assesses a signed request with an engine of this verifier. Commits nothing, because the caller may not have read
    /// the body yet.
    package func assess(
        signed request: SignedRequest, with engine: any RequestEngine, app: String, account: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try Verifier.demand(now, account)
        return try await counting(at: now) { () async throws(VerificationError) in
            try await engine.assess(signed: request, app: app, account: account, ledger: ledger, at: now)
        }
    }

    /// Assesses a request without evidence, to test whether the app's keys and services are available.
    ///
    /// - Throws: `.request` if the app has no live key.
    package func assessNothing(
        of kind: EvidenceKind, app: String, at now: Date
    ) async throws(VerificationError) -> Assessment? {
        if kind == .approovToken {
            return try await engines.approov.assess(
                ApproovTokenInput(token: ""), app: app, account: nil, ledger: ledger, at: now)
        }
        guard let engine = engines.byKind[kind] as? any RequestEngine else { return nil }
        let request = SignedRequest(method: "GET", targetURI: "https://localhost/", fields: [], body: .bytes([]))
        return try await engine.assess(signed: request, app: app, account: nil, ledger: ledger, at: now)
    }
}
