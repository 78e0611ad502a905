import AssayTesting

/// Classic tokens of devices of all ages. The default rule demands STRONG from Android 13 on and DEVICE from Android 9
/// to 12, and rejects older versions.
extension IntegrityVectorMint {
    var classicDevice: [VectorCase] { rules + oddities }

    private static let labels: [(name: String, labels: [String])] = [
        ("nothing", []), ("basic", ["MEETS_BASIC_INTEGRITY"]),
        ("device", ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY"]),
        ("strong", ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"]),
        ("strong-alone", ["MEETS_STRONG_INTEGRITY"]), ("device-alone", ["MEETS_DEVICE_INTEGRITY"]),
        ("virtual", ["MEETS_VIRTUAL_INTEGRITY"]),
        ("virtual-and-basic", ["MEETS_VIRTUAL_INTEGRITY", "MEETS_BASIC_INTEGRITY"]),
        ("legacy-of-another-name", ["MEETS_CTS_PROFILE"]), ("pc", ["MEETS_PC_INTEGRITY"]),
        ("strong-in-lower-case", ["meets_strong_integrity"]), ("strong-with-space", ["MEETS_STRONG_INTEGRITY "]),
    ]

    private func device(_ id: String, _ isAccepted: Bool, _ labels: [String]?, sdk: JSONItem?) -> VectorCase {
        classic("device-\(id)", isAccepted ? .accept : .reject("device-recognition")) {
            $0.payload[.deviceRecognitionVerdict] = labels.map { .array($0.map { .text($0) }) }
            $0.payload[.sdkVersion] = sdk
        }
    }

    private var rules: [VectorCase] {
        let ages: [(String, JSONItem?, Set<String>)] = [
            ("sdk-0", 0, []), ("sdk-27", 27, []), ("sdk-28", 28, ["device", "device-alone", "strong", "strong-alone"]),
            ("sdk-32", 32, ["device", "device-alone", "strong", "strong-alone"]),
            ("sdk-33", 33, ["strong", "strong-alone"]),
            ("sdk-36", 36, ["strong", "strong-alone"]), ("sdk-2147483647", 2_147_483_647, ["strong", "strong-alone"]),
            ("sdk-missing", nil, ["strong", "strong-alone"]),
        ]
        return ages.flatMap { age, sdk, accepted in
            Self.labels.map { device("\(age)-\($0.name)", accepted.contains($0.name), $0.labels, sdk: sdk) }
        }
    }

    private var oddities: [VectorCase] {
        [
            device("labels-twice", true, ["MEETS_STRONG_INTEGRITY", "MEETS_STRONG_INTEGRITY"], sdk: 36),
            device("labels-in-another-order", true, ["MEETS_STRONG_INTEGRITY", "MEETS_BASIC_INTEGRITY"], sdk: 36),
            classic("device-strong-in-the-legacy-verdict-alone", .reject("device-recognition")) {
                $0.payload[.deviceRecognitionVerdict] = ["MEETS_DEVICE_INTEGRITY"]
                $0.payload[.legacyDeviceRecognitionVerdict] = ["MEETS_STRONG_INTEGRITY"]
            },
            classic("device-strong-in-an-unknown-field-alone", .reject("device-recognition")) {
                $0.payload[.deviceRecognitionVerdict] = nil
                $0.payload[PlayIntegrityField("deviceIntegrity", "futureVerdict")] = ["MEETS_STRONG_INTEGRITY"]
            },
            classic("device-verdict-missing", .reject("device-recognition"), .deviceRecognitionVerdict, nil),
            classic("device-integrity-empty", .reject("device-recognition"), .deviceIntegrity, [:]),
            classic("device-integrity-missing", .reject("device-recognition"), .deviceIntegrity, nil),
            classic("device-attributes-empty-and-device", .reject("device-recognition")) {
                $0.payload[.deviceAttributes] = [:]
                $0.payload[.deviceRecognitionVerdict] = ["MEETS_DEVICE_INTEGRITY"]
            },
        ]
    }
}
