package import AssayCore
package import FoundationEssentials

/// Assesses App Attest receipts from Apple's server: a pure function of its arguments.
package enum ReceiptAssessor {
    /// The allowed clock difference to Apple's servers, in seconds. The greatest difference in captures is 61 seconds.
    package static let clockSkew = 120.0

    /// Runs every check. A receipt changes nothing in the ledger. `enrolled` is the ledger's key, if it has one.
    package static func assess(
        _ input: ReceiptInput, enrolled: EnrolledKey?, expectations: AppAttestExpectations, now: Date
    ) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: ReceiptCheck.catalogue.count)
        let signed = decode(input, expectations.trust, &run)
        return assess(signed, of: input, enrolled, expectations, now, &run)
    }

    /// Decodes a receipt. `trust` only caches certificates and does not affect the result.
    static func decode(_ input: ReceiptInput, _ trust: AppAttestTrust, _ run: inout CheckRun) -> SignedReceipt? {
        run.decode(.appAttestReceiptDecode) { () throws(DecodeError) in
            try SignedReceipt(input.receipt[...], authorities: trust.receipts)
        }
    }

    /// Runs every check after decoding. The run skips them if the receipt is nil.
    static func assess(
        _ signed: SignedReceipt?, of input: ReceiptInput, _ enrolled: EnrolledKey?,
        _ expectations: AppAttestExpectations, _ now: Date, _ run: inout CheckRun
    ) -> Assessment {
        var subject: AppAttestSubject?
        if let signed {
            let checks = ReceiptCheck(
                receipt: signed.payload, input: input, enrolled: enrolled, expectations: expectations, now: now)
            _ = run.authenticity(.appAttestReceiptSignature, try signed.verifySignature())
            _ = run.authenticity(.appAttestReceiptChain, try signed.verifySigner(trust: expectations.trust))
            let appID = run.gate(.appAttestReceiptAppID, try checks.appID())
            _ = run.gate(.appAttestReceiptPublicKey, try checks.publicKey())
            run.policy(.appAttestReceiptEnvironment, try checks.environment())
            run.policy(.appAttestReceiptFreshness, try checks.freshness())
            run.policy(.appAttestReceiptRiskMetric, try checks.riskMetric())
            if run.failedAuthenticity == nil {
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
            kind: EvidenceKind.appAttestReceipt, app: expectations.app, catalogue: ReceiptCheck.catalogue,
            checks: run.results, ledgerChecks: [],
            effects: [],
            subject: subject, testAuthority: expectations.trust.testAuthority)
    }
}
