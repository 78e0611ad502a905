package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Assesses Google's answers to standard tokens: a pure function of its arguments.
package enum StandardIntegrityAssessor {
    /// Runs every check that needs no ledger.
    ///
    /// - Returns: The results, and the effects that decide the ledger checks: each token is used only once inside its
    ///   freshness window. The ledger remembers the token if it is known, otherwise the payload.
    package static func assess(
        _ input: StandardIntegrityInput, answer: IntegrityAnswer, expectations: PlayIntegrityExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: PlayIntegrityCheck.standardChecks.count)
        var subject: PlayIntegritySubject?
        var effects: [LedgerEffect] = []
        if let (object, payload) = payload(of: answer, expectations, &run) {
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
            kind: EvidenceKind.playIntegrityStandard, app: expectations.app, checks: run.results,
            ledgerChecks: [PlayIntegrityCheck.challenge], effects: effects, subject: subject, testAuthority: nil)
    }

    private static func digest(_ input: StandardIntegrityInput, _ payload: RecordObject) -> [UInt8] {
        switch input.evidence {
        case .token(let token): StandardDigest.token(token)
        case .decoded: StandardDigest.payload(payload)
        }
    }

    /// Decodes an answer to the payload's object.
    static func decode(_ answer: IntegrityAnswer, _ run: inout CheckRun) -> RecordObject? {
        run.authenticity(PlayIntegrityCheck.decode) { () throws(CheckFailure) in try answer.payload() }
    }

    private static func payload(
        of answer: IntegrityAnswer, _ expectations: PlayIntegrityExpectations, _ run: inout CheckRun
    ) -> (object: RecordObject, payload: PlayIntegrityPayload)? {
        guard let object = decode(answer, &run) else { return nil }
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
