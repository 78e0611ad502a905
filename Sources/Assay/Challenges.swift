public import AssayCore
import AssayPrimitives
public import FoundationEssentials

extension IssuedChallenge {
    /// A challenge from the system's random number generator, valid for `seconds`: 32 bytes, and 16 for
    /// ``EvidenceKind/approovProof``.
    public static func random(
        app: String, for kind: EvidenceKind, validFor seconds: TimeInterval, at now: Date
    ) -> IssuedChallenge {
        var generator = SystemRandomNumberGenerator()
        let length = EngineRegistry.standard.engine(for: kind)?.challengeLength ?? 32
        return IssuedChallenge(
            value: (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, app: app,
            purpose: ChallengePurpose(kind), issuedAt: now, expiresAt: now.addingTimeInterval(seconds))
    }

    /// The challenge for the app: base64url without padding, 43 characters for 32 bytes. The app may hash this text as
    /// UTF-8, or decode it and hash the bytes: the ledger accepts both forms. A nonce of an Approov proof, 22 characters
    /// for 16 bytes, is always decoded.
    public var text: String { Base64.encode(value, .url) }
}

extension Verifier {
    /// The default lifetime of a challenge in seconds, long enough for a slow network.
    public static let challengeLifetime: TimeInterval = 300

    /// Issues a single-use challenge, for policies with `challenge: ledger`, or `proof.nonce: ledger` of Approov.
    ///
    /// - Parameters:
    ///   - kind: the kind of evidence that will carry it, such as ``EvidenceKind/appAttestAttestation``.
    ///   - seconds: its lifetime.
    /// - Returns: the challenge, durable in the ledger; send its ``IssuedChallenge/text`` to the app.
    /// - Throws: ``VerificationError``: `.request` when the policy has no such app, `now` is not finite, or `seconds`
    ///   is not finite and positive; `.outage` when the ledger cannot store it.
    public func issueChallenge(
        app: String, for kind: EvidenceKind, validFor seconds: TimeInterval = challengeLifetime, at now: Date
    ) async throws(VerificationError) -> IssuedChallenge {
        guard policy.apps.contains(where: { $0.name.isByteEqual(to: app) }) else {
            let names = policy.apps.map(\.name).joined(separator: ", ")
            throw .request(RequestError(.unknownApp, "the policy has no app \(app.excerpt); it has \(names)"))
        }
        try Verifier.demandTime(now)
        guard seconds.isFinite, seconds > 0 else {
            throw .request(
                RequestError(.invalidTime, "a challenge is valid for a positive number of seconds, found \(seconds)"))
        }
        let challenge = IssuedChallenge.random(app: app, for: kind, validFor: seconds, at: now)
        do {
            try await ledger.issue(challenge, at: now)
        } catch {
            metrics?.count(.outage(error))
            throw .outage(error)
        }
        metrics?.countIssued(app: app, kind)
        return challenge
    }
}
