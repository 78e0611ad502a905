import AssayTesting

/// Classic tokens under a policy in which every setting differs from the default.
extension IntegrityVectorMint {
    private func lenient(
        _ id: String, _ outcome: VectorOutcome, _ field: PlayIntegrityField, _ value: JSONItem?
    ) -> VectorCase {
        classic("lenient-\(id)", outcome) {
            $0.payload[.locationSpoofingRiskVerdict] = ["HIGH_RISK_NETWORK"]
            $0.payload[field] = value
        }
    }

    var lenientClassic: [VectorCase] {
        func time(_ id: String, _ outcome: VectorOutcome, _ offset: Int64) -> VectorCase {
            lenient("time-\(id)", outcome, .timestampMillis, milliseconds(offset))
        }
        func isMet(_ id: String, _ isAccepted: Bool, sdk: JSONItem?, _ labels: String...) -> VectorCase {
            classic("lenient-device-\(id)", isAccepted ? .accept : .reject("device-recognition")) {
                $0.payload[.locationSpoofingRiskVerdict] = ["LOW_RISK_DEVICE"]
                $0.payload[.deviceRecognitionVerdict] = .array(labels.map { .text("MEETS_\($0)_INTEGRITY") })
                $0.payload[.sdkVersion] = sdk
            }
        }
        return [
            lenient("unrecognized-version", .accept, .appRecognitionVerdict, "UNRECOGNIZED_VERSION"),
            lenient("app-unevaluated", .reject("app-recognition"), .appRecognitionVerdict, "UNEVALUATED"),
            lenient("unlicensed", .accept, .appLicensingVerdict, "UNLICENSED"),
            lenient("licensing-unevaluated", .reject("licensing"), .appLicensingVerdict, "UNEVALUATED"),
            time("at-the-past-end", .accept, -10_000), time("too-old", .reject("freshness"), -10_001),
            time("at-the-future-end", .accept, 0), time("too-early", .reject("freshness"), 1),
            isMet("sdk-36-device", true, sdk: 36, "DEVICE"), isMet("sdk-30-device", true, sdk: 30, "DEVICE"),
            isMet("sdk-30-strong", true, sdk: 30, "STRONG"), isMet("sdk-30-basic", false, sdk: 30, "BASIC"),
            isMet("sdk-29-basic", true, sdk: 29, "BASIC"), isMet("sdk-21-basic", true, sdk: 21, "BASIC"),
            isMet("sdk-21-device", true, sdk: 21, "DEVICE"), isMet("sdk-21-virtual", false, sdk: 21, "VIRTUAL"),
            isMet("sdk-20-strong", false, sdk: 20, "BASIC", "DEVICE", "STRONG"),
            isMet("sdk-missing-device", true, sdk: nil, "DEVICE"), isMet("sdk-missing-basic", false, sdk: nil, "BASIC"),
            lenient("play-protect-medium-risk", .accept, .playProtectVerdict, "MEDIUM_RISK"),
            lenient("play-protect-high-risk", .reject("play-protect"), .playProtectVerdict, "HIGH_RISK"),
            lenient("access-risk-capturing", .accept, .appsDetected, ["UNKNOWN_CAPTURING"]),
            lenient("access-risk-controlling", .reject("app-access-risk"), .appsDetected, ["KNOWN_CONTROLLING"]),
            lenient(
                "location-allowed", .accept, .locationSpoofingRiskVerdict, ["LOW_RISK_DEVICE", "HIGH_RISK_NETWORK"]),
            lenient("location-unknown", .reject("location-spoofing"), .locationSpoofingRiskVerdict, ["FUTURE"]),
        ]
    }
}
