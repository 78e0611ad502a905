package import AssayCore
package import FoundationEssentials

/// A service that learns of accepted evidence, after the ledger has committed its effects.
package protocol AcceptanceObserver: EngineService {
    /// The kinds whose verdicts it needs.
    var observedKinds: [EvidenceKind] { get }

    /// Called for each accepting verdict of these kinds, before the verdict is returned. It cannot change the verdict.
    func accepted(_ verdict: Verdict, by verifier: Verifier, at now: Date) async
}

/// A service that works beside the judging of evidence, while a server runs.
package protocol BackgroundService: EngineService {
    /// Works until the task is cancelled.
    ///
    /// - Parameters:
    ///   - verifier: the verifier in force, which changes with the policy.
    ///   - log: takes sentences for operators, without secrets.
    func run(
        _ verifier: @escaping @Sendable () -> Verifier, log: @escaping @Sendable (String) -> Void
    ) async
}
