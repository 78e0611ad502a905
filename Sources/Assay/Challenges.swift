public import AssayCore
import AssayPrimitives
public import FoundationEssentials

extension IssuedChallenge {
    /// A challenge from the system's random number generator, valid for `seconds`: 33 bytes, and 16 for
    /// ``EvidenceKind/approovProof``.
    public static func random(
        app: String, for kind: EvidenceKind, validFor seconds: TimeInterval, at now: Date
    ) -> IssuedChallenge {
        var generator = SystemRandomNumberGenerator()
        let length = EngineRegistry.standard.engine(for: kind)?.challengeLength ?? LedgerChallenge.length
        return IssuedChallenge(
            value: (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, app: app,
            purpose: ChallengePurpose(kind), issuedAt: now, expiresAt: now.addingTimeInterval(seconds))
    }

    /// The challenge for the app: base64url without padding, 44 characters for 33 bytes. The app may hash this text as
    /// UTF-8, or decode it and hash the bytes: the ledger accepts both forms. A nonce of an Approov proof, 22 characters
    /// for 16 bytes, is always decoded.
    public var text: String { Base64.encode(value, .url) }
}

extension Verifier {
    /// The default lifetime of a challenge in seconds, long enough for a slow network.
    public static let challengeLifetime: TimeInterval = 300
    /// The lifetimes that a challenge may have, in seconds: a second to a day. The ledger keeps each that long, and an hour more.
    public static let challengeLifetimes: ClosedRange<TimeInterval> = 1...86_400

    /// Issues a single-use challenge, for policies with `challenge: ledger`, or `proof.nonce: ledger` of Approov.
    ///
    /// - Parameters:
    ///   - kind: the kind of evidence that will carry it, such as ``EvidenceKind/appAttestAttestation``.
    ///   - seconds: its lifetime, one of ``challengeLifetimes``.
    /// - Returns: the challenge, durable in the ledger; send its ``IssuedChallenge/text`` to the app.
    /// - Throws: ``VerificationError``: `.request` when no evidence of the kind carries a challenge, the policy has no such app,
    ///   the app has no section for the kind, `now` is not finite, or the lifetime is another; `.outage` when the ledger cannot
    ///   store it.
    public func issueChallenge(
        app: String, for kind: EvidenceKind, validFor seconds: TimeInterval = challengeLifetime, at now: Date
    ) async throws(VerificationError) -> IssuedChallenge {
        _ = try leavesChallengesToCaller(of: kind, app: app)
        try Verifier.requireTime(now)
        guard Self.challengeLifetimes.contains(seconds) else {
            throw .request(
                RequestError(.invalidTime, "a challenge is valid for 1 to 86400 seconds, found \(seconds)"))
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

    /// Whether the policy of an app leaves the challenges of a kind to the caller, so that no ledger consumes one.
    ///
    /// - Throws: `.request` when no evidence of the kind carries a challenge, or the policy has no app with such evidence.
    package func leavesChallengesToCaller(
        of kind: EvidenceKind, app name: String
    ) throws(VerificationError) -> Bool {
        let kinds = engines.registry.challengeKinds
        guard kinds.contains(kind) else {
            throw .request(
                RequestError(
                    .unknownKind,
                    "challenges are for \(kinds.map(\.name).joined(separator: ", ")), found \(kind.name.excerpt)"))
        }
        guard let app = policy.apps.first(where: { $0.name.isByteEqual(to: name) }) else {
            let names = policy.apps.map(\.name).joined(separator: ", ")
            throw .request(RequestError(.unknownApp, "the policy has no app \(name.excerpt); it has \(names)"))
        }
        guard let isCallers = engines.registry.engine(for: kind)?.leavesChallengesToCaller(of: kind, in: app) else {
            throw .request(
                RequestError(
                    .unknownApp, "app \(name.excerpt) of the policy accepts no evidence of kind \(kind.name)"))
        }
        return isCallers
    }
}
