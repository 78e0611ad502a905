import AssayCore
import AssayPrimitives
import FoundationEssentials

/// What must hold of a receipt that Apple's server handed out, each check in a function of its own.
struct ReceiptChecks {
    let receipt: Receipt
    let input: ReceiptInput
    let enrolled: EnrolledKey?
    let expectations: AppAttestExpectations
    let now: Date

    private var configuration: AppAttestConfiguration { expectations.configuration }

    /// Field 2 is one of the policy's App IDs, and the one for which the key was enrolled.
    func appID() throws(CheckFailure) -> String {
        let found = receipt.appID
        guard configuration.appIDs.contains(where: { $0.utf8.elementsEqual(found.utf8) }) else {
            throw SharedChecks.appIDNotAllowed(configuration.appIDs)
        }
        if let enrolled, enrolled.app != expectations.app {
            throw CheckFailure("key-of-another-app", "the key is enrolled for app \(enrolled.app)")
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
                "made at \(RFC3339.format(created)), \(age.roundedText) s before the time of judgement; \(maximum.roundedText) s "
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

extension Double {
    /// The number of whole seconds, and the number as it is when it has none.
    fileprivate var roundedText: String { Int64(exactly: rounded()).map(String.init) ?? "\(self)" }
}
