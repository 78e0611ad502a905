package import AssayCore

/// Reads a payload from strict JSON by Google's API description. Keeps undocumented fields. Blocks may be missing. In ProtoJSON, the
/// language of Google's answers, `null` is the default value of a field: such a member counts as missing.
package struct PayloadReader {
    private var unknown: [PlayIntegrityPayload.UnknownField] = []

    /// Reads a payload; throws ``DecodeError`` at a known field of another type, an integer that is inexact or out of
    /// range, or two fields that exclude each other.
    package static func read(_ object: RecordObject) throws(DecodeError) -> PlayIntegrityPayload {
        var reader = PayloadReader()
        return try reader.payload(object)
    }

    private mutating func payload(_ object: RecordObject) throws(DecodeError) -> PlayIntegrityPayload {
        var request = PlayIntegrityPayload.RequestDetails()
        var app = PlayIntegrityPayload.AppIntegrity()
        var device = PlayIntegrityPayload.DeviceIntegrity()
        var licensing: IntegrityLabel?
        var environment = PlayIntegrityPayload.EnvironmentDetails()
        var isTestingResponse: Bool?
        for member in object.members where !member.value.isNull {
            let field = PayloadMember(member: member, path: "")
            if field.isNamed("requestDetails") {
                request = try requestDetails(field.object())
            } else if field.isNamed("appIntegrity") {
                app = try appIntegrity(field.object())
            } else if field.isNamed("deviceIntegrity") {
                device = try deviceIntegrity(field.object())
            } else if field.isNamed("accountDetails") {
                for member in try field.object().members where !member.value.isNull {
                    let field = PayloadMember(member: member, path: "accountDetails")
                    if field.isNamed("appLicensingVerdict") { licensing = try field.label() } else { keep(field) }
                }
            } else if field.isNamed("environmentDetails") {
                environment = try environmentDetails(field.object())
            } else if field.isNamed("testingDetails") {
                for member in try field.object().members where !member.value.isNull {
                    let field = PayloadMember(member: member, path: "testingDetails")
                    if field.isNamed("isTestingResponse") { isTestingResponse = try field.flag() } else { keep(field) }
                }
            } else {
                keep(field)
            }
        }
        return PlayIntegrityPayload(
            requestDetails: request, appIntegrity: app, deviceIntegrity: device, appLicensingVerdict: licensing,
            environmentDetails: environment, isTestingResponse: isTestingResponse, unknownFields: unknown)
    }

    private mutating func keep(_ field: PayloadMember) {
        unknown.append(PlayIntegrityPayload.UnknownField(path: field.fullPath, value: field.member.value))
    }

    private mutating func requestDetails(
        _ object: RecordObject
    ) throws(DecodeError) -> PlayIntegrityPayload.RequestDetails {
        var details = PlayIntegrityPayload.RequestDetails()
        for member in object.members where !member.value.isNull {
            let field = PayloadMember(member: member, path: "requestDetails")
            if field.isNamed("requestPackageName") {
                details.requestPackageName = try field.text()
            } else if field.isNamed("nonce") {
                details.nonce = try field.text()
                guard details.requestHash == nil else { throw field.excluding("requestHash") }
            } else if field.isNamed("requestHash") {
                details.requestHash = try field.text()
                guard details.nonce == nil else { throw field.excluding("nonce") }
            } else if field.isNamed("timestampMillis") {
                details.timestampMillis = try field.int64()
                guard details.requestTime == nil else { throw field.excluding("requestTime") }
            } else if field.isNamed("requestTime") {
                details.requestTime = try field.time()
                guard details.timestampMillis == nil else { throw field.excluding("timestampMillis") }
            } else {
                keep(field)
            }
        }
        return details
    }

    private mutating func appIntegrity(
        _ object: RecordObject
    ) throws(DecodeError) -> PlayIntegrityPayload.AppIntegrity {
        var app = PlayIntegrityPayload.AppIntegrity()
        for member in object.members where !member.value.isNull {
            let field = PayloadMember(member: member, path: "appIntegrity")
            if field.isNamed("appRecognitionVerdict") {
                app.appRecognitionVerdict = try field.label()
            } else if field.isNamed("packageName") {
                app.packageName = try field.text()
            } else if field.isNamed("versionCode") {
                app.versionCode = try field.int64()
            } else if field.isNamed("certificateSha256Digest") {
                app.certificateSha256Digest = try field.texts()
            } else {
                keep(field)
            }
        }
        return app
    }

    private mutating func deviceIntegrity(
        _ object: RecordObject
    ) throws(DecodeError) -> PlayIntegrityPayload.DeviceIntegrity {
        var device = PlayIntegrityPayload.DeviceIntegrity()
        for member in object.members where !member.value.isNull {
            let field = PayloadMember(member: member, path: "deviceIntegrity")
            if field.isNamed("deviceRecognitionVerdict") {
                device.deviceRecognitionVerdict = try field.labels()
            } else if field.isNamed("legacyDeviceRecognitionVerdict") {
                device.legacyDeviceRecognitionVerdict = try field.labels()
            } else if field.isNamed("recentDeviceActivity") {
                for member in try field.object().members where !member.value.isNull {
                    let field = PayloadMember(member: member, path: "deviceIntegrity.recentDeviceActivity")
                    if field.isNamed("deviceActivityLevel") {
                        device.deviceActivityLevel = try field.label()
                    } else {
                        keep(field)
                    }
                }
            } else if field.isNamed("deviceAttributes") {
                for member in try field.object().members where !member.value.isNull {
                    let field = PayloadMember(member: member, path: "deviceIntegrity.deviceAttributes")
                    if field.isNamed("sdkVersion") { device.sdkVersion = try field.int32() } else { keep(field) }
                }
            } else if field.isNamed("deviceRecall") {
                device.deviceRecall = try deviceRecall(field.object())
            } else {
                keep(field)
            }
        }
        return device
    }

    private mutating func deviceRecall(
        _ object: RecordObject
    ) throws(DecodeError) -> PlayIntegrityPayload.DeviceRecall {
        var recall = PlayIntegrityPayload.DeviceRecall()
        for member in object.members where !member.value.isNull {
            let field = PayloadMember(member: member, path: "deviceIntegrity.deviceRecall")
            if field.isNamed("values") {
                for member in try field.object().members where !member.value.isNull {
                    let field = PayloadMember(member: member, path: "deviceIntegrity.deviceRecall.values")
                    if let bit = DeviceRecallBit.allCases.first(where: { field.isNamed($0.rawValue) }) {
                        recall.values[bit] = try field.flag()
                    } else {
                        keep(field)
                    }
                }
            } else if field.isNamed("writeDates") {
                for member in try field.object().members where !member.value.isNull {
                    let field = PayloadMember(member: member, path: "deviceIntegrity.deviceRecall.writeDates")
                    if let bit = DeviceRecallBit.allCases.first(where: { field.isNamed($0.dateField) }) {
                        recall.writeDates[bit] = try field.int32()
                    } else {
                        keep(field)
                    }
                }
            } else {
                keep(field)
            }
        }
        return recall
    }

    private mutating func environmentDetails(
        _ object: RecordObject
    ) throws(DecodeError) -> PlayIntegrityPayload.EnvironmentDetails {
        var environment = PlayIntegrityPayload.EnvironmentDetails()
        for member in object.members where !member.value.isNull {
            let field = PayloadMember(member: member, path: "environmentDetails")
            if field.isNamed("appAccessRiskVerdict") {
                for member in try field.object().members where !member.value.isNull {
                    let field = PayloadMember(member: member, path: "environmentDetails.appAccessRiskVerdict")
                    if field.isNamed("appsDetected") {
                        environment.appsDetected = try field.labels()
                    } else {
                        keep(field)
                    }
                }
            } else if field.isNamed("playProtectVerdict") {
                environment.playProtectVerdict = try field.label()
            } else if field.isNamed("locationSpoofingRiskVerdict") {
                environment.locationSpoofingRiskVerdict = try field.labelOrLabels()
            } else {
                keep(field)
            }
        }
        return environment
    }
}
