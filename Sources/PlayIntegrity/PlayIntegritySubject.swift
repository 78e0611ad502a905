public import AssayCore
public import FoundationEssentials

/// Facts about the request, the app and the device from an authentic integrity token.
public struct PlayIntegritySubject: EngineSubject {
    /// The payload.
    public let payload: PlayIntegrityPayload
    /// The name of the key that opened a classic token; nil for a token that Google decoded.
    public let key: String?
    /// The facts of a request's signature; nil for a token by itself.
    public internal(set) var request: MessageFacts?

    /// The maximum number of unknown fields, and of unknown values, in ``fields``.
    private static let unknownShown = 32

    /// The facts in display order.
    public var fields: [SubjectField] {
        func names(_ labels: [IntegrityLabel]?) -> SubjectField.Value? {
            labels.map { .texts($0.map(\.name)) }
        }
        let (request, app, device) = (payload.requestDetails, payload.appIntegrity, payload.deviceIntegrity)
        let environment = payload.environmentDetails
        var fields: [SubjectField] = []
        fields.add("key", text: key)
        fields.add("requestPackageName", text: request.requestPackageName)
        fields.add("nonce", text: request.nonce)
        fields.add("requestHash", text: request.requestHash)
        fields.add("madeAt", time: madeAt)
        fields.add("appRecognitionVerdict", text: app.appRecognitionVerdict?.name)
        fields.add("packageName", text: app.packageName)
        fields.add("versionCode", integer: app.versionCode)
        fields.add("certificateSha256Digest", app.certificateSha256Digest.map { .texts($0) })
        fields.add("deviceRecognitionVerdict", names(device.deviceRecognitionVerdict))
        fields.add("legacyDeviceRecognitionVerdict", names(device.legacyDeviceRecognitionVerdict))
        fields.add("sdkVersion", integer: device.sdkVersion)
        fields.add("deviceActivityLevel", text: device.deviceActivityLevel?.name)
        for bit in DeviceRecallBit.allCases {
            fields.add(bit.rawValue, device.deviceRecall?.values[bit].map { .flag($0) })
            fields.add(bit.dateField, integer: device.deviceRecall?.writeDates[bit])
        }
        fields.add("appLicensingVerdict", text: payload.appLicensingVerdict?.name)
        fields.add("playProtectVerdict", text: environment.playProtectVerdict?.name)
        fields.add("appsDetected", names(environment.appsDetected))
        fields.add("locationSpoofingRiskVerdict", names(environment.locationSpoofingRiskVerdict))
        fields.add("isTestingResponse", payload.isTestingResponse.map { .flag($0) })
        let unknownFields = payload.unknownFields.map { "\($0.path): \($0.value.excerpt)" }
        fields.add("unknownFields", .list(unknownFields, atMost: Self.unknownShown))
        fields.add("unknownValues", .list(payload.unknownValues, atMost: Self.unknownShown))
        fields += self.request?.fields ?? []
        return fields
    }

    package var message: MessageFacts? { request }
    /// Google's labels for device and app.
    package var trustworthiness: Trustworthiness {
        let labels = payload.deviceIntegrity.deviceRecognitionVerdict ?? []
        let isStrong = labels.contains("MEETS_STRONG_INTEGRITY")
        let isSound = isStrong || labels.contains("MEETS_DEVICE_INTEGRITY")
        let executables: Int? =
            switch payload.appIntegrity.appRecognitionVerdict {
            case "PLAY_RECOGNIZED": Trustworthiness.Value.recognised
            case "UNRECOGNIZED_VERSION": Trustworthiness.Value.unrecognised
            default: nil
            }
        return Trustworthiness(
            configuration: isSound ? Trustworthiness.Value.genuine : Trustworthiness.Value.contraindicated,
            executables: executables, hardware: isStrong ? Trustworthiness.Value.genuine : nil)
    }
    /// The token's time of creation, as Google states it.
    public var madeAt: Date? {
        payload.requestDetails.milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}

extension PlayIntegritySubject {
    /// The facts of a payload, as for the stub of a verdict.
    ///
    /// - Parameter payload: a JSON object in Google's form, such as `{"requestDetails": {"requestPackageName": "..."}}`.
    /// - Throws: ``DecodeError`` for a payload that no token may have.
    public init(payload: String) throws(DecodeError) {
        let object = try JSONReader.readObject(Array(payload.utf8), limit: InputLimits.joseText)
        self.init(payload: try PayloadReader.read(object), key: nil)
    }
}

extension PlayIntegrityEngine {
    /// The app's version, and Google's labels for the device and the account.
    package static let dimensions = [
        SubjectDimension("versionCode", "Version code of the app"),
        SubjectDimension("sdkVersion", "Android SDK version"),
        SubjectDimension("appRecognitionVerdict", "App recognition"),
        SubjectDimension("deviceRecognitionVerdict", "Device labels"),
        SubjectDimension("deviceActivityLevel", "Device activity"),
        SubjectDimension("appLicensingVerdict", "Licence"),
        SubjectDimension("playProtectVerdict", "Play Protect"),
        SubjectDimension("appsDetected", "Apps that may look on or act"),
        SubjectDimension("isTestingResponse", "Testing response"),
    ]
}

extension Verdict {
    /// The facts of authentic Play Integrity evidence; nil for other evidence.
    public var playIntegrity: PlayIntegritySubject? { facts(PlayIntegritySubject.self) }
}
