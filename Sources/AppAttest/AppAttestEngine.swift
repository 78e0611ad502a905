public import AssayCore
public import AssayInspection
import AssayPrimitives
public import FoundationEssentials

/// Judges the evidence of Apple's App Attest: attestations, assertions and receipts.
public struct AppAttestEngine: InspectableEngine {
    /// The policy's section for App Attest.
    public typealias Configuration = AppAttestConfiguration

    /// The kinds of evidence that the engine judges.
    public static let kinds = [AttestationCheck.kind, AssertionCheck.kind, ReceiptCheck.kind]
    /// Every check of the engine, in the declared order.
    public static let catalogue = AttestationCheck.catalogue + AssertionCheck.catalogue + ReceiptCheck.catalogue

    private let apps: EngineApps<AppAttestExpectations>
    private let keyCache = EnrolledKeyCache()

    /// The key ID is the SHA-256 digest of the public key, an uncompressed point on P-256 (Apple, *Validating apps that connect
    /// to your server*).
    public static func problem(withKey key: EnrolledKey) -> String? {
        guard key.identifier.engine == AppAttestConfiguration.engine else { return nil }
        let length = key.identifier.value.count
        if length != 32 { return "has an ID of \(length) bytes, not 32" }
        return key.publicKey.count == 65 && key.publicKey.first == 4 ? nil : "has no uncompressed P-256 point"
    }

    /// Prepares to judge under a policy. No key store is asked: Apple's trust anchors are compiled in.
    public init(policy: Policy, resources: EngineResources) {
        apps = EngineApps(policy)
    }

    /// Assesses a record: decodes it, looks up what the ledger knows, runs the checks. Nothing is committed.
    public func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case AttestationCheck.kind:
            let input = try record.reading(AttestationInput.init)
            return try await assess(input, app: record.app, ledger: ledger, at: now)
        case AssertionCheck.kind:
            let (input, supplied) = try record.reading(AssertionInput.read)
            return try await assess(input, suppliedKey: supplied, app: record.app, ledger: ledger, at: now)
        case ReceiptCheck.kind:
            let input = try record.reading(ReceiptInput.init)
            return try await assess(input, app: record.app, ledger: ledger, at: now)
        default:
            throw .request(RequestError(.unknownKind, "\(record.kind) is no kind of App Attest evidence"))
        }
    }

    /// Assesses an attestation; see ``AttestationAssessor``.
    public func assess(
        _ input: AttestationInput, app: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(for: app) {
            (try? AttestationEvidence(input.attestation, authorities: AppAttestTrust.apple.attestation))?
                .authenticatorData.rpIDHash
        }
        return AttestationAssessor.assess(input, expectations: expectations, now: now)
    }

    /// Looks up the key of an assertion and assesses it; see ``AssertionAssessor``.
    public func assess(
        _ input: AssertionInput, suppliedKey: AssertionKeys.Supplied?, app: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(for: app) {
            (try? AssertionEvidence(input.assertion))?.authenticatorData.rpIDHash
        }
        let keys = try await ledger.asking { (ledger) async throws(LedgerOutage) in
            let identifier = KeyIdentifier.appAttest(input.keyID)
            return AssertionKeys(
                enrolled: try await ledger.enrolledKey(identifier), supplied: suppliedKey,
                durability: ledger.durability,
                blocks: try await ledger.block(onKey: identifier, at: now).map { [$0] } ?? [], cache: keyCache)
        }
        return AssertionAssessor.assess(input, keys: keys, expectations: expectations, now: now)
    }

    /// Looks up the key of a receipt and assesses it; see ``ReceiptAssessor``.
    public func assess(
        _ input: ReceiptInput, app: String?, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(for: app) {
            (try? SignedReceipt(input.receipt[...], authorities: AppAttestTrust.apple.receipts)).map {
                Digest.sha256(Array($0.payload.appID.utf8))[...]
            }
        }
        let enrolled = try await ledger.asking { (ledger) async throws(LedgerOutage) in
            try await ledger.enrolledKey(.appAttest(input.keyID))
        }
        return ReceiptAssessor.assess(input, enrolled: enrolled, expectations: expectations, now: now)
    }

    private func expectations(
        for name: String?, rpIDHash: () -> ArraySlice<UInt8>?
    ) throws(VerificationError) -> AppAttestExpectations {
        try apps.app(name, by: "App ID") { apps in
            guard let hash = rpIDHash() else { return [] }
            return apps.filter { $0.appID(rpIDHash: hash) != nil }
        }
    }
}
