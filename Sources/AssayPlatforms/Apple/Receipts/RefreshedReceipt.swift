import AppAttest
import Assay
package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// A receipt of an enrolled key, verified to be kept and to be exchanged at Apple's server.
package struct RefreshableReceipt: Sendable, Equatable {
    /// The receipt: a CMS message.
    let bytes: [UInt8]
    /// The environment of the App Attest service, which decides which server exchanges it.
    let environment: AttestEnvironment
    /// Field 12.
    let createdAt: Date
    /// Field 17; nil in the receipt of an attestation.
    let riskMetric: Int?
    /// Field 19; nil in the receipt of an attestation.
    let notBefore: Date?
    /// Field 21.
    let expiresAt: Date

    /// Describes a receipt that was verified.
    package init(
        bytes: [UInt8], environment: AttestEnvironment, createdAt: Date, riskMetric: Int?, notBefore: Date?,
        expiresAt: Date
    ) {
        (self.bytes, self.environment, self.createdAt) = (bytes, environment, createdAt)
        (self.riskMetric, self.notBefore, self.expiresAt) = (riskMetric, notBefore, expiresAt)
    }
}

/// Why a receipt is not kept.
struct ReceiptRefusal: Error, Sendable, CustomStringConvertible {
    /// A code in kebab case.
    let code: String
    /// One sentence, without the receipt.
    let message: String

    fileprivate init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { "\(code): \(message)" }
}

extension Verifier {
    /// The greatest age of a receipt that Apple's server has just issued, in seconds (Apple, Assessing fraud risk).
    private static let greatestReceiptAge = 300.0

    /// Whether the policy keeps the receipts of an app, and how; nil if it does not, or has no such app.
    func keepingReceipts(of app: String) -> AppAttestConfiguration.ReceiptKeeping? {
        appAttest.expectations(app)?.configuration.receipt.keep
    }

    /// Verifies the receipt of an accepted attestation, to keep it. Nil if the policy keeps none.
    func receipt(_ bytes: [UInt8], of key: EnrolledKey) throws(ReceiptRefusal) -> RefreshableReceipt? {
        guard let expectations = appAttest.expectations(key.app), expectations.configuration.receipt.keep != nil else {
            return nil
        }
        return try RefreshableReceipt(verifying: bytes, of: key, expectations)
    }

    /// Verifies a receipt that Apple's server issued in exchange for a stored one: for this app and this key, within the last five
    /// minutes, and later than the one that was sent. It is no judgement by policy: a great risk metric is a result.
    func refreshedReceipt(
        _ bytes: [UInt8], of key: EnrolledKey, replacing old: RefreshableReceipt, at now: Date
    ) throws(ReceiptRefusal) -> RefreshableReceipt {
        guard let expectations = appAttest.expectations(key.app) else {
            throw ReceiptRefusal("unknown-app", "the policy has no app \(key.app.excerpt) with appAttest")
        }
        let new = try RefreshableReceipt(verifying: bytes, of: key, expectations)
        guard new.environment == old.environment else {
            throw ReceiptRefusal(
                "environment-differs",
                "the new receipt is of environment \(new.environment.rawValue), the old one of "
                    + old.environment.rawValue)
        }
        guard new.isRefreshed else {
            throw ReceiptRefusal("not-refreshed", "the answer is the receipt of an attestation, not a refreshed one")
        }
        let age = now.timeIntervalSince(new.createdAt)
        guard age <= Self.greatestReceiptAge, age >= -ReceiptAssessor.clockSkew, new.createdAt > old.createdAt,
            now <= new.expiresAt
        else {
            throw ReceiptRefusal(
                "not-fresh",
                "the new receipt was made at \(RFC3339.format(new.createdAt)), the old one at "
                    + "\(RFC3339.format(old.createdAt)); the time is \(RFC3339.format(now))")
        }
        return new
    }
}

extension RefreshableReceipt {
    /// Whether it was issued in exchange for another one. Only such receipts have field 19.
    fileprivate var isRefreshed: Bool { notBefore != nil }

    /// Verifies a receipt of an enrolled key, apart from its age and its metric.
    fileprivate init(
        verifying bytes: [UInt8], of key: EnrolledKey, _ expectations: AppAttestExpectations
    ) throws(ReceiptRefusal) {
        let payload: Receipt
        do throws(CheckFailure) { payload = try Receipt.verified(bytes, of: key, expectations) } catch {
            throw ReceiptRefusal(error.finding.code, error.finding.detail)
        }
        guard
            let environment = payload.environment
                ?? key.properties[EnrolledProperty.environment].flatMap(AttestEnvironment.init)
        else { throw ReceiptRefusal("no-environment", "neither the receipt nor the enrolled key names an environment") }
        self.init(
            bytes: bytes, environment: environment, createdAt: payload.creationTime, riskMetric: payload.riskMetric,
            notBefore: payload.notBefore, expiresAt: payload.expirationTime)
    }

    /// The effect that stores the risk metric of the receipt with its key, for the verdicts on later assertions. Nil if the receipt has
    /// none, or the key has a newer one. A key that changes meanwhile refuses it.
    func recording(with key: EnrolledKey) -> LedgerEffect? {
        guard let metric = riskMetric else { return nil }
        if let known = EnrolledFacts(key.properties).riskMetric, known.measuredAt >= createdAt { return nil }
        var properties = key.properties
        let kept = properties.keys.filter { $0 != EnrolledProperty.riskMetric && $0 != EnrolledProperty.riskMetricTime }
        properties[EnrolledProperty.riskMetric] = "\(metric)"
        properties[EnrolledProperty.riskMetricTime] = RFC3339.format(createdAt)
        let new = EnrolledKey(
            identifier: key.identifier, app: key.app, publicKey: key.publicKey, counters: key.counters,
            enrolledAt: key.enrolledAt, properties: properties, account: key.account)
        return LedgerEffect(
            .appAttestReceiptRiskMetric, .enrol(new, EnrolmentRules(refreshKeeping: kept.sorted())))
    }
}
