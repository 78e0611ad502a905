public import AssayCore
public import FoundationEssentials

/// What an authentic integrity token tells about the request, the app and the device.
public struct PlayIntegritySubject: VerdictSubject {
    /// The payload.
    public let payload: PlayIntegrityPayload
    /// The name of the key that opened a classic token, and nil for what Google decoded.
    public let key: String?

    /// How many unknown fields and values are told one by one.
    private static let unknownShown = 32

    /// The facts in the order in which a person would read them.
    public var fields: [SubjectField] {
        var fields: [SubjectField] = []
        func add(_ name: String, _ value: SubjectField.Value?) {
            if let value { fields.append(SubjectField(name, value)) }
        }
        func text(_ text: String?) -> SubjectField.Value? { text.map { .text($0) } }
        func texts<Label: IntegrityLabel>(_ labels: [Label]?) -> SubjectField.Value? {
            labels.map { .texts($0.map(\.name)) }
        }
        func integer(_ number: (some BinaryInteger)?) -> SubjectField.Value? { number.map { .integer(Int64($0)) } }
        let (request, app, device) = (payload.requestDetails, payload.appIntegrity, payload.deviceIntegrity)
        add("key", text(key))
        add("requestPackageName", text(request.requestPackageName))
        add("nonce", text(request.nonce))
        add("requestHash", text(request.requestHash))
        add(
            "madeAt",
            text(
                request.milliseconds.map {
                    RFC3339.format(Date(timeIntervalSince1970: Double($0) / 1000))
                }))
        add("appRecognitionVerdict", text(app.appRecognitionVerdict?.name))
        add("packageName", text(app.packageName))
        add("versionCode", integer(app.versionCode))
        add("certificateSha256Digest", app.certificateSha256Digest.map { .texts($0) })
        add("deviceRecognitionVerdict", texts(device.deviceRecognitionVerdict))
        add("legacyDeviceRecognitionVerdict", texts(device.legacyDeviceRecognitionVerdict))
        add("sdkVersion", integer(device.sdkVersion))
        add("deviceActivityLevel", text(device.deviceActivityLevel?.name))
        for bit in DeviceRecallBit.allCases {
            add(bit.rawValue, device.deviceRecall?.values[bit].map { .flag($0) })
            add(bit.dateField, integer(device.deviceRecall?.writeDates[bit]))
        }
        add("appLicensingVerdict", text(payload.appLicensingVerdict?.name))
        add("playProtectVerdict", text(payload.environmentDetails.playProtectVerdict?.name))
        add("appsDetected", texts(payload.environmentDetails.appsDetected))
        add("locationSpoofingRiskVerdict", texts(payload.environmentDetails.locationSpoofingRiskVerdict))
        add("isTestingResponse", payload.isTestingResponse.map { .flag($0) })
        add("unknownFields", Self.told(payload.unknownFields.map { "\($0.path): \($0.value.excerpt)" }))
        add("unknownValues", Self.told(payload.unknownValues))
        return fields
    }

    /// When Google made the token, by its own account.
    public var madeAt: Date? {
        payload.requestDetails.milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    private static func told(_ texts: [String]) -> SubjectField.Value? {
        guard !texts.isEmpty else { return nil }
        let rest = texts.count - unknownShown
        return .texts(texts.prefix(unknownShown) + (rest > 0 ? ["\(rest) more"] : []))
    }
}

extension PlayIntegrityEngine {
    /// The app's version, what Google says of the device, and of the account.
    public static let dimensions = [
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
    /// What Play Integrity evidence told, and nil for other evidence and for evidence that is not authentic.
    public var playIntegrity: PlayIntegritySubject? { subject as? PlayIntegritySubject }
}
