import Approov
package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Judges the statements of devices that can give no evidence, such as old phones. Policy says whether they are accepted; each
/// verdict and token says that nothing was proved.
package struct NoEvidenceEngine: EvidenceEngine {
    package typealias Configuration = NoEvidenceConfiguration

    package static let kinds = [EvidenceKind.noEvidence]
    package static let catalogue = NoEvidenceCheck.catalogue

    private let apps: EngineApps<NoEvidenceExpectations>

    package init(policy: VerificationPolicy, resources: EngineResources) { apps = EngineApps(policy) }

    /// Assesses a record. Commits nothing.
    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard record.kind == .noEvidence else {
            throw .request(RequestError(.unknownKind, "\(record.kind) is no statement of a device without evidence"))
        }
        let input = try record.reading(DeviceStatementInput.read)
        return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
    }

    /// Assesses a statement that came without a request.
    func assess(
        _ input: DeviceStatementInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(app)
        return try await assess(
            { () throws(DecodeError) in input }, beside: nil, expectations, account, ledger, at: now)
    }

    private func expectations(_ app: String?) throws(VerificationError) -> NoEvidenceExpectations {
        guard let found = try apps.app(app) else { throw apps.ambiguity(of: apps.all.count, by: "statement") }
        return found
    }

    /// - Parameter other: a field of the request with evidence that must be judged instead; nil for none.
    private func assess(
        _ input: () throws(DecodeError) -> DeviceStatementInput, beside other: String?,
        _ expectations: NoEvidenceExpectations, _ account: String?, _ ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: Self.catalogue.count)
        let subject = run.decode(.noneDecode) { () throws(DecodeError) in try NoEvidenceSubject(input()) }
        _ = run.authenticity(.noneAlone) { () throws(CheckFailure) in
            if let other { throw CheckCode.beside(other) }
        }
        guard run.failedAuthenticity == nil, let subject else {
            run.skip([.noneReason, .noneAppVersion, .noneSystemVersion, .noneAccount, .noneEvidence])
            return assessment(expectations, subject, &run)
        }
        let standings = try await ledger.asking { (ledger) async throws(LedgerOutage) in
            try await ledger.standings(ofAccount: account, and: [], at: now)
        }
        run.allow(standings.standings)
        let checks = NoEvidenceCheck(subject: subject, configuration: expectations.configuration)
        run.policy(.noneReason, try checks.reason())
        run.policy(.noneAppVersion, try checks.appVersion())
        run.policy(.noneSystemVersion, try checks.systemVersion())
        run.policy(.noneAccount, try checks.account(standings))
        run.confirm(standings)
        // Not in the mode of other checks: no mode and no allowance removes the note.
        run.conditionalGate(.noneEvidence, try NoEvidenceCheck.evidence(expectations.modes[.noneEvidence]))
        return assessment(expectations, subject, &run)
    }

    private func assessment(
        _ expectations: NoEvidenceExpectations, _ subject: NoEvidenceSubject?, _ run: inout CheckRun
    ) -> Assessment {
        Assessment(
            kind: .noEvidence, app: expectations.app, catalogue: Self.catalogue, checks: run.results, ledgerChecks: [],
            effects: [], confirmations: run.confirmations, subject: subject, testAuthority: nil, voucher: .client)
    }
}

/// Requests state in a field that the device has no evidence. The statement covers nothing of the request.
extension NoEvidenceEngine: RequestEngine {
    /// Statements, for apps with `noEvidence`. A route must name the kind.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(Configuration.self).map { _ in
            RequestEvidenceRules(
                kind: .noEvidence, enforcement: .reject,
                scope: .fields([DeviceStatementInput.fieldName] + otherFields(of: app)), isStatement: true)
        }
    }

    /// The fields in which requests of an app carry evidence that can be checked: signatures, DPoP proofs and Approov's tokens.
    static func otherFields(of app: PolicyApp) -> [String] {
        ["Signature-Input", "Signature", "DPoP", authorization]
            + (app.configuration(ApproovConfiguration.self).map { [$0.tokenHeader] } ?? [])
    }

    private static let authorization = "Authorization"
    /// The scheme of tokens with a proof (RFC 9449 section 7.1). Other credentials are those of a session.
    private static let scheme = "dpop "

    /// The statement, unless it cannot be read or the request has other evidence, which a record of a statement cannot say.
    package func recordEvidence(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String
    ) -> RecordObject? {
        guard let expectations = try? expectations(app), Self.otherField(value, expectations) == nil,
            let input = try? DeviceStatementInput(value(0))
        else { return nil }
        return EvidenceRecord(input, receivedAt: Date()).evidence
    }

    /// The first field with evidence that must be judged in place of a statement; nil for none.
    private static func otherField(
        _ value: (Int) -> RequestFieldValue, _ expectations: NoEvidenceExpectations
    ) -> String? {
        for (index, name) in expectations.otherFields.enumerated() {
            switch value(index + 1) {
            case .missing: break
            case .repeated: return name
            case .value(let text):
                if name != authorization || HTTPFieldText.isName(String(text.prefix(5)), equalTo: scheme) {
                    return name
                }
            }
        }
        return nil
    }

    package nonisolated(nonsending) func assess(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String, account: String?,
        ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(app)
        let other = Self.otherField(value, expectations)
        let field = value(0)
        return try await assess(
            { () throws(DecodeError) in try DeviceStatementInput(field) }, beside: other, expectations, account, ledger,
            at: now)
    }
}
