package import AssayCore
package import FoundationEssentials

extension ApproovEngine: ImmediateRequestEngine {
    /// Signed messages for apps with `messageSigning`, and tokens for all others.
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(ApproovConfiguration.self).map { configuration in
            guard let signing = configuration.messageSigning else {
                return RequestEvidenceRules(
                    kind: .approovToken, enforcement: configuration.enforcement,
                    scope: .fields([configuration.tokenHeader] + configuration.binding))
            }
            return RequestEvidenceRules(
                kind: .approovMessage, enforcement: configuration.enforcement,
                scope: .signature(contentDigest: CheckID.approovMessageContentDigest, body: signing.body))
        }
    }

    /// Assesses a request that the app signed, with the token in it.
    package func assess(
        signed request: SignedRequest, app: String, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let message: ApproovMessageInput = request
        return try await assess(message, app: app, account: account, ledger: ledger, at: now)
    }

    /// Assesses the token of a request, with the values to which it is bound.
    package func assess(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String, account: String?,
        ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try self.expectations(of: app)
        let input = Self.input(value, address, expectations)
        return try await assess(input, expectations, account: account, ledger: ledger, at: now)
    }

    /// The assessment of a token without waiting; nil if it has to wait for keys or standings.
    package func assessAtOnce(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String, account: String?,
        ledger: any Ledger, at now: Date
    ) throws(VerificationError) -> Assessment? {
        let expectations = try self.expectations(of: app)
        let input = Self.input(value, address, expectations)
        return try assessAtOnce(input, expectations, account: account, ledger: ledger, at: now)
    }

    private static func input(
        _ value: (Int) -> RequestFieldValue, _ address: String?, _ expectations: ApproovExpectations
    ) -> ApproovTokenInput {
        let bound = expectations.configuration.binding.indices.map { ApproovBoundValue(value($0 + 1)) }
        return ApproovTokenInput(ApproovTokenInput.Evidence(value(0)), binding: bound, address: address)
    }

    /// The request with its body: records of messages have no digests.
    package static func recordEvidence(of request: SignedRequest) throws(DecodeError) -> RecordObject {
        try EvidenceRecord(request as ApproovMessageInput, receivedAt: Date()).evidence
    }

    /// The token and the values to which it is bound.
    package func recordEvidence(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String
    ) -> RecordObject? {
        guard let expectations = try? expectations(of: app) else { return nil }
        return EvidenceRecord(Self.input(value, address, expectations), receivedAt: Date()).evidence
    }

    /// The checks by which the policy refuses the app, the device or the service. Another token would fail too.
    private static let finalChecks = [
        CheckID.approovTokenIssuer, CheckID.approovTokenAudience, CheckID.approovTokenFailover,
        CheckID.approovTokenAnnotations,
        CheckID.approovTokenDevice, CheckID.approovTokenAccount,
    ]

    /// Whether another token may pass.
    package static func isRepairable(_ verdict: Verdict) -> Bool {
        !(verdict.failed.first.map(finalChecks.contains) ?? false)
    }

    /// The scheme `Approov`.
    package static func challenge(_ verdict: Verdict) -> [SignedRequest.Field] {
        [SignedRequest.Field("WWW-Authenticate", "Approov")]
    }
}

extension ApproovTokenInput.Evidence {
    fileprivate init(_ value: RequestFieldValue) {
        switch value {
        case .value(let text): self = .token(text)
        case .missing: self = .missing
        case .repeated: self = .repeated
        }
    }
}

extension ApproovBoundValue {
    fileprivate init(_ value: RequestFieldValue) {
        switch value {
        case .value(let text): self = .value(text)
        case .missing: self = .missing
        case .repeated: self = .repeated
        }
    }
}
