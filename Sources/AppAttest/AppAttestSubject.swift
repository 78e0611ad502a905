public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// What authentic App Attest evidence tells about the key, the app and the device.
public struct AppAttestSubject: VerdictSubject, Equatable {
    /// What a receipt tells.
    public struct ReceiptFacts: Sendable, Equatable {
        /// `ATTEST` for the one in an attestation, `RECEIPT` for a refreshed one.
        public let type: String
        /// When Apple made it.
        public let createdAt: Date
        /// About how many keys the device attested in the last 30 days; only in refreshed receipts.
        public let riskMetric: Int?
        /// From when on Apple hands out a new receipt in exchange.
        public let refreshFrom: Date?
        /// Until when it can be exchanged.
        public let expiresAt: Date
    }

    /// The key identifier, 32 bytes.
    public internal(set) var keyID: [UInt8]
    /// The attested key as a 65-byte X9.63 point, for those who keep keys themselves; nil in receipts.
    public internal(set) var publicKey: [UInt8]?
    /// The App ID, when it is one of the policy's.
    public internal(set) var appID: String?
    /// The environment, when it is a known one.
    public internal(set) var environment: AttestEnvironment?
    /// The counter that the evidence carries.
    public internal(set) var counter: UInt32?
    /// The operating system family that Apple certified.
    public internal(set) var platform: ApplePlatform?
    /// The version of the operating system that Apple certified.
    public internal(set) var osVersion: String?
    /// The build of the operating system that Apple certified.
    public internal(set) var osBuild: String?
    /// The validation category as a number, and nil when there is none.
    public internal(set) var validationCategory: UInt64?
    /// The app's bundle version, and nil when there is none.
    public internal(set) var bundleVersion: String?
    /// What a verified receipt tells.
    public internal(set) var receipt: ReceiptFacts?

    init(keyID: [UInt8]) {
        self.keyID = keyID
    }

    mutating func take(_ extensions: AuthenticatorExtensions?) {
        if case .value(let value) = extensions?.validationCategory { validationCategory = value }
        if case .value(let text) = extensions?.bundleVersion { bundleVersion = text }
    }

    mutating func take(_ certificate: AttestedCertificate) {
        platform = certificate.platform
        osVersion = certificate.osVersion
        osBuild = certificate.osBuild
    }

    mutating func take(_ receipt: Receipt) {
        self.receipt = ReceiptFacts(
            type: receipt.type.rawValue, createdAt: receipt.creationTime, riskMetric: receipt.riskMetric,
            refreshFrom: receipt.notBefore, expiresAt: receipt.expirationTime)
    }

    /// The facts in the order in which a person would read them.
    public var fields: [SubjectField] {
        var fields: [SubjectField] = []
        func add(_ name: String, _ value: SubjectField.Value?) {
            if let value { fields.append(SubjectField(name, value)) }
        }
        func text(_ text: String?) -> SubjectField.Value? { text.map { .text($0) } }
        func time(_ date: Date?) -> SubjectField.Value? { date.map { .text(RFC3339.format($0)) } }
        add("keyId", .text(Base64.encode(keyID, .standard)))
        add("publicKey", text(publicKey.map { Base64.encode($0, .standard) }))
        add("appId", text(appID))
        add("environment", text(environment?.rawValue))
        add("counter", counter.map { .integer(Int64($0)) })
        add("platform", text(platform?.rawValue))
        add("osVersion", text(osVersion))
        add("osBuild", text(osBuild))
        add("validationCategory", validationCategory.map { .integer(Int64(clamping: $0)) })
        add("validationCategoryName", text(validationCategory.flatMap { ValidationCategory(value: $0)?.rawValue }))
        add("bundleVersion", text(bundleVersion))
        add("receiptType", text(receipt?.type))
        add("riskMetric", receipt?.riskMetric.map { .integer(Int64($0)) })
        add("receiptCreatedAt", time(receipt?.createdAt))
        add("receiptRefreshFrom", time(receipt?.refreshFrom))
        add("receiptExpiresAt", time(receipt?.expiresAt))
        return fields
    }

    /// When Apple made the receipt, the only time that is in the evidence.
    public var madeAt: Date? { receipt?.createdAt }
    /// The counter, and nil in receipts.
    public var presentedCounter: Int64? { counter.map { Int64($0) } }

    /// The facts by which verdicts are broken down.
    public var dimensions: [SubjectField] {
        let category = validationCategory.map { ValidationCategory(value: $0)?.rawValue ?? "\($0)" }
        let values = [
            ("platform", platform?.rawValue), ("osVersion", osVersion), ("environment", environment?.rawValue),
            ("bundleVersion", bundleVersion), ("validationCategoryName", category),
        ]
        return values.compactMap { name, value in value.map { SubjectField(name, .text($0)) } }
    }
}

extension AppAttestEngine {
    /// The system, the environment and the app's version.
    public static let dimensions = [
        SubjectDimension("platform", "Platform"),
        SubjectDimension("osVersion", "Version of the operating system"),
        SubjectDimension("environment", "Environment"),
        SubjectDimension("bundleVersion", "Version of the app"),
        SubjectDimension("validationCategoryName", "Validation category"),
    ]
}

extension Verdict {
    /// What App Attest evidence told, and nil for other evidence and for evidence that is not authentic.
    public var appAttest: AppAttestSubject? { subject as? AppAttestSubject }
}
