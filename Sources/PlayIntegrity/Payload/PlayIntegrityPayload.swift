package import AssayCore
public import FoundationEssentials

/// What an integrity token says, typed, in the terms of Google's description of the API (revision 20260910).
///
/// Every value may be missing: Google leaves out what it did not evaluate. A class, so that handing it on counts one
/// reference and not one for each of its texts.
public final class PlayIntegrityPayload: Sendable {
    /// The request that the token answers.
    public struct RequestDetails: Sendable, Equatable {
        /// The package name of the app that asked.
        public internal(set) var requestPackageName: String?
        /// The nonce of a classic request, base64url as it came back.
        public internal(set) var nonce: String?
        /// The request hash of a standard request, as the app gave it.
        public internal(set) var requestHash: String?
        /// When the token was made, in milliseconds since 1970; apps on Android.
        public internal(set) var timestampMillis: Int64?
        /// When the token was made, to the millisecond; games on PC.
        public internal(set) var requestTime: Date?
    }

    /// The app that asked.
    public struct AppIntegrity: Sendable, Equatable {
        /// Whether Google Play recognises it.
        public internal(set) var appRecognitionVerdict: IntegrityLabel?
        /// Its package name.
        public internal(set) var packageName: String?
        /// Its version code.
        public internal(set) var versionCode: Int64?
        /// The SHA-256 of its signing certificates, base64url without padding.
        public internal(set) var certificateSha256Digest: [String]?
    }

    /// The device that asked.
    public struct DeviceIntegrity: Sendable, Equatable {
        /// What it meets.
        public internal(set) var deviceRecognitionVerdict: [IntegrityLabel]?
        /// What it met by the rules before May 2025.
        public internal(set) var legacyDeviceRecognitionVerdict: [IntegrityLabel]?
        /// How many tokens it asked for lately.
        public internal(set) var deviceActivityLevel: IntegrityLabel?
        /// The SDK version of its Android.
        public internal(set) var sdkVersion: Int32?
        /// What the owner of the app has remembered of the device.
        public internal(set) var deviceRecall: DeviceRecall?
    }

    /// The three bits that survive a factory reset, and when each was written.
    public struct DeviceRecall: Sendable, Equatable {
        /// The bits, and nil for those that were not told.
        public internal(set) var values = DeviceRecallBits<Bool>()
        /// The month of the last writing as `yyyymm`, for bits that are set.
        public internal(set) var writeDates = DeviceRecallBits<Int32>()
    }

    /// What else is on the device.
    public struct EnvironmentDetails: Sendable, Equatable {
        /// What other apps could do, and nil when that was not evaluated.
        public internal(set) var appsDetected: [IntegrityLabel]?
        /// What Play Protect says.
        public internal(set) var playProtectVerdict: IntegrityLabel?
        /// How far the location can be trusted.
        public internal(set) var locationSpoofingRiskVerdict: [IntegrityLabel]?
    }

    /// A field that is not in the description.
    package struct UnknownField: Sendable {
        /// The path, such as `deviceIntegrity.newVerdict`.
        package let path: String
        /// The value, with its place.
        package let value: RecordValue
    }

    /// The request that the token answers.
    public let requestDetails: RequestDetails
    /// The app that asked.
    public let appIntegrity: AppIntegrity
    /// The device that asked.
    public let deviceIntegrity: DeviceIntegrity
    /// Whether the user got the app from Google Play: `accountDetails`.
    public let appLicensingVerdict: IntegrityLabel?
    /// What else is on the device.
    public let environmentDetails: EnvironmentDetails
    /// Whether the console's owner made this answer up for a tester: `testingDetails`.
    public let isTestingResponse: Bool?
    /// The fields that are not in the description, in their order.
    package let unknownFields: [UnknownField]

    init(
        requestDetails: RequestDetails, appIntegrity: AppIntegrity, deviceIntegrity: DeviceIntegrity,
        appLicensingVerdict: IntegrityLabel?, environmentDetails: EnvironmentDetails, isTestingResponse: Bool?,
        unknownFields: [UnknownField]
    ) {
        self.requestDetails = requestDetails
        self.appIntegrity = appIntegrity
        self.deviceIntegrity = deviceIntegrity
        self.appLicensingVerdict = appLicensingVerdict
        self.environmentDetails = environmentDetails
        self.isTestingResponse = isTestingResponse
        self.unknownFields = unknownFields
    }
}

extension PlayIntegrityPayload.RequestDetails {
    /// When the token was made, in milliseconds since 1970.
    var milliseconds: Int64? {
        if let timestampMillis { return timestampMillis }
        return requestTime.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) }
    }
}

extension PlayIntegrityPayload {
    /// The words that are not documented, each with the path of its field.
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
