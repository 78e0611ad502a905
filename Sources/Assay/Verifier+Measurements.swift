public import Approov
public import AssayCore
public import FoundationEssentials

/// The answer to a request for a measurement token.
@nonexhaustive
public enum MeasurementAnswer: Sendable {
    /// The evidence was accepted: the measurement token, a compact JWE, and when it expires.
    case sealed(String, expiresAt: Date?, Verdict)
    /// The evidence was rejected.
    case rejected(Verdict)
}

extension Verifier {
    /// Judges Approov evidence whose token carries measurements, and seals them for offline hardware (Approov, Offline Security Mode,
    /// Backend Integration). Acceptance has the effects that the evidence alone has.
    ///
    /// - Parameters:
    ///   - record: evidence of a kind of Approov with a token.
    ///   - hardware: the key for which the measurements are sealed; nil for `proof.hardware` of the policy.
    /// - Throws: ``VerificationError`` as ``verify(_:at:)`` does; also `.request` for evidence without measurements, for a signed
    ///   token under `proof.tokens: encrypted`, and unless exactly one of policy and request names the key. Nothing is used up then.
    public func sealMeasurements(
        of record: EvidenceRecord, for hardware: MeasurementToken.PublicKey?, at now: Date
    ) async throws(VerificationError) -> MeasurementAnswer {
        try Verifier.require(now, record.account)
        var sealed: (text: String, expiresAt: Date?)?
        let verdict = try await verify(at: now, hasDeviceCheck: true) { () async throws(VerificationError) in
            let assessment = try await assess(record, ledger: ledger, at: now)
            guard assessment.isAcceptable else { return assessment }
            let rules = policy.apps.first { $0.name.isByteEqual(to: assessment.app ?? "") }?.configuration(
                ApproovConfiguration.self)?.proof
            do throws(RequestError) { sealed = try assessment.sealMeasurements(rules, hardware, at: now) } catch {
                throw .request(error)
            }
            return assessment
        }
        // The ledger can still refuse the evidence.
        guard verdict.outcome == .accept, let sealed else { return .rejected(verdict) }
        return .sealed(sealed.text, expiresAt: sealed.expiresAt, verdict)
    }
}

extension Assessment {
    /// The measurements of acceptable evidence, sealed for the hardware.
    fileprivate func sealMeasurements(
        _ rules: ProofRules?, _ hardware: MeasurementToken.PublicKey?, at now: Date
    ) throws(RequestError) -> (text: String, expiresAt: Date?) {
        guard let rules, let subject = subject as? ApproovSubject else {
            throw RequestError(
                .notExchangeable, "\(kind) has no measurements: send the record of an Approov token that carries them")
        }
        guard let claims = subject.claims,
            let token = MeasurementToken(claims, validFor: rules.life, at: now)
        else {
            throw RequestError(
                .notExchangeable, "the token carries no measurements; was it asked for with ?measurement")
        }
        guard rules.tokens == .any || subject.form == "jwe" else {
            throw RequestError(
                .notExchangeable,
                "the token with the measurements is only signed, and the policy demands an encrypted one: each reader of the "
                    + "token has the key of proofs")
        }
        let key = try Self.hardware(rules, hardware)
        do throws(DecodeError) {
            return (try token.sealed(for: key), token.expiresAt)
        } catch {
            throw RequestError(.notExchangeable, "the measurements cannot be sealed: \(error.message)")
        }
    }

    /// The hardware's key: a caller must not have measurements sealed for a key of its own where the policy names one.
    private static func hardware(
        _ rules: ProofRules, _ named: MeasurementToken.PublicKey?
    ) throws(RequestError) -> MeasurementToken.PublicKey {
        let own: MeasurementToken.PublicKey?
        do throws(KeyError) {
            own = try rules.hardware.map { (text) throws(KeyError) in try MeasurementToken.PublicKey(text: text) }
        } catch {
            throw RequestError(.notExchangeable, "proof.hardware of the policy: \(error.message)")
        }
        switch (own, named) {
        case (let key?, nil), (nil, let key?): return key
        case (nil, nil):
            throw RequestError(
                .notExchangeable,
                "neither the request nor proof.hardware of the policy names the public key of the hardware")
        case (.some, .some):
            throw RequestError(
                .notExchangeable, "the policy names the public key of the hardware, proof.hardware: leave the key out")
        }
    }
}
