public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// Assesses App Attest receipts that Apple's server handed out: synchronous and pure, without clock and ledger.
public enum ReceiptAssessor {
    /// How far the clocks of Apple's servers and the verifier may be apart, in seconds: the greatest difference that was
    /// seen in captures is 61.
    package static let clockSkew = 120.0

    /// Runs every check. A receipt changes nothing in the ledger.
    ///
    /// - Parameters:
    ///   - input: the receipt, and the key that it should be about.
    ///   - enrolled: the key that the ledger has under the identifier, when there is one.
    ///   - expectations: what it is held against.
    ///   - now: the time of judgement.
    public static func assess(
        _ input: ReceiptInput, enrolled: EnrolledKey?, expectations: AppAttestExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: ReceiptCheck.catalogue.count)
        let signed = run.decode(ReceiptCheck.decode) { () throws(DecodeError) in
            try SignedReceipt(input.receipt[...], authorities: expectations.trust.receipts)
        }
        var subject: AppAttestSubject?
        if let signed {
            let checks = ReceiptCheck(
                receipt: signed.payload, input: input, enrolled: enrolled, expectations: expectations, now: now)
            _ = run.authenticity(ReceiptCheck.signature) { () throws(CheckFailure) in try signed.verifySignature() }
            _ = run.authenticity(ReceiptCheck.chain) { () throws(CheckFailure) in
                try signed.verifySigner(trust: expectations.trust)
            }
            let appID = run.gate(ReceiptCheck.appID) { () throws(CheckFailure) in try checks.appID() }
            _ = run.gate(ReceiptCheck.publicKey) { () throws(CheckFailure) in try checks.publicKey() }
            run.policy(ReceiptCheck.environment) { () throws(CheckFailure) in try checks.environment() }
            run.policy(ReceiptCheck.freshness) { () throws(CheckFailure) in try checks.freshness() }
            run.policy(ReceiptCheck.riskMetric) { () throws(CheckFailure) in try checks.riskMetric() }
            if run.broken == nil {
                var facts = AppAttestSubject(keyID: input.keyID)
                facts.appID = appID
                facts.environment = signed.payload.environment
                facts.take(signed.payload)
                subject = facts
            }
        } else {
            run.skip(ReceiptCheck.catalogue.dropFirst().map(\.id))
        }
        return Assessment(
            kind: ReceiptCheck.kind, app: expectations.app, checks: run.results, undecided: [], effects: [],
            subject: subject, testAuthority: expectations.trust.testAuthority)
    }
}
