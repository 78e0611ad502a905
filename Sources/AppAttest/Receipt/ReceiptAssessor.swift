public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// A receipt to be verified, as Apple's server handed it out.
public struct ReceiptInput: Sendable {
    /// The key identifier, 32 bytes.
    public let keyID: [UInt8]
    /// The receipt: a CMS message, decoded from base64.
    public let receipt: [UInt8]

    /// Composes the input of a verification.
    ///
    /// - Parameters:
    ///   - keyID: the key identifier of the key for which the receipt was asked, decoded from base64.
    ///   - receipt: the body of the answer of Apple's server, decoded from base64.
    public init(keyID: some Sequence<UInt8>, receipt: some Sequence<UInt8>) {
        self.keyID = Array(keyID)
        self.receipt = Array(receipt)
    }
}

/// Assesses App Attest receipts that Apple's server handed out: synchronous and pure, without clock and ledger.
public enum ReceiptAssessor {
    /// How far the clocks of Apple's servers and the verifier may be apart, in seconds: the greatest difference that was
    /// seen in captures is 61.
    static let clockSkew = 120.0

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
            let checks = ReceiptChecks(
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

/// What must hold of a receipt that Apple's server handed out, each check in a function of its own.
private struct ReceiptChecks {
    let receipt: Receipt
    let input: ReceiptInput
    let enrolled: EnrolledKey?
    let expectations: AppAttestExpectations
    let now: Date

    private var configuration: AppAttestConfiguration { expectations.configuration }

    /// Field 2 is one of the policy's App IDs, and the one for which the key was enrolled.
    func appID() throws(CheckFailure) -> String {
        let found = receipt.appID
        guard configuration.appIDs.contains(found) else {
            throw SharedChecks.appIDNotAllowed(configuration.appIDs)
        }
        if let enrolled = enrolled?.properties[EnrolledProperty.appID], enrolled != found {
            throw CheckFailure("app-id-differs", "the receipt is for \(found), the key was enrolled for \(enrolled)")
        }
        return found
    }

    /// Field 3 certifies the key whose hash is the key identifier.
    func publicKey() throws(CheckFailure) {
        let point: [UInt8]
        do {
            point = try Certificate(der: receipt.attestedCertificate).publicKey().x963Representation
        } catch {
            throw CheckFailure("certificate-malformed", "field 3: \(error.detail)")
        }
        guard Digest.sha256(point) == input.keyID else {
            throw CheckFailure(
                "key-id-differs", "field 3 certifies another key than the one that the key identifier names")
        }
        guard enrolled == nil || enrolled?.publicKey == point else {
            throw CheckFailure("key-differs", "field 3 certifies another key than the enrolled one")
        }
    }

    /// Field 7 is an allowed environment, and the one in which the key was enrolled.
    func environment() throws(CheckFailure) -> PolicyAnswer {
        guard let environment = receipt.environment else {
            return .notApplicable(Finding("environment-missing", "the receipt has no field 7"))
        }
        try SharedChecks.environment(environment, in: configuration)
        if let enrolled = enrolled?.properties[EnrolledProperty.environment], enrolled != environment.rawValue {
            throw CheckFailure(
                "environment-differs",
                "the receipt is of environment \(environment.rawValue), the key was enrolled in \(enrolled)")
        }
        return .holds
    }

    /// Field 12 lies at most so far back as the policy says, and field 21 has not passed.
    func freshness() throws(CheckFailure) -> PolicyAnswer {
        let (created, expires) = (receipt.creationTime, receipt.expirationTime)
        guard now <= expires else {
            throw CheckFailure("receipt-expired", "the receipt expired at \(RFC3339.format(expires))")
        }
        let age = now.timeIntervalSince(created)
        guard age <= configuration.receipt.maximumAge else {
            let maximum = configuration.receipt.maximumAge
            throw CheckFailure(
                "receipt-too-old",
                "made at \(RFC3339.format(created)), \(Int64(age)) s before the time of judgement; \(Int64(maximum)) s "
                    + "are allowed")
        }
        guard age >= -ReceiptAssessor.clockSkew else {
            throw CheckFailure(
                "receipt-from-the-future", "made at \(RFC3339.format(created)), after the time of judgement")
        }
        return .holds
    }

    /// Field 17 is at most the policy's maximum.
    func riskMetric() throws(CheckFailure) -> PolicyAnswer {
        guard let maximum = configuration.receipt.maximumRiskMetric else { return .notAsked }
        guard let metric = receipt.riskMetric else {
            throw CheckFailure(
                "risk-metric-missing",
                "the receipt is of type \(receipt.type.rawValue) and has no risk metric; refresh it to get one")
        }
        guard metric <= maximum else {
            throw CheckFailure("risk-metric-too-high", "risk metric \(metric), at most \(maximum) is allowed")
        }
        return .holds
    }
}
