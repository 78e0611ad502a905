package import AssayCore
package import FoundationEssentials

/// Assesses Google's answers to standard tokens: a pure function of its arguments.
package enum StandardIntegrityAssessor {
    /// Runs every check that needs no ledger. Each token is used once inside its freshness window: the ledger remembers the payload,
    /// and the token if it is known, and so refuses the answer of a used token, and the token of a used answer. `source` may vouch for
    /// the answer.
    package static func assess(
        _ input: StandardIntegrityInput, answer: IntegrityAnswer, from source: PlayIntegrityConfiguration.AnswerSource,
        account: AccountStandings = .none, expectations: PlayIntegrityExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: PlayIntegrityCheck.standardChecks.count)
        return assess(
            input, answer: answer, from: source, in: .standard, account: account, expectations: expectations, now: now,
            &run)
    }

    /// Runs the checks of a token. The checks of its frame have already run.
    static func assess(
        _ input: StandardIntegrityInput, answer: IntegrityAnswer, from source: PlayIntegrityConfiguration.AnswerSource,
        in frame: IntegrityFrame, account: AccountStandings, expectations: PlayIntegrityExpectations, now: Date,
        _ run: inout CheckRun
    ) -> Assessment {
        let before = run.results.count
        run.allow(account.standings)
        var subject: PlayIntegritySubject?
        var testAuthority: String?
        var effects: [LedgerEffect] = []
        if let (object, payload) = payload(of: answer, from: source, expectations, &run) {
            let check = PlayIntegrityCheck(payload: payload, expectations: expectations, now: now)
            _ = run.gate(.playIntegrityRequestPackage, try check.requestPackage(input.packageName))
            _ = run.gate(.playIntegrityRequestHash, try check.requestHash(input.requestHash))
            let madeAt = run.gate(.playIntegrityFreshness, try check.freshness())
            _ = run.gate(.playIntegrityTestingResponse, try check.testingResponse())
            testAuthority = check.testAuthority
            check.runPolicyChecks(account, &run)
            subject = PlayIntegritySubject(payload: payload, key: nil, request: frame.facts)
            if let madeAt {
                effects = digests(input, frame.token ?? answer.token, object).map {
                    .rememberStandard($0, madeAt: madeAt, expectations, at: now)
                }
            }
        } else {
            run.skip(Array(PlayIntegrityCheck.standardChecks.dropFirst(run.results.count - before)))
        }
        var ledgerChecks = [CheckID.playIntegrityChallenge]
        switch frame.nonce {
        case .notRequired: break
        case .challenge(let value):
            effects.insert(
                .consumeChallenge(value, .playIntegrityChallenge, frame.kind, app: expectations.app), at: 0)
        case .missing:
            (ledgerChecks, effects) = ([], [])
            _ = run.gate(.playIntegrityChallenge) { () throws(CheckFailure) in
                throw CheckFailure(
                    .signatureNonceMissing, "the signature has no nonce, and the policy says requests.nonce: ledger")
            }
        }
        return Assessment(
            kind: frame.kind, app: expectations.app, catalogue: frame.catalogue, checks: run.results,
            ledgerChecks: ledgerChecks, effects: effects, confirmations: run.confirmations, subject: subject,
            testAuthority: testAuthority, voucher: answer.voucher,
            boundText: frame.kind == .playIntegrityStandard ? input.requestHash : frame.boundText)
    }

    private static func digests(
        _ input: StandardIntegrityInput, _ known: String?, _ payload: RecordObject
    ) -> [[UInt8]] {
        let token: String? =
            switch input.evidence {
            case .token(let token): token
            case .decoded: known
            }
        return (token.map { [StandardDigest.token($0)] } ?? []) + [StandardDigest.payload(payload)]
    }

    /// Decodes an answer up to the payload's object. Adds a remark if the caller vouches for the answer.
    static func decode(
        _ answer: IntegrityAnswer, from source: PlayIntegrityConfiguration.AnswerSource, _ run: inout CheckRun
    ) -> RecordObject? {
        let object = run.authenticity(.playIntegrityDecode) { () throws(CheckFailure) in
            guard source == .caller || answer.origin == .decoder else {
                throw CheckFailure(
                    .answerByCaller,
                    "the evidence brings the answer of the decode call, and only answers that this verifier gets from Google "
                        + "are taken; send the token in its place, or set answers: caller in the policy's playIntegrity if "
                        + "your own backend asked Google")
            }
            return try answer.payload()
        }
        if object != nil, answer.origin == .supplied {
            run.remark(
                Finding(.answerSupplied, "the answer came with the evidence; nothing shows that Google made it"))
        }
        return object
    }

    static func read(
        _ object: RecordObject, _ expectations: PlayIntegrityExpectations, _ run: inout CheckRun
    ) -> PlayIntegrityPayload? {
        run.decode(.playIntegrityPayload) { () throws(DecodeError) in
            try PlayIntegrityCheck.form(PayloadReader.read(object), in: object, expectations.configuration)
        }
    }

    private static func payload(
        of answer: IntegrityAnswer, from source: PlayIntegrityConfiguration.AnswerSource,
        _ expectations: PlayIntegrityExpectations, _ run: inout CheckRun
    ) -> (object: RecordObject, payload: PlayIntegrityPayload)? {
        guard let object = decode(answer, from: source, &run) else { return nil }
        return read(object, expectations, &run).map { (object, $0) }
    }
}

/// The form in which the server receives a standard token: by itself, or as the signature of a request.
struct IntegrityFrame: Sendable {
    /// The challenge that a signature carries.
    enum Nonce: Sendable {
        /// The policy requires none.
        case notRequired
        /// The ledger must have issued it.
        case challenge([UInt8])
        /// There is none.
        case missing
    }

    let kind: EvidenceKind
    let catalogue: [CheckDefinition]
    /// The token, if the answer may come without it.
    let token: String?
    let nonce: Nonce
    let facts: MessageFacts?
    /// The nonce of a request that need be no challenge; nil for a token by itself, which covers its request hash.
    var boundText: String?

    static let standard = IntegrityFrame(
        kind: .playIntegrityStandard, catalogue: PlayIntegrityCheck.catalogue, token: nil, nonce: .notRequired,
        facts: nil)
}
