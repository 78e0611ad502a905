import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// Judges submissions and checks the guarantees of verdicts.
struct EngineBench: Sendable {
    private let verifier: Verifier
    /// The initial content of the ledger.
    private let challenges: [IssuedChallenge]
    private let effects: [LedgerEffect]
    /// The checks of every verdict, in their order.
    private let checks: [CheckID]
    /// The verdict on the genuine evidence.
    let genuine: String
    private let isSingleUse: Bool

    private static let definitions = Dictionary(
        uniqueKeysWithValues: Verifier.catalogue.map { ($0.id, $0.kind) })
    private static let positions = Dictionary(
        uniqueKeysWithValues: Verifier.catalogue.enumerated().map { ($1.id, $0) })

    /// Prepares to judge edited evidence.
    ///
    /// - Parameter isSingleUse: whether the same evidence is accepted only once.
    init(
        _ verifier: Verifier, genuine: Submission, challenges: [IssuedChallenge] = [], effects: [LedgerEffect] = [],
        isSingleUse: Bool
    ) {
        self.verifier = verifier
        self.challenges = challenges
        self.effects = effects
        self.isSingleUse = isSingleUse
        let answer = EngineBench.answers(verifier, challenges, effects, genuine, count: 1)[0]
        guard case .success(let verdict) = answer, verdict.outcome == .accept else {
            FuzzTarget.broken("genuine evidence is refused: \(answer.map { $0.json(id: nil) })")
        }
        checks = verdict.checks.map(\.check)
        self.genuine = verdict.json(id: nil)
        let order = checks.map { EngineBench.positions[$0] }
        guard zip(order, order.dropFirst()).allSatisfy({ ($0 ?? .max) < ($1 ?? -1) }) else {
            FuzzTarget.broken("the checks are not in the order of the catalogue: \(checks)")
        }
    }

    /// Judges a submission, and ends the process if a rule is broken.
    ///
    /// - Parameters:
    ///   - input: the fuzzer's input. It may contain a secret that the fuzzer has seen in a comparison; such a secret
    ///     may occur in the verdict.
    ///   - isThorough: whether to judge twice and to check the written verdict, which takes as long as judging.
    func judge(_ submission: Submission, of input: [UInt8], isThorough: Bool) {
        guard let verdict = verdict(of: submission, isThorough: isThorough) else { return }
        checkShape(of: verdict)
        guard isThorough || verdict.outcome == .accept else { return }
        let json = verdict.json(id: nil)
        if verdict.outcome == .accept {
            if let objection = submission.objection { FuzzTarget.broken("accepted, though \(objection): \(json)") }
            if submission.isAsGenuine, json != genuine {
                FuzzTarget.broken("what no check looks at has changed the verdict from \(genuine) to \(json)")
            }
        }
        let bytes = Array(json.utf8)
        let secrets = submission.mayShowMeasurements ? EngineKeys.secrets : EngineKeys.secrets + EngineKeys.measured
        if let secret = secrets.first(where: { $0.comesOut(in: bytes, of: input) }) {
            FuzzTarget.broken("the verdict shows \(secret.name)")
        }
        guard isThorough else { return }
        do {
            _ = try JSONReader.readObject(bytes, limit: 1 << 22)
        } catch {
            FuzzTarget.broken("the verdict is no JSON: \(error): \(json)")
        }
    }

    private func verdict(of submission: Submission, isThorough: Bool) -> Verdict? {
        switch answers(submission, count: 1)[0] {
        case .failure(.record) where submission.mayBeUnreadable: return nil
        case .failure(let error): FuzzTarget.broken("evidence is answered with an error of the server: \(error)")
        case .success(let verdict):
            if verdict.outcome == .accept || isThorough {
                let answers = answers(submission, count: 2)
                guard case .success(let again) = answers[0], again.json(id: nil) == verdict.json(id: nil) else {
                    FuzzTarget.broken("the second answer is another: \(verdict.json(id: nil)), then \(answers[0])")
                }
                if case .success(let replayed) = answers[1], replayed.outcome == .accept, isSingleUse {
                    FuzzTarget.broken("accepted twice with one ledger: \(replayed.json(id: nil))")
                }
            }
            return verdict
        }
    }

    private func answers(_ submission: Submission, count: Int) -> [Result<Verdict, VerificationError>] {
        EngineBench.answers(verifier, challenges, effects, submission, count: count)
    }

    /// The results of judging a submission `count` times with one new ledger.
    private static func answers(
        _ verifier: Verifier, _ challenges: [IssuedChallenge], _ effects: [LedgerEffect], _ submission: Submission,
        count: Int
    ) -> [Result<Verdict, VerificationError>] {
        Blocking.wait {
            let ledger = MemoryLedger()
            var answers: [Result<Verdict, VerificationError>] = []
            do throws(LedgerOutage) {
                for challenge in challenges { try await ledger.issue(challenge, at: challenge.issuedAt) }
                if !effects.isEmpty { _ = try await ledger.commit(effects, at: submission.now) }
            } catch {
                FuzzTarget.broken("the ledger cannot be prepared: \(error)")
            }
            for _ in 0..<count {
                do throws(VerificationError) {
                    let assessment = try await verifier.assess(submission.record, ledger: ledger, at: submission.now)
                    answers.append(.success(try await assessment.verdict(committingTo: ledger, at: submission.now)))
                } catch {
                    answers.append(.failure(error))
                }
            }
            return answers
        }
    }

    /// Every check has one result, in the declared order. A check skipped because of another one comes after it, and
    /// that one failed. Only policy checks are annotated. The outcome follows from the results.
    private func checkShape(of verdict: Verdict) {
        guard verdict.checks.map(\.check) == checks else {
            FuzzTarget.broken("other checks than declared: \(verdict.json(id: nil))")
        }
        var failed: [CheckID] = []
        var hasPassed = false
        for result in verdict.checks {
            switch result.status {
            case .passed: hasPassed = true
            case .failed: failed.append(result.check)
            case .annotated:
                switch EngineBench.definitions[result.check] {
                case .policy, .signal: break
                default: FuzzTarget.broken("\(result.check) is a gate and only noted: \(verdict.json(id: nil))")
                }
            case .skipped:
                guard case .check(let cause) = result.because else { continue }
                guard failed.contains(cause) else {
                    FuzzTarget.broken("\(result.check) is skipped without cause: \(verdict.json(id: nil))")
                }
            }
            guard (result.status == .skipped) == (result.because != nil) else {
                FuzzTarget.broken("\(result.check) has a reason that does not fit: \(verdict.json(id: nil))")
            }
        }
        guard (verdict.outcome == .accept) == (failed.isEmpty && hasPassed) else {
            FuzzTarget.broken("the outcome does not follow from the checks: \(verdict.json(id: nil))")
        }
    }
}
