package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Assesses classic tokens: a pure function of its arguments.
package enum ClassicIntegrityAssessor {
    /// Runs every check that needs no ledger.
    ///
    /// - Parameter keys: The keys of the purpose, in any state. Keys of other apps are ignored.
    /// - Returns: The results, and the effects that decide the ledger checks.
    package static func assess(
        _ input: ClassicIntegrityInput, keys: [NamedKey], expectations: PlayIntegrityExpectations, now: Date
    ) -> Assessment {
        assess(
            input, keys: KeySelection(keys, for: expectations.keyClaim, at: now), expectations: expectations, now: now)
    }

    static func assess(
        _ input: ClassicIntegrityInput, keys: KeySelection<PlayIntegrityKeys>, expectations: PlayIntegrityExpectations,
        now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: PlayIntegrityCheck.classicChecks.count + 1)
        var subject: PlayIntegritySubject?
        if let (key, payload) = authenticate(input, keys, expectations, &run) {
            let check = PlayIntegrityCheck(payload: payload, expectations: expectations, now: now)
            _ = run.gate(PlayIntegrityCheck.requestPackage) { () throws(CheckFailure) in
                try check.requestPackage(input.packageName)
            }
            _ = run.gate(PlayIntegrityCheck.nonce) { () throws(CheckFailure) in try check.nonce(input.nonce) }
            _ = run.gate(PlayIntegrityCheck.freshness) { () throws(CheckFailure) in try check.freshness() }
            _ = run.gate(PlayIntegrityCheck.testingResponse) { () throws(CheckFailure) in
                try check.testingResponse()
            }
            check.runPolicyChecks(&run)
            subject = PlayIntegritySubject(payload: payload, key: key)
        } else {
            run.skip(Array(PlayIntegrityCheck.classicChecks.dropFirst(run.results.count)))
        }

        var effects: [LedgerEffect] = []
        var ledgerChecks: [CheckID] = []
        switch expectations.configuration.challenge {
        case .caller: run.add(.skipped(PlayIntegrityCheck.challenge, because: .policy))
        case .ledger:
            ledgerChecks.append(PlayIntegrityCheck.challenge)
            effects.append(.consumeNonce(input.nonce, expectations))
        }
        return Assessment(
            kind: EvidenceKind.playIntegrityClassic, app: expectations.app, catalogue: PlayIntegrityCheck.catalogue,
            checks: run.results,
            ledgerChecks: ledgerChecks, effects: effects, subject: subject, testAuthority: nil)
    }

    /// Decodes the outer form of a token.
    static func decode(_ input: ClassicIntegrityInput, _ run: inout CheckRun) -> CompactJWE? {
        run.decode(PlayIntegrityCheck.decode) { () throws(DecodeError) in
            try ClassicIntegrityToken.decode(input.token)
        }
    }

    /// Runs the gates from text to payload; returns the payload of an authentic token and the name of its key.
    private static func authenticate(
        _ input: ClassicIntegrityInput, _ keys: KeySelection<PlayIntegrityKeys>,
        _ expectations: PlayIntegrityExpectations,
        _ run: inout CheckRun
    ) -> (key: String, payload: PlayIntegrityPayload)? {
        guard let jwe = decode(input, &run) else { return nil }
        let opened = run.authenticity(PlayIntegrityCheck.decryption) { () throws(CheckFailure) in
            try ClassicIntegrityToken.open(jwe, with: keys)
        }
        guard let opened else { return nil }
        run.remark(OpenedWithKey(name: opened.entry.name))
        let jws = run.authenticity(PlayIntegrityCheck.signature) { () throws(CheckFailure) in
            try ClassicIntegrityToken.verify(opened.plaintext, with: opened.entry.material)
        }
        guard let jws else { return nil }
        let payload = run.decode(PlayIntegrityCheck.payload) { () throws(DecodeError) in
            let object = try JSONReader.readObject(jws.payload, limit: InputLimits.joseText)
            return try PlayIntegrityCheck.form(PayloadReader.read(object), in: object, expectations.configuration)
        }
        return payload.map { (opened.entry.name, $0) }
    }
}
