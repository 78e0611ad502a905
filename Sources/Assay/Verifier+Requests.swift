package import AssayCore
package import FoundationEssentials

/// Calls for servers that guard routes.
extension Verifier {
    /// The rules and the engine for each kind of evidence that requests of an app carry, in the order of the engines.
    package func requestEvidence(of app: PolicyApp) -> [(rules: RequestEvidenceRules, engine: any RequestEngine)] {
        engines.registry.requestEvidence(of: app).compactMap { rules in
            (engines.byKind[rules.kind] as? any RequestEngine).map { (rules, $0) }
        }
    }

    /// Judges evidence in fields of a request with an engine of this verifier.
    ///
    /// - Parameters:
    ///   - value: the value of the field at a place in the list of ``RequestEvidenceRules/Scope/fields(_:)``.
    ///   - property: what the request claims in the policy's `propertyHeader`.
    package func verify(
        fields value: (Int) -> RequestFieldValue, property: ClientProperty?, address: String?,
        with engine: any RequestEngine, app: String, account: String?, at now: Date
    ) async throws(VerificationError) -> Verdict {
        try Verifier.require(now, account)
        return try await verify(at: now) { () async throws(VerificationError) in
            try await engine.assess(
                fields: value, address: address, app: app, account: account, ledger: ledger, at: now
            ).stating(property)
        }
    }

    /// ``verify(fields:property:address:with:app:account:at:)`` without waiting; nil if the verification has to wait.
    package func verifyAtOnce(
        fields value: (Int) -> RequestFieldValue, property: ClientProperty?, address: String?,
        with engine: any ImmediateRequestEngine, app: String, account: String?, at now: Date
    ) throws(VerificationError) -> Verdict? {
        guard !isTraced, !engines.addsResults else { return nil }
        try Verifier.require(now, account)
        let start = MonotonicTime.nanoseconds
        do throws(VerificationError) {
            let found = try engine.assessAtOnce(
                fields: value, address: address, app: app, account: account, ledger: ledger, at: now)
            guard var assessment = found else { return nil }
            // A copy counts many references.
            if property != nil { assessment = assessment.stating(property) }
            guard let verdict = try assessment.verdictAtOnce(by: ledger, at: now), !observes(verdict) else {
                return nil
            }
            metrics?.count(verdict, of: assessment, since: start)
            return verdict
        } catch {
            metrics?.count(error)
            throw error
        }
    }

    /// Assesses evidence in fields of a request, and commits nothing; see ``verify(fields:property:address:with:app:account:at:)``.
    package func assess(
        fields value: (Int) -> RequestFieldValue, property: ClientProperty?, address: String?,
        with engine: any RequestEngine, app: String, account: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try Verifier.require(now, account)
        return try await counting(at: now) { () async throws(VerificationError) in
            try await engine.assess(
                fields: value, address: address, app: app, account: account, ledger: ledger, at: now
            ).stating(property)
        }
    }

    /// Assesses a signed request with an engine of this verifier. Commits nothing, because the caller may not have read
    /// the body yet.
    package func assess(
        signed request: SignedRequest, with engine: any RequestEngine, app: String, account: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        try Verifier.require(now, account)
        return try await counting(at: now) { () async throws(VerificationError) in
            try await engine.assess(signed: request, app: app, account: account, ledger: ledger, at: now)
                .stating(propertyOf: request, in: policy.propertyHeader)
        }
    }

    /// Assesses a request without evidence, to test whether the app's keys and services are available.
    ///
    /// - Throws: `.request` if the app has no live key.
    package func assessNothing(
        _ scope: RequestEvidenceRules.Scope, with engine: any RequestEngine, app: String, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch scope {
        case .fields:
            return try await engine.assess(
                fields: { _ in .missing }, address: nil, app: app, account: nil, ledger: ledger, at: now)
        case .signature, .head:
            let request = SignedRequest(method: "GET", targetURI: "https://localhost/", fields: [], body: .bytes([]))
            return try await engine.assess(signed: request, app: app, account: nil, ledger: ledger, at: now)
        }
    }
}
