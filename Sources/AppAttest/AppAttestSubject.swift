public import AssayCore
public import FoundationEssentials

/// The facts of authentic App Attest evidence about the key, the app and the device.
public struct AppAttestSubject: EngineSubject, Equatable {
    /// The facts of a receipt.
    public struct ReceiptFacts: Sendable, Equatable {
        /// `ATTEST` for the receipt in an attestation, `RECEIPT` for a refreshed one.
        public let type: String
        /// When Apple issued the receipt.
        public let createdAt: Date
        /// About how many keys the device attested in the last 30 days; only in refreshed receipts.
        public let riskMetric: Int?
        /// The time from which Apple exchanges it for a new one.
        public let refreshFrom: Date?
        /// The time until which Apple exchanges it.
        public let expiresAt: Date
    }

    /// The key identifier, 32 bytes.
    public internal(set) var keyID: [UInt8]
    /// The attested key as a 65-byte X9.63 point, for backends that store keys themselves; nil in receipts.
    public internal(set) var publicKey: [UInt8]?
    /// The App ID, if the policy lists it.
    public internal(set) var appID: String?
    /// The environment, if it is known.
    public internal(set) var environment: AttestEnvironment?
    /// The counter that the evidence carries.
    public internal(set) var counter: UInt32?
    /// The operating system family that Apple certified.
    public internal(set) var platform: ApplePlatform?
    /// The version of the operating system that Apple certified.
    public internal(set) var osVersion: String?
    /// The build of the operating system that Apple certified.
    public internal(set) var osBuild: String?
    /// The validation category as a number; nil if there is none.
    public internal(set) var validationCategory: UInt64?
    /// The app's bundle version; nil if there is none.
    public internal(set) var bundleVersion: String?
    /// The facts of a verified receipt.
    public internal(set) var receipt: ReceiptFacts?
    /// The risk metric of the key of an assertion, if a receipt of it has been refreshed.
    public internal(set) var riskMetric: AppAttestRiskMetric?
    /// The receipt of an attestation as it was sent, if the policy keeps receipts.
    package internal(set) var receiptBytes: [UInt8]?
    /// The facts of a request's signature.
    public internal(set) var request: MessageFacts?
    /// The account that the ledger has for the key of an assertion; nil for none.
    package internal(set) var account: String?

    /// The facts of a key alone, as for the stub of a verdict.
    ///
    /// - Parameter keyID: the key identifier, 32 bytes.
    public init(keyID: [UInt8]) {
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

    /// The facts in reading order.
    public var fields: [SubjectField] {
        var fields: [SubjectField] = []
        fields.add("keyId", text: Base64.encode(keyID, .standard))
        fields.add("publicKey", text: publicKey.map { Base64.encode($0, .standard) })
        fields.add("appId", text: appID)
        fields.add("environment", text: environment?.rawValue)
        fields.add("counter", integer: counter)
        fields.add("platform", text: platform?.rawValue)
        fields.add("osVersion", text: osVersion)
        fields.add("osBuild", text: osBuild)
        fields.add("validationCategory", integer: validationCategory)
        fields.add(
            "validationCategoryName", text: validationCategory.flatMap { ValidationCategory(value: $0)?.rawValue })
        fields.add("bundleVersion", text: bundleVersion)
        fields.add("receiptType", text: receipt?.type)
        fields.add("riskMetric", integer: receipt?.riskMetric ?? riskMetric?.value)
        fields.add("riskMetricTime", time: riskMetric?.measuredAt)
        fields.add("receiptCreatedAt", time: receipt?.createdAt)
        fields.add("receiptRefreshFrom", time: receipt?.refreshFrom)
        fields.add("receiptExpiresAt", time: receipt?.expiresAt)
        fields += request?.fields ?? []
        return fields
    }

    /// When Apple issued the receipt, the only time in the evidence.
    package var madeAt: Date? { receipt?.createdAt }
    /// The key identifier in standard base64.
    package var identifier: String? { Base64.encode(keyID, .standard) }
    /// Combines the bytes of the key identifier. Their base64 text would need an allocation.
    package func hashDevice(into hash: inout DeviceHash) -> Bool {
        keyID.withUnsafeBytes { hash.combine($0) }
        return true
    }
    package var message: MessageFacts? { request }
    /// Whether it is a build from Xcode.
    package var isOfDevelopment: Bool { environment == .development }
    /// Apple's hardware. A build from Xcode is no app that Apple or the store has seen.
    package var trustworthiness: Trustworthiness {
        Trustworthiness(
            executables: isOfDevelopment ? Trustworthiness.Value.unrecognised : Trustworthiness.Value.recognised,
            hardware: Trustworthiness.Value.genuine)
    }
    /// The counter; nil in receipts.
    package var presentedCounter: Int64? { counter.map { Int64($0) } }

    package var dimensions: [SubjectField] {
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
    package static let dimensions = [
        SubjectDimension("platform", "Platform"),
        SubjectDimension("osVersion", "Version of the operating system"),
        SubjectDimension("environment", "Environment"),
        SubjectDimension("bundleVersion", "Version of the app"),
        SubjectDimension("validationCategoryName", "Validation category"),
    ]
}

extension Verdict {
    /// The facts of authentic App Attest evidence; nil for other evidence.
    public var appAttest: AppAttestSubject? { facts(AppAttestSubject.self) }
}
