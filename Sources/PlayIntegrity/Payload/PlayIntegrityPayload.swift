package import AssayCore
public import FoundationEssentials

/// The typed payload of an integrity token, by Google's API description (revision 20260910). Every value may be
/// missing: Google omits values that it did not evaluate. A class: passing it counts one reference.
public final class PlayIntegrityPayload: Sendable {
    /// The request that the token answers.
    public struct RequestDetails: Sendable, Equatable {
        /// The package name of the requesting app.
        public internal(set) var requestPackageName: String?
        /// The nonce of a classic request, base64url as in the payload.
        public internal(set) var nonce: String?
        /// The request hash of a standard request, as the app gave it.
        public internal(set) var requestHash: String?
        /// The token's time of creation, in milliseconds since 1970; Android apps.
        public internal(set) var timestampMillis: Int64?
        /// The token's time of creation, to the millisecond; games on PC.
        public internal(set) var requestTime: Date?
    }

    /// The requesting app.
    public struct AppIntegrity: Sendable, Equatable {
        /// Google Play's recognition of the app.
        public internal(set) var appRecognitionVerdict: IntegrityLabel?
        /// The package name.
        public internal(set) var packageName: String?
        /// The version code.
        public internal(set) var versionCode: Int64?
        /// The SHA-256 digests of the signing certificates, base64url without padding.
        public internal(set) var certificateSha256Digest: [String]?
    }

    /// The requesting device.
    public struct DeviceIntegrity: Sendable, Equatable {
        /// The integrity labels of the device.
        public internal(set) var deviceRecognitionVerdict: [IntegrityLabel]?
        /// The integrity labels by the rules before May 2025.
        public internal(set) var legacyDeviceRecognitionVerdict: [IntegrityLabel]?
        /// The level of recent token requests.
        public internal(set) var deviceActivityLevel: IntegrityLabel?
        /// The SDK version of the device's Android.
        public internal(set) var sdkVersion: Int32?
        /// The recall bits that the app's owner stored for the device.
        public internal(set) var deviceRecall: DeviceRecall?
    }

    /// The three bits that survive a factory reset, with their write dates.
    public struct DeviceRecall: Sendable, Equatable {
        /// The bits; nil for a missing one.
        public internal(set) var values = DeviceRecallBits<Bool>()
        /// The month of the last write as `yyyymm`, for bits that are set.
        public internal(set) var writeDates = DeviceRecallBits<Int32>()
    }

    /// The other software on the device.
    public struct EnvironmentDetails: Sendable, Equatable {
        /// The capabilities of other apps; nil if not evaluated.
        public internal(set) var appsDetected: [IntegrityLabel]?
        /// The verdict of Play Protect.
        public internal(set) var playProtectVerdict: IntegrityLabel?
        /// The risk of a spoofed location.
        public internal(set) var locationSpoofingRiskVerdict: [IntegrityLabel]?
    }

    /// An undocumented field.
    package struct UnknownField: Sendable {
        /// The path, such as `deviceIntegrity.newVerdict`.
        package let path: String
        /// The value, with its place.
        package let value: RecordValue
    }

    /// The request that the token answers.
    public let requestDetails: RequestDetails
    /// The requesting app.
    public let appIntegrity: AppIntegrity
    /// The requesting device.
    public let deviceIntegrity: DeviceIntegrity
    /// The Google Play licence of the user's account: `accountDetails`.
    public let appLicensingVerdict: IntegrityLabel?
    /// The other software on the device.
    public let environmentDetails: EnvironmentDetails
    /// True for a test response configured in the console: `testingDetails`.
    public let isTestingResponse: Bool?
    package let unknownFields: [UnknownField]

    init(
        requestDetails: RequestDetails, appIntegrity: AppIntegrity, deviceIntegrity: DeviceIntegrity,
        appLicensingVerdict: IntegrityLabel?, environmentDetails: EnvironmentDetails, isTestingResponse: Bool?,
        unknownFields: [UnknownField]
    ) {
        (self.requestDetails, self.appIntegrity) = (requestDetails, appIntegrity)
        (self.deviceIntegrity, self.appLicensingVerdict) = (deviceIntegrity, appLicensingVerdict)
        (self.environmentDetails, self.isTestingResponse) = (environmentDetails, isTestingResponse)
        self.unknownFields = unknownFields
    }
}

extension PlayIntegrityPayload.RequestDetails {
    /// The token's time of creation, in milliseconds since 1970.
    var milliseconds: Int64? {
        if let timestampMillis { return timestampMillis }
        return requestTime.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) }
    }
}

extension PlayIntegrityPayload {
    /// The undocumented labels, each with its field's path.
    package var unknownValues: [String] {
        var values: [String] = []
        func note(_ field: LabelField, _ labels: [IntegrityLabel]?) {
            for label in labels ?? [] where !field.contains(label) {
                values.append("\(field.rawValue): \(label.name.excerpt)")
            }
        }
        func note(_ field: LabelField, _ label: IntegrityLabel?) { note(field, label.map { [$0] }) }
        note(.appRecognition, appIntegrity.appRecognitionVerdict)
        note(.deviceRecognition, deviceIntegrity.deviceRecognitionVerdict)
        note(.legacyDeviceRecognition, deviceIntegrity.legacyDeviceRecognitionVerdict)
        note(.deviceActivity, deviceIntegrity.deviceActivityLevel)
        note(.licensing, appLicensingVerdict)
        note(.accessRisk, environmentDetails.appsDetected)
        note(.playProtect, environmentDetails.playProtectVerdict)
        note(.locationSpoofing, environmentDetails.locationSpoofingRiskVerdict)
        return values
    }
}
