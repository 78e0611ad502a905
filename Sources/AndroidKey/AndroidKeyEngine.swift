package import AssayCore
package import FoundationEssentials

/// Judges the evidence of Android's keystore: key attestations, and requests that attested keys sign.
package struct AndroidKeyEngine: EvidenceEngine {
    package typealias Configuration = AndroidKeyConfiguration

    package static let kinds = [EvidenceKind.androidKeyAttestation, EvidenceKind.androidKeyRequest]
    package static let catalogue = KeyAttestationCheck.catalogue + AndroidKeyRequest.catalogue

    package static let enrolsKeys = true

    /// SHA-256 of Google's keys, in hexadecimal.
    package static var rootKeyDigests: [String] { AndroidKeyTrust.google.anchors.map(\.keyDigest) }

    /// Attestations carry a challenge. A request has it as the nonce of its signature.
    package static func leavesChallengesToCaller(of kind: EvidenceKind, in app: PolicyApp) -> Bool? {
        guard let configuration = app.configuration(Configuration.self) else { return nil }
        if kind == .androidKeyRequest { return configuration.requests.map { $0.nonce == .any } }
        return kind == .androidKeyAttestation ? configuration.challenge == .caller : nil
    }

    let apps: EngineApps<AndroidKeyExpectations>
    let keyCache = AttestedKeyCache()
    private let services: [any EngineService]

    /// Requires that the key ID is the SHA-256 digest of the public key, a SubjectPublicKeyInfo that can be used.
    package static func problem(withKey key: EnrolledKey) -> String? {
        guard key.identifier.engine == AndroidKeyConfiguration.engine else { return nil }
        guard (try? AttestedKey(key.publicKey[...])) != nil else { return "has no public key that can be used" }
        return key.identifier.value == Digest.sha256(key.publicKey) ? nil : "has an ID that is not SHA-256 of its key"
    }

    /// Prepares an engine for a policy. It needs no keys: Google's trust anchors are compiled in.
    package init(policy: VerificationPolicy, resources: EngineResources) {
        apps = EngineApps(policy)
        services = resources.services
    }

    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case EvidenceKind.androidKeyAttestation:
            let (input, reference) = try record.reading(KeyAttestationInput.read)
            return try await assess(
                input, asCaptured: reference, app: record.app, account: record.account, ledger: ledger, at: now)
        case EvidenceKind.androidKeyRequest:
            let (request, supplied) = try record.reading(AndroidKeyRequest.read)
            return try await assess(
                request, suppliedKey: supplied, app: record.app, account: record.account, ledger: ledger, at: now)
        default:
            throw .request(.unknownKind, "\(record.kind) is no kind of Android key evidence")
        }
    }

    /// Assesses a key attestation; see ``KeyAttestationAssessor``.
    /// - Parameter reference: the status list that captured evidence was judged by; nil for none.
    package func assess(
        _ input: KeyAttestationInput, asCaptured reference: AttestationStatusReference? = nil, app: String?,
        account: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations: AndroidKeyExpectations
        if let named = try apps.app(app) {
            expectations = named
        } else {
            switch try self.app(of: input) {
            case .success(let found): expectations = found
            case .failure(let rejection): return rejection.assessment
            }
        }
        var run = CheckRun(modes: expectations.modes, capacity: KeyAttestationCheck.catalogue.count)
        let evidence = KeyAttestationAssessor.decode(input, expectations.trust, &run)
        let key = evidence.map { KeyIdentifier.androidKey(Digest.sha256($0.leaf.subjectPublicKeyInfo)) }
        let standings = try await ledger.standings(ofAccount: account, orOwnerOf: key, at: now)
        let status: KeyAttestationStatus
        var outage: VerificationError?
        do throws(VerificationError) {
            // Without the check, no list is needed: its outage must not stop evidence.
            let list =
                expectations.modes[.androidKeyAttestationRevocation] == .off
                ? nil
                : try await expectations.configuration.statusList.list(
                    from: services, asCaptured: reference, at: now)
            status = list.map { .list($0) } ?? .none
        } catch {
            guard case .outage = error else { throw error }
            (status, outage) = (.unavailable, error)
        }
        let assessment = KeyAttestationAssessor.assess(
            evidence, of: input, standings, status, expectations, now, &run)
        // Evidence that is false without the list is rejected; what would depend on the list has no verdict.
        if let outage, !assessment.checks.contains(where: { $0.status == .failed }) { throw outage }
        return assessment
    }

    private struct Rejection: Error {
        let assessment: Assessment
    }

    /// The app whose package made the key, among several; or the rejection of evidence that names none because it cannot be read.
    private func app(
        of input: KeyAttestationInput
    ) throws(VerificationError) -> Result<AndroidKeyExpectations, Rejection> {
        let checks = KeyAttestationCheck.catalogue.map(\.id)
        var run = CheckRun(modes: .strict, capacity: checks.count)
        guard let evidence = KeyAttestationAssessor.decode(input, .google, &run) else {
            return .failure(
                Rejection(
                    assessment: Assessment(
                        undecodable: .androidKeyAttestation, &run, catalogue: KeyAttestationCheck.catalogue,
                        skipping: checks.dropFirst())))
        }
        // The chain depends on the app's roots, and so comes later: a description only selects the app.
        let description = run.authenticity(.androidKeyAttestationExtension) { () throws(CheckFailure) in
            guard let value = evidence.leaf.extension(KeyDescription.oid)?.value else {
                throw CheckFailure(DecodeError(.missing, at: 0, "certificate 0 has no key attestation extension"))
            }
            do throws(DecodeError) { return try KeyDescription(value) } catch { throw CheckFailure(error) }
        }
        guard let description else {
            let rest = checks.filter {
                $0 != CheckID.androidKeyAttestationDecode && $0 != CheckID.androidKeyAttestationExtension
            }
            return .failure(
                Rejection(
                    assessment: Assessment(
                        undecodable: .androidKeyAttestation, &run, catalogue: KeyAttestationCheck.catalogue,
                        skipping: rest)))
        }
        let packages = description.applicationID?.packages ?? []
        return .success(
            try apps.app(by: "package name") { app in
                packages.contains { package in
                    app.configuration.packages.contains { package.name.elementsEqual($0.utf8) }
                }
            })
    }
}
