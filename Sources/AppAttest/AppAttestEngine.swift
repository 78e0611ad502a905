package import AssayCore
package import FoundationEssentials

/// Judges the evidence of Apple's App Attest: attestations, assertions and receipts.
package struct AppAttestEngine: EvidenceEngine {
    package typealias Configuration = AppAttestConfiguration

    package static let kinds = [
        EvidenceKind.appAttestAttestation, EvidenceKind.appAttestAssertion, EvidenceKind.appAttestRequest,
        EvidenceKind.appAttestReceipt,
    ]
    package static let catalogue =
        AttestationCheck.catalogue + AppAttestRequest.checks.catalogue + AssertionCheck.catalogue
        + ReceiptCheck.catalogue
    /// The kinds of evidence that carry a challenge of the ledger. In a request, the nonce of its signature is the
    /// challenge.
    package static let challengeKinds: [EvidenceKind] = [.appAttestAttestation, .appAttestAssertion, .appAttestRequest]

    package static let keyMaterials: [any KeyMaterial.Type] = [AppleServicesKey.self]

    /// Apple allows an app about 100 attestations a second.
    package static let limitedKinds = [EvidenceKind.appAttestAttestation]
    package static let enrolsKeys = true

    /// One policy field applies to attestations, which carry a challenge, and to assertions, whose client data may
    /// carry one.
    package static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool? {
        let configuration = app.configuration(Configuration.self)
        if kind == .appAttestRequest { return configuration?.requests.map { $0.nonce == .any } }
        return configuration.map { $0.challenge == .caller }
    }

    private let apps: EngineApps<AppAttestExpectations>
    private let keyCache = EnrolledKeyCache()

    /// Requires that the key ID is the SHA-256 digest of the public key, an uncompressed point on P-256 (Apple,
    /// *Validating apps that connect to your server*).
    package static func problem(withKey key: EnrolledKey) -> String? {
        guard key.identifier.engine == AppAttestConfiguration.engine else { return nil }
        let length = key.identifier.value.count
        if length != 32 { return "has an ID of \(length) bytes, not 32" }
        return key.publicKey.count == 65 && key.publicKey.first == 4 ? nil : "has no uncompressed P-256 point"
    }

    /// Prepares an engine for a policy. It needs no keys: Apple's trust anchors are compiled in.
    package init(policy: VerificationPolicy, resources: EngineResources) {
        apps = EngineApps(policy)
    }

    /// The requirements of an app; nil if the policy has no such app.
    package func expectations(_ app: String) -> AppAttestExpectations? {
        apps.all.first { $0.app.isByteEqual(to: app) }
    }

    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case EvidenceKind.appAttestAttestation:
            let input = try record.reading(AttestationInput.init)
            return try await assess(input, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.appAttestAssertion:
            let (input, supplied) = try record.reading(AssertionInput.read)
            return try await assess(
                input, suppliedKey: supplied, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.appAttestRequest:
            let (request, supplied) = try record.reading(AppAttestRequest.read)
            return try await assess(
                request, suppliedKey: supplied, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.appAttestReceipt:
            guard record.account == nil else {
                throw .request(.noAccount, "a receipt comes from Apple's server, and with no account")
            }
            let input = try record.reading(ReceiptInput.init)
            return try await assess(input, app: record.app, ledger: ledger, at: now)
        default:
            throw .request(.unknownKind, "\(record.kind) is no kind of App Attest evidence")
        }
    }

    // With several possible apps, the engine decodes the evidence first, and its App ID selects the app.

    /// Assesses an attestation; see ``AttestationAssessor``.
    package func assess(
        _ input: AttestationInput, app: String?, account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let standings = try await ledger.standings(ofAccount: account, orOwnerOf: .appAttest(input.keyID), at: now)
        if let expectations = try apps.app(app) {
            return AttestationAssessor.assess(input, account: standings, expectations: expectations, now: now)
        }
        var run = CheckRun(modes: .strict, capacity: AttestationCheck.catalogue.count)
        guard let evidence = AttestationAssessor.decode(input, .apple, &run) else {
            return undecodable(EvidenceKind.appAttestAttestation, AttestationCheck.catalogue, &run)
        }
        let expectations = try self.app(rpIDHash: evidence.authenticatorData.rpIDHash)
        run.modes = expectations.modes
        return AttestationAssessor.assess(evidence, of: input, standings, expectations, now, &run)
    }

    /// Looks up the key of an assertion and assesses it; see ``AssertionAssessor``.
    package func assess(
        _ input: AssertionInput, suppliedKey: AssertionKeys.Supplied?, app: String?, account: String?,
        ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        if let expectations = try apps.app(app) {
            let (keys, standings) = try await keys(ofKey: input.keyID, suppliedKey, account, in: ledger, at: now)
            return AssertionAssessor.assess(
                input, keys: keys, account: standings, expectations: expectations, now: now)
        }
        var run = CheckRun(modes: .strict, capacity: AssertionCheck.catalogue.count)
        guard let evidence = AssertionAssessor.decode(input, &run) else {
            return undecodable(EvidenceKind.appAttestAssertion, AssertionCheck.catalogue, &run)
        }
        let expectations = try self.app(rpIDHash: evidence.authenticatorData.rpIDHash)
        run.modes = expectations.modes
        let (keys, standings) = try await keys(ofKey: input.keyID, suppliedKey, account, in: ledger, at: now)
        return AssertionAssessor.assess(
            evidence, of: input, in: .assertion(expectations), keys, standings, expectations, now, &run)
    }

    /// Looks up the key that a request names, and assesses the assertion in its signature; see ``AppAttestRequest``. Throws `.request`
    /// if the app has no `requests`, or none is named and not exactly one has them.
    package func assess(
        _ request: SignedRequest, suppliedKey: AssertionKeys.Supplied?, app: String?, account: String?,
        ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let (expectations, rules) = try apps.require(app, RequestRules.policyField) { $0.configuration.requests }
        var run = CheckRun(
            modes: expectations.modes,
            capacity: AppAttestRequest.checks.catalogue.count + AssertionCheck.catalogue.count)
        guard let signed = AppAttestRequest.assess(request, rules, at: now, &run) else {
            let none = AssertionKeys(enrolled: nil, supplied: nil, durability: ledger.durability, blocks: [])
            return AppAttestRequest.assess(nil, rules, none, .none, expectations, now, &run)
        }
        let (keys, standings) = try await keys(ofKey: signed.part, suppliedKey, account, in: ledger, at: now)
        return AppAttestRequest.assess(signed, rules, keys, standings, expectations, now, &run)
    }

    /// Looks up the key of a receipt and assesses it; see ``ReceiptAssessor``.
    package func assess(
        _ input: ReceiptInput, app: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        if let expectations = try apps.app(app) {
            let enrolled = try await enrolledKey(input.keyID, in: ledger)
            return ReceiptAssessor.assess(input, enrolled: enrolled, expectations: expectations, now: now)
        }
        var run = CheckRun(modes: .strict, capacity: ReceiptCheck.catalogue.count)
        guard let receipt = ReceiptAssessor.decode(input, .apple, &run) else {
            return undecodable(EvidenceKind.appAttestReceipt, ReceiptCheck.catalogue, &run)
        }
        let expectations = try self.app(rpIDHash: Digest.sha256(Array(receipt.payload.appID.utf8))[...])
        run.modes = expectations.modes
        let enrolled = try await enrolledKey(input.keyID, in: ledger)
        return ReceiptAssessor.assess(receipt, of: input, enrolled, expectations, now, &run)
    }

    /// Selects the app that has the App ID with this hash.
    private func app(rpIDHash: ArraySlice<UInt8>) throws(VerificationError) -> AppAttestExpectations {
        try apps.app(by: "App ID") { $0.appID(rpIDHash: rpIDHash) != nil }
    }

    /// Rejects evidence for every app: decoding does not depend on the app.
    private func undecodable(
        _ kind: EvidenceKind, _ catalogue: [CheckDefinition], _ run: inout CheckRun
    ) -> Assessment {
        Assessment(undecodable: kind, &run, catalogue: catalogue, skipping: catalogue.dropFirst().map(\.id))
    }

    /// Looks up the key, and the standings of key and account.
    private func keys(
        ofKey keyID: [UInt8], _ supplied: AssertionKeys.Supplied?, _ account: String?, in ledger: any Ledger,
        at now: Date
    ) async throws(VerificationError) -> (AssertionKeys, AccountStandings) {
        let (enrolled, block, standings) = try await ledger.use(of: .appAttest(keyID), account: account, at: now)
        return (
            AssertionKeys(
                enrolled: enrolled, supplied: supplied, durability: ledger.durability,
                blocks: block.map { [$0] } ?? [], cache: keyCache), standings
        )
    }

    private func enrolledKey(
        _ keyID: [UInt8], in ledger: any Ledger
    ) async throws(VerificationError) -> EnrolledKey? {
        try await ledger.asking { (ledger) async throws(LedgerOutage) in
            try await ledger.enrolledKey(.appAttest(keyID))
        }
    }
}
