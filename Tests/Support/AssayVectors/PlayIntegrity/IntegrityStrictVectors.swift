import AssayTesting

/// Genuine classic tokens that a strict policy does not want: it enforces every signal that Google may leave out.
extension IntegrityVectorMint {
    var strictClassicEnvironment: [VectorCase] { licensing + playProtect + accessRisk + location }

    /// A token with every signal that the policy demands, and a change to it.
    private func strict(
        _ id: String, _ outcome: VectorOutcome, _ field: PlayIntegrityField? = nil, _ value: JSONItem? = nil
    ) -> VectorCase {
        classic("strict-\(id)", outcome) {
            $0.payload[.recallValues] = ["bitFirst": false, "bitSecond": true, "bitThird": false]
            $0.payload[.recallWriteDates] = ["yyyymmSecond": 202601]
            $0.payload[.locationSpoofingRiskVerdict] = ["LOW_RISK_DEVICE"]
            if let field { $0.payload[field] = value }
        }
    }

    private func accept(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        strict(id, .accept, field, value)
    }

    private func reject(_ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        strict(id, .reject(check), field, value)
    }

    var strictClassicDevice: [VectorCase] {
        func refused(_ id: String, _ value: JSONItem?) -> VectorCase {
            reject("activity-\(id)", "device-activity", .deviceActivityLevel, value)
        }
        func refused(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            reject("recall-\(id)", "device-recall", field, value)
        }
        return [
            strict("genuine", .accept),
            accept("sdk-30", .sdkVersion, 30), reject("sdk-29", "sdk-version", .sdkVersion, 29),
            reject("sdk-missing", "sdk-version", .sdkVersion, nil),
            reject("attributes-empty", "sdk-version", .deviceAttributes, [:]),
            strict("sdk-0", .reject("device-recognition", "sdk-version"), .sdkVersion, 0),
            accept("activity-level-2", .deviceActivityLevel, "LEVEL_2"),
            refused("level-3", "LEVEL_3"), refused("level-4", "LEVEL_4"), refused("unevaluated", "UNEVALUATED"),
            refused("missing", nil), refused("unknown", "LEVEL_5"), refused("level-0", "LEVEL_0"),
            refused("in-lower-case", "level_1"),
            reject("activity-empty", "device-activity", .recentDeviceActivity, [:]),
            accept("recall-second-bit-missing", .bitSecond, nil),
            refused("first-bit", .bitFirst, true), refused("third-bit", .bitThird, true),
            refused("both-bits", .recallValues, ["bitFirst": true, "bitSecond": true, "bitThird": true]),
            // Google leaves bits out that it cannot tell.
            refused("third-bit-missing", .bitThird, nil), refused("values-empty", .recallValues, [:]),
            refused("missing", .deviceRecall, nil), refused("empty", .deviceRecall, [:]),
        ]
    }

    private var licensing: [VectorCase] {
        func refused(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            reject("licensing-\(id)", "licensing", field, value)
        }
        return [
            refused("unlicensed", .appLicensingVerdict, "UNLICENSED"),
            refused("unevaluated", .appLicensingVerdict, "UNEVALUATED"),
            refused("unknown", .appLicensingVerdict, "LICENSED_SOON"), refused("missing", .appLicensingVerdict, nil),
            refused("account-empty", .accountDetails, [:]), refused("account-missing", .accountDetails, nil),
        ]
    }

    private var playProtect: [VectorCase] {
        func refused(_ id: String, _ value: JSONItem?) -> VectorCase {
            reject("play-protect-\(id)", "play-protect", .playProtectVerdict, value)
        }
        return [
            accept("play-protect-no-data", .playProtectVerdict, "NO_DATA"),
            refused("possible-risk", "POSSIBLE_RISK"), refused("medium-risk", "MEDIUM_RISK"),
            refused("high-risk", "HIGH_RISK"), refused("unevaluated", "UNEVALUATED"), refused("missing", nil),
            refused("unknown", "NO_ISSUES_AT_ALL"),
        ]
    }

    private var accessRisk: [VectorCase] {
        func refused(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            reject("access-risk-\(id)", "app-access-risk", field, value)
        }
        return [
            accept(
                "access-risk-known", .appsDetected,
                ["KNOWN_INSTALLED", "KNOWN_CAPTURING", "KNOWN_OVERLAYS", "KNOWN_CONTROLLING"]),
            accept("access-risk-unknown-installed", .appsDetected, ["KNOWN_INSTALLED", "UNKNOWN_INSTALLED"]),
            refused("capturing", .appsDetected, ["KNOWN_INSTALLED", "UNKNOWN_CAPTURING"]),
            refused("overlays", .appsDetected, ["UNKNOWN_OVERLAYS"]),
            refused("controlling", .appsDetected, ["UNKNOWN_CONTROLLING", "KNOWN_INSTALLED"]),
            refused("label-that-nobody-knows", .appsDetected, ["KNOWN_INSTALLED", "FUTURE_RISK"]),
            refused("unevaluated", .appAccessRiskVerdict, [:]), refused("missing", .appAccessRiskVerdict, nil),
        ]
    }

    private var location: [VectorCase] {
        func refused(_ id: String, _ value: JSONItem?) -> VectorCase {
            reject("location-\(id)", "location-spoofing", .locationSpoofingRiskVerdict, value)
        }
        return [
            accept("location-as-text", .locationSpoofingRiskVerdict, "LOW_RISK_DEVICE"),
            refused("high-risk", ["HIGH_RISK_NETWORK"]),
            refused("low-and-high-risk", ["LOW_RISK_DEVICE", "HIGH_RISK_NETWORK"]),
            refused("high-risk-as-text", "HIGH_RISK_NETWORK"), refused("unknown", ["FUTURE_DEVICE"]),
            refused("missing", nil),
            strict(
                "environment-missing", .reject("play-protect", "app-access-risk", "location-spoofing"),
                .environmentDetails, nil),
        ]
    }
}
