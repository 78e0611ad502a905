import AssayTesting

/// Genuine classic tokens that a strict policy rejects. The policy enforces every signal that Google may omit.
extension IntegrityVectorMint {
    /// A token with every signal that the policy demands, after a change.
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
        func activity(_ id: String, _ value: JSONItem?) -> VectorCase {
            reject("activity-\(id)", "device-activity", .deviceActivityLevel, value)
        }
        func recall(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            reject("recall-\(id)", "device-recall", field, value)
        }
        return [
            strict("genuine", .accept),
            accept("sdk-30", .sdkVersion, 30), reject("sdk-29", "sdk-version", .sdkVersion, 29),
            reject("sdk-missing", "sdk-version", .sdkVersion, nil),
            reject("attributes-empty", "sdk-version", .deviceAttributes, [:]),
            strict("sdk-0", .reject("device-recognition", "sdk-version"), .sdkVersion, 0),
            accept("activity-level-2", .deviceActivityLevel, "LEVEL_2"),
            activity("level-3", "LEVEL_3"), activity("level-4", "LEVEL_4"), activity("unevaluated", "UNEVALUATED"),
            activity("missing", nil), activity("unknown", "LEVEL_5"), activity("level-0", "LEVEL_0"),
            activity("in-lower-case", "level_1"),
            reject("activity-empty", "device-activity", .recentDeviceActivity, [:]),
            accept("recall-second-bit-missing", .bitSecond, nil),
            recall("first-bit", .bitFirst, true), recall("third-bit", .bitThird, true),
            recall("both-bits", .recallValues, ["bitFirst": true, "bitSecond": true, "bitThird": true]),
            // Google omits bits that it cannot determine.
            recall("third-bit-missing", .bitThird, nil), recall("values-empty", .recallValues, [:]),
            recall("missing", .deviceRecall, nil), recall("empty", .deviceRecall, [:]),
        ]
    }

    var strictClassicEnvironment: [VectorCase] {
        func licensing(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            reject("licensing-\(id)", "licensing", field, value)
        }
        func playProtect(_ id: String, _ value: JSONItem?) -> VectorCase {
            reject("play-protect-\(id)", "play-protect", .playProtectVerdict, value)
        }
        func accessRisk(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            reject("access-risk-\(id)", "app-access-risk", field, value)
        }
        func location(_ id: String, _ value: JSONItem?) -> VectorCase {
            reject("location-\(id)", "location-spoofing", .locationSpoofingRiskVerdict, value)
        }
        return [
            licensing("unlicensed", .appLicensingVerdict, "UNLICENSED"),
            licensing("unevaluated", .appLicensingVerdict, "UNEVALUATED"),
            licensing("unknown", .appLicensingVerdict, "LICENSED_SOON"),
            licensing("missing", .appLicensingVerdict, nil),
            licensing("account-empty", .accountDetails, [:]), licensing("account-missing", .accountDetails, nil),
            accept("play-protect-no-data", .playProtectVerdict, "NO_DATA"),
            playProtect("possible-risk", "POSSIBLE_RISK"), playProtect("medium-risk", "MEDIUM_RISK"),
            playProtect("high-risk", "HIGH_RISK"), playProtect("unevaluated", "UNEVALUATED"),
            playProtect("missing", nil),
            playProtect("unknown", "NO_ISSUES_AT_ALL"),
            accept(
                "access-risk-known", .appsDetected,
                ["KNOWN_INSTALLED", "KNOWN_CAPTURING", "KNOWN_OVERLAYS", "KNOWN_CONTROLLING"]),
            accept("access-risk-unknown-installed", .appsDetected, ["KNOWN_INSTALLED", "UNKNOWN_INSTALLED"]),
            accessRisk("capturing", .appsDetected, ["KNOWN_INSTALLED", "UNKNOWN_CAPTURING"]),
            accessRisk("overlays", .appsDetected, ["UNKNOWN_OVERLAYS"]),
            accessRisk("controlling", .appsDetected, ["UNKNOWN_CONTROLLING", "KNOWN_INSTALLED"]),
            accessRisk("label-that-nobody-knows", .appsDetected, ["KNOWN_INSTALLED", "FUTURE_RISK"]),
            accessRisk("unevaluated", .appAccessRiskVerdict, [:]), accessRisk("missing", .appAccessRiskVerdict, nil),
            accept("location-as-text", .locationSpoofingRiskVerdict, "LOW_RISK_DEVICE"),
            location("high-risk", ["HIGH_RISK_NETWORK"]),
            location("low-and-high-risk", ["LOW_RISK_DEVICE", "HIGH_RISK_NETWORK"]),
            location("high-risk-as-text", "HIGH_RISK_NETWORK"), location("unknown", ["FUTURE_DEVICE"]),
            location("missing", nil),
            strict(
                "environment-missing", .reject("play-protect", "app-access-risk", "location-spoofing"),
                .environmentDetails, nil),
        ]
    }
}
