public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// Assesses Google's answers on standard tokens: synchronous and pure, without clock, ledger and network.
public enum StandardIntegrityAssessor {
    /// Runs every check that needs no ledger.
    ///
    /// - Parameters:
    ///   - input: what the app sent, or what is known of it.
    ///   - answer: Google's answer on it.
    ///   - expectations: what it is held against.
    ///   - now: the time of judgement.
    /// - Returns: the results, and the effects by which the ledger decides the rest: each token is used once inside its
    ///   freshness window, by the token when it is known and else by the payload.
    public static func assess(
        _ input: StandardIntegrityInput, answer: IntegrityAnswer, expectations: PlayIntegrityExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: PlayIntegrityCheck.standardChecks.count)
        var subject: PlayIntegritySubject?
        var effects: [LedgerEffect] = []
        if let (object, payload) = decode(answer, expectations, &run) {
            let check = PlayIntegrityCheck(payload: payload, expectations: expectations, now: now)
            _ = run.gate(PlayIntegrityCheck.requestPackage) { () throws(CheckFailure) in
                try check.requestPackage(input.packageName)
            }
            _ = run.gate(PlayIntegrityCheck.requestHash) { () throws(CheckFailure) in
                try check.requestHash(input.requestHash)
            }
            let madeAt = run.gate(PlayIntegrityCheck.freshness) { () throws(CheckFailure) in try check.freshness() }
            _ = run.gate(PlayIntegrityCheck.testingResponse) { () throws(CheckFailure) in
                try check.testingResponse()
            }
            check.runPolicyChecks(&run)
            subject = PlayIntegritySubject(payload: payload, key: nil)
            if let madeAt {
                effects.append(.rememberStandard(digest(input, object), madeAt: madeAt, expectations, at: now))
            }
        } else {
            run.skip(Array(PlayIntegrityCheck.standardChecks.dropFirst(run.results.count)))
        }
        return Assessment(
            kind: PlayIntegrityCheck.standardKind, app: expectations.app, checks: run.results,
            undecided: [PlayIntegrityCheck.challenge], effects: effects, subject: subject, testAuthority: nil)
    }

    private static func digest(_ input: StandardIntegrityInput, _ payload: RecordObject) -> [UInt8] {
        switch input.evidence {
        case .token(let token): StandardDigest.token(token)
        case .decoded: StandardDigest.payload(payload)
        }
    }

    private static func decode(
        _ answer: IntegrityAnswer, _ expectations: PlayIntegrityExpectations, _ run: inout CheckRun
    ) -> (object: RecordObject, payload: PlayIntegrityPayload)? {
        let object = run.authenticity(PlayIntegrityCheck.decode) { () throws(CheckFailure) in try answer.payload() }
        guard let object else { return nil }
        if answer.origin == .supplied {
            run.remark(
                Finding(.answerSupplied, "the answer came with the evidence; nothing shows that Google made it"))
        }
        let payload = run.decode(PlayIntegrityCheck.payload) { () throws(DecodeError) in
            try PlayIntegrityCheck.form(PayloadReader.read(object), in: object, expectations.configuration)
        }
        return payload.map { (object, $0) }
    }
}
