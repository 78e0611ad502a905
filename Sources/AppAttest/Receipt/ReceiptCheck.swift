public import AssayCore
import FoundationEssentials

extension EvidenceKind {
    /// A receipt of App Attest, from the attestation or from Apple's server.
    public static let appAttestReceipt = EvidenceKind("app-attest.receipt")
}

/// The checks of an App Attest receipt from Apple's server (Apple, Assessing fraud risk, Verify the receipt); those of decoding,
/// signature and chain are in `SignedReceipt`. ``AttestationCheck/receipt`` applies the same rules, except for age, to the receipt of
/// an attestation.
package struct ReceiptCheck: Sendable {
    /// The entries of all checks, in the order in which they run.
    package static let catalogue: [CheckDefinition] = [
        decodeEntry, signatureEntry, chainEntry, appIDEntry, publicKeyEntry, environmentEntry, freshnessEntry,
        riskMetricEntry,
    ]

    static let apple = "Apple, Assessing fraud risk, Verify the receipt"

    let receipt: Receipt
    let input: ReceiptInput
    let enrolled: EnrolledKey?
    let expectations: AppAttestExpectations
    let now: Date

    private var configuration: AppAttestConfiguration { expectations.configuration }
}

extension CheckID {
    /// The receipt is for one of the policy's App IDs.
    public static let appAttestReceiptAppID = CheckID("app-attest.receipt.app-id")
    /// The receipt is about the key.
    public static let appAttestReceiptPublicKey = CheckID("app-attest.receipt.public-key")
    /// The policy allows the environment of the receipt.
    public static let appAttestReceiptEnvironment = CheckID("app-attest.receipt.environment")
    /// The receipt is fresh, and has not expired.
    public static let appAttestReceiptFreshness = CheckID("app-attest.receipt.freshness")
    /// The device has not attested too many keys.
    public static let appAttestReceiptRiskMetric = CheckID("app-attest.receipt.risk-metric")
}

extension ReceiptCheck {
    private static let appIDEntry = CheckDefinition(
        .appAttestReceiptAppID, .gate,
        proves: "Field 2 is one of the policy's App IDs, and that of the enrolled key.",
        stops: "Receipts of another app.",
        lookAt: "appIDs in the policy.",
        source: apple,
        remedy: .nothing, codes: [.appIDNotAllowed, .keyOfAnotherApp, .appIDDiffers])

    func appID() throws(CheckFailure) -> String {
        let found = receipt.appID
        guard configuration.appIDs.contains(where: { $0.utf8.elementsEqual(found.utf8) }) else {
            throw SharedRules.appIDNotAllowed(configuration.appIDs)
        }
        if let enrolled, !enrolled.app.isByteEqual(to: expectations.app) {
            throw CheckFailure(.keyOfAnotherApp, "the key is enrolled for app \(enrolled.app)")
        }
        if let enrolled = enrolled?.properties[EnrolledProperty.appID], !enrolled.isByteEqual(to: found) {
            throw CheckFailure(.appIDDiffers, "the receipt is for \(found), the key was enrolled for \(enrolled)")
        }
        return found
    }

    private static let publicKeyEntry = CheckDefinition(
        .appAttestReceiptPublicKey, .gate,
        proves: "Field 3 certifies the key that the key identifier names.",
        stops: "The receipt, and so the risk metric, of another device.",
        lookAt: "Whether receipt and keyId belong together.",
        source: apple,
        remedy: .nothing, codes: [.certificateMalformed, .keyIDDiffers, .keyDiffers])

    func publicKey() throws(CheckFailure) {
        let point: [UInt8]
        do {
            point = try Certificate(der: receipt.attestedCertificate).publicKey().x963Representation
        } catch {
            throw CheckFailure(.certificateMalformed, "field 3: \(error.detail)")
        }
        guard Digest.sha256(point) == input.keyID else {
            throw CheckFailure(
                .keyIDDiffers, "field 3 certifies another key than the one that the key identifier names")
        }
        guard enrolled == nil || enrolled?.publicKey == point else {
            throw CheckFailure(.keyDiffers, "field 3 certifies another key than the enrolled one")
        }
    }

    private static let environmentEntry = CheckDefinition(
        .appAttestReceiptEnvironment, .policy(default: .enforce),
        proves: "Field 7 is an environment that the policy allows.",
        stops: "Receipts of development builds.",
        lookAt: "environments in the policy.",
        source: "Receipt field 7, as issued since 2020",
        remedy: .nothing, codes: [.environmentMissing, .environmentNotAllowed, .environmentDiffers])

    func environment() throws(CheckFailure) -> PolicyAnswer {
        guard let environment = receipt.environment else {
            return .notApplicable(Finding(.environmentMissing, "the receipt has no field 7"))
        }
        try SharedRules.environment(environment, in: configuration)
        if let enrolled = enrolled?.properties[EnrolledProperty.environment], enrolled != environment.rawValue {
            throw CheckFailure(
                .environmentDiffers,
                "the receipt is of environment \(environment.rawValue), the key was enrolled in \(enrolled)")
        }
        return .passed
    }

    private static let freshnessEntry = CheckDefinition(
        .appAttestReceiptFreshness, .policy(default: .enforce),
        proves: """
            The receipt has not expired, and its age at the time of judgement is at most the one that the policy allows.
            """,
        stops: "An old receipt with a risk metric from better days.",
        lookAt: "receipt.maximumAge in the policy, five minutes by default, and the time of judgement.",
        source: apple,
        remedy: .retry, codes: [.receiptExpired, .receiptTooOld, .receiptFromTheFuture])

    /// Field 12 is no older than the policy allows, and field 21 has not passed.
    func freshness() throws(CheckFailure) -> PolicyAnswer {
        let (created, expires) = (receipt.creationTime, receipt.expirationTime)
        guard now <= expires else {
            throw CheckFailure(.receiptExpired, "the receipt expired at \(RFC3339.format(expires))")
        }
        let age = now.timeIntervalSince(created)
        guard age <= configuration.receipt.maximumAge else {
            let maximum = configuration.receipt.maximumAge
            throw CheckFailure(
                .receiptTooOld,
                "made at \(RFC3339.format(created)), \(age.roundedText) s before the time of judgement; \(maximum.roundedText) s "
                    + "are allowed")
        }
        guard age >= -ReceiptAssessor.clockSkew else {
            throw CheckFailure(
                .receiptFromTheFuture, "made at \(RFC3339.format(created)), after the time of judgement")
        }
        return .passed
    }

    private static let riskMetricEntry = CheckDefinition(
        .appAttestReceiptRiskMetric, .policy(default: .enforce),
        proves: "The number of keys that the device attested in the last 30 days is at most the policy's.",
        stops: "One device that attests for many.",
        lookAt: "receipt.maximumRiskMetric in the policy; the metric comes only with refreshed receipts.",
        source: "Apple, Assessing fraud risk, Interpret the metric",
        remedy: .contactSupport, codes: [.riskMetricMissing, .riskMetricTooHigh])

    func riskMetric() throws(CheckFailure) -> PolicyAnswer {
        guard let maximum = configuration.receipt.maximumRiskMetric else { return .notRequired }
        guard let metric = receipt.riskMetric else {
            throw CheckFailure(
                .riskMetricMissing,
                "the receipt is of type \(receipt.type.rawValue) and has no risk metric; refresh it to get one")
        }
        guard metric <= maximum else {
            throw CheckFailure(.riskMetricTooHigh, "risk metric \(metric), at most \(maximum) is allowed")
        }
        return .passed
    }
}

extension Double {
    /// The nearest whole number of seconds; a value beyond `Int64` unchanged.
    fileprivate var roundedText: String { Int64(exactly: rounded()).map(String.init) ?? "\(self)" }
}

extension CheckCode {
    fileprivate static let certificateMalformed = CheckCode(
        "certificate-malformed", "Field 3 of the receipt is no certificate of a P-256 key.")
    fileprivate static let environmentMissing = CheckCode(
        "environment-missing", "The receipt names no environment, as those issued before 2020: no action.")
    fileprivate static let environmentDiffers = CheckCode(
        "environment-differs", "The receipt is of another environment than the one in which the key was enrolled.")
    fileprivate static let receiptExpired = CheckCode(
        "receipt-expired", "The receipt's expiration time has passed: refresh it at Apple's server.")
    fileprivate static let receiptTooOld = CheckCode(
        "receipt-too-old", "The receipt is older than receipt.maximumAge: refresh it, or judge it `--as-captured`.")
    fileprivate static let receiptFromTheFuture = CheckCode(
        "receipt-from-the-future", "The receipt was made after the time of judgement: check the clock and `--at`.")
    fileprivate static let riskMetricMissing = CheckCode(
        "risk-metric-missing", "The policy limits the risk metric, and the receipt has none: refresh it to get one.")
    fileprivate static let riskMetricTooHigh = CheckCode(
        "risk-metric-too-high", "The device attested more keys in the last 30 days than the policy allows.")
}
