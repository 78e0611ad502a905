public import AssayCore
public import AssayInspection
public import FoundationEssentials

/// Judges the evidence of Google's Play Integrity: classic tokens, which are opened here, and standard ones, which Google
/// opens.
public struct PlayIntegrityEngine: InspectableEngine {
    /// The policy's section for Play Integrity.
    public typealias Configuration = PlayIntegrityConfiguration

    /// The kinds of evidence that the engine judges.
    public static let kinds = [PlayIntegrityCheck.classicKind, PlayIntegrityCheck.standardKind]
    /// Every check of the engine, in the declared order.
    public static let catalogue = PlayIntegrityCheck.catalogue
    /// The types of keys that the engine judges with.
    public static let keyMaterials: [any KeyMaterial.Type] = [PlayIntegrityKeys.self]
    /// Classic tokens carry a challenge of the ledger as their nonce.
    public static let challengeKinds = [PlayIntegrityCheck.classicKind]

    private let apps: EngineApps<PlayIntegrityExpectations>
    private let keys: any KeyStore
    private let decoder: (any IntegrityTokenDecoder)?

    /// Prepares to judge under a policy, with the keys of a store and, for standard tokens, a service that has Google
    /// decode them.
    public init(policy: Policy, resources: EngineResources) {
        apps = EngineApps(policy)
        keys = resources.keys
        decoder = resources.services.lazy.compactMap { $0 as? any IntegrityTokenDecoder }.first
    }

    /// Assesses a record: looks up keys or asks Google, and runs the checks. Nothing is committed.
    public func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case PlayIntegrityCheck.classicKind:
            let input = try record.reading(ClassicIntegrityInput.init)
            return try await assess(input, app: record.app, at: now)
        case PlayIntegrityCheck.standardKind:
            let input = try record.reading(StandardIntegrityInput.init)
            return try await assess(input, app: record.app, at: now)
        default:
            throw .request(RequestError(.unknownKind, "\(record.kind) is no kind of Play Integrity evidence"))
        }
    }

    /// Looks up the keys of a classic token's app and assesses it; see ``ClassicIntegrityAssessor``.
    public func assess(
        _ input: ClassicIntegrityInput, app: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(for: app, packageName: input.packageName)
        let named: [NamedKey]
        do {
            named = try await keys.keys(for: PlayIntegrityKeys.purpose)
        } catch {
            throw .outage(error)
        }
        let selection = KeySelection<PlayIntegrityKeys>(named, for: expectations.keyClaim, at: now)
        guard !selection.live.isEmpty else {
            throw .request(KeySelection<PlayIntegrityKeys>.absence(of: named, for: expectations.keyClaim, at: now))
        }
        return ClassicIntegrityAssessor.assess(input, keys: selection, expectations: expectations, now: now)
    }

    /// Has a standard token decoded unless its answer is there, and assesses it; see ``StandardIntegrityAssessor``.
    public func assess(
        _ input: StandardIntegrityInput, app: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations = try expectations(for: app, packageName: input.packageName)
        let answer: IntegrityAnswer
        switch input.evidence {
        case .decoded(let supplied): answer = supplied
        case .token(let token): answer = try await decode(token, expectations.configuration)
        }
        return StandardIntegrityAssessor.assess(input, answer: answer, expectations: expectations, now: now)
    }

    private func decode(
        _ token: String, _ configuration: PlayIntegrityConfiguration
    ) async throws(VerificationError) -> IntegrityAnswer {
        guard let decoder else {
            throw .request(
                RequestError(
                    .noService,
                    "only Google can open a standard token, and there is no service that asks it; give the answer of the "
                        + "decode call as decoded, or the verifier a client of Google's servers"))
        }
        do {
            try IntegrityTokenText.check(token)
        } catch {
            return IntegrityAnswer(unsendable: error)
        }
        do {
            return IntegrityAnswer(
                decoderBody: try await decoder.decode(
                    token: token, packageName: configuration.packageName, form: configuration.platform))
        } catch {
            throw .outage(error)
        }
    }

    private func expectations(
        for name: String?, packageName: String
    ) throws(VerificationError) -> PlayIntegrityExpectations {
        try apps.app(name, by: "package name") { apps in
            apps.filter { $0.configuration.packageName.isByteEqual(to: packageName) }
        }
    }
}
