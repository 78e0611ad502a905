package import AssayCore
import AssayInspection
package import FoundationEssentials

/// Judges Play Integrity evidence: classic tokens, decrypted with the app's keys, and standard ones, decoded by Google.
package struct PlayIntegrityEngine: InspectableEngine {
    /// The policy's section for Play Integrity.
    package typealias Configuration = PlayIntegrityConfiguration

    /// The kinds of evidence that the engine judges.
    package static let kinds = [EvidenceKind.playIntegrityClassic, EvidenceKind.playIntegrityStandard]
    /// Every check of the engine, in the declared order.
    package static let catalogue = PlayIntegrityCheck.catalogue
    /// The key types that the engine uses.
    package static let keyMaterials: [any KeyMaterial.Type] = [PlayIntegrityKeys.self]
    /// Classic tokens carry a ledger challenge as their nonce.
    package static let challengeKinds = [EvidenceKind.playIntegrityClassic]

    private let apps: EngineApps<PlayIntegrityExpectations>
    private let keys: any KeyStore
    private let decoder: (any IntegrityTokenDecoder)?

    /// Creates an engine for a policy, the keys of a store and, for standard tokens, a decoder service.
    package init(policy: VerificationPolicy, resources: EngineResources) {
        apps = EngineApps(policy)
        keys = resources.keys
        decoder = resources.services.lazy.compactMap { $0 as? any IntegrityTokenDecoder }.first
    }

    /// Assesses a record: looks up keys or asks Google, and runs the checks. Commits nothing.
    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        switch record.kind {
        case EvidenceKind.playIntegrityClassic:
            let input = try record.reading(ClassicIntegrityInput.init)
            return try await assess(input, app: record.app, at: now)
        case EvidenceKind.playIntegrityStandard:
            let input = try record.reading(StandardIntegrityInput.init)
            return try await assess(input, app: record.app, at: now)
        default:
            throw .request(RequestError(.unknownKind, "\(record.kind) is no kind of Play Integrity evidence"))
        }
    }

    /// Looks up the keys for a classic token and assesses it; see ``ClassicIntegrityAssessor``.
    package func assess(
        _ input: ClassicIntegrityInput, app: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations: PlayIntegrityExpectations
        do { expectations = try self.app(app, packageName: input.packageName) } catch {
            return try undecodable(EvidenceKind.playIntegrityClassic, PlayIntegrityCheck.classicChecks, or: error) {
                run in
                ClassicIntegrityAssessor.decode(input, &run) != nil
            }
        }
        let selection: KeySelection<PlayIntegrityKeys> = try await keys.selection(for: expectations.keyClaim, at: now)
        return ClassicIntegrityAssessor.assess(input, keys: selection, expectations: expectations, now: now)
    }

    /// Gets a standard token's answer from Google unless known, and assesses it; see ``StandardIntegrityAssessor``.
    package func assess(
        _ input: StandardIntegrityInput, app: String?, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let expectations: PlayIntegrityExpectations
        do { expectations = try self.app(app, packageName: input.packageName) } catch {
            return try undecodable(EvidenceKind.playIntegrityStandard, PlayIntegrityCheck.standardChecks, or: error) {
                run in
                guard let answer = answerWithoutGoogle(input) else { return true }
                return StandardIntegrityAssessor.decode(answer, from: .caller, &run) != nil
            }
        }
        let answer: IntegrityAnswer
        switch input.evidence {
        case .decoded(let supplied): answer = supplied
        case .token(let token): answer = try await decode(token, expectations.configuration)
        }
        return StandardIntegrityAssessor.assess(
            input, answer: answer, from: answerSource(expectations.configuration), expectations: expectations, now: now)
    }

    /// Who vouches for answers: what the policy says. Without a word in it, Google if the verifier can ask it, since every
    /// token can then be sent there; otherwise the caller, since only captured answers can be judged.
    private func answerSource(
        _ configuration: PlayIntegrityConfiguration
    ) -> PlayIntegrityConfiguration.AnswerSource {
        configuration.answers ?? (decoder == nil ? .caller : .google)
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
            return try await decoder.answer(
                on: token, packageName: configuration.packageName, form: configuration.platform)
        } catch {
            throw .outage(error)
        }
    }

    /// The answer to a standard token if it is known without asking Google.
    private func answerWithoutGoogle(_ input: StandardIntegrityInput) -> IntegrityAnswer? {
        switch input.evidence {
        case .decoded(let answer): answer
        case .token(let token): decoder == nil ? nil : IntegrityAnswer(ofUnsendable: token)
        }
    }

    /// Rejects undecodable evidence that does not name the package of exactly one app. Decoding does not depend on the
    /// app, so every app would reject it.
    ///
    /// - Parameter decodes: Runs the decode check; true if the evidence may be decodable.
    /// - Throws: `error` for any other evidence.
    private func undecodable(
        _ kind: EvidenceKind, _ checks: [CheckID], or error: VerificationError, _ decodes: (inout CheckRun) -> Bool
    ) throws(VerificationError) -> Assessment {
        guard case .request(let request) = error, request.reason == .ambiguousApp else { throw error }
        var run = CheckRun(modes: .strict, capacity: checks.count + 1)
        if decodes(&run) { throw error }
        return Assessment(undecodable: kind, &run, catalogue: Self.catalogue, skipping: checks.dropFirst() + [PlayIntegrityCheck.challenge])
    }

    private func app(
        _ name: String?, packageName: String
    ) throws(VerificationError) -> PlayIntegrityExpectations {
        if let app = try apps.app(name) { return app }
        return try apps.app(by: "package name") { $0.configuration.packageName.isByteEqual(to: packageName) }
    }
}
