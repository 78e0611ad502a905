import AssayCore

/// What must hold of the device.
extension PolicyChecks {
    private var device: PlayIntegrityPayload.DeviceIntegrity { payload.deviceIntegrity }

    /// The device meets the label that the rule for its version of Android demands, or a stronger one.
    ///
    /// Without a version the strictest rule applies; below all rules nothing passes.
    func deviceRecognition() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        let labels = device.deviceRecognitionVerdict ?? []
        let sdk = device.sdkVersion
        var rule = expectations.strictestDeviceLabel
        if let sdk { rule = android.deviceRecognition.first { sdk >= $0.minimumSDK }?.require }
        guard let demanded = rule else {
            throw CheckFailure(
                "android-too-old",
                "SDK \(sdk ?? 0) is below every rule of the policy, the lowest of which is for SDK "
                    + "\(android.deviceRecognition.last?.minimumSDK ?? 0)")
        }
        guard labels.contains(where: { $0.satisfies(demanded) }) else {
            let dialog =
                demanded == .strong ? RemediationDialog.getStrongIntegrity : RemediationDialog.getIntegrity
            throw CheckFailure(
                "device-label-missing",
                "the device meets \(labels.listed), demanded is \(demanded.name) for "
                    + (sdk.map { "SDK \($0)" } ?? "a device that does not tell its SDK") + "; \(dialog)")
        }
        return .holds
    }

    /// The version of Android is at least the policy's minimum.
    func sdkVersion() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        guard let minimum = android.minimumSDKVersion else { return .notAsked }
        guard let version = device.sdkVersion else {
            return try absent(
                PlayIntegrityCheck.sdkVersion, "sdk-version-missing",
                "the policy demands an SDK version, and the payload has none")
        }
        guard version >= minimum else {
            throw CheckFailure("sdk-version-too-low", "SDK \(version), at least \(minimum) is demanded")
        }
        return .holds
    }

    /// The device asked for no more tokens lately than the policy allows.
    func deviceActivity() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        guard let maximum = android.maximumDeviceActivity, let highest = maximum.rank else { return .notAsked }
        guard let level = device.deviceActivityLevel, level != .unevaluated else {
            return try absent(
                PlayIntegrityCheck.deviceActivity, "device-activity-missing",
                "the policy limits the activity of devices, and Google did not evaluate it")
        }
        guard let rank = level.rank, rank <= highest else {
            throw CheckFailure(
                "device-activity-too-high", "the activity is \(level.name.excerpt), at most \(maximum.name) is allowed")
        }
        return .holds
    }

    /// None of the bits is set for which the policy rejects devices. A bit that is not told counts as unknown, not as
    /// unset.
    func deviceRecall() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        let rejected = android.rejectedRecallBits
        if rejected.isEmpty { return .notAsked }
        let recall = device.deviceRecall ?? PlayIntegrityPayload.DeviceRecall()
        for bit in rejected where recall.values[bit] == true {
            throw CheckFailure(
                "device-recall-set",
                "\(bit.rawValue) is set\(recall.writeDates[bit].map { " since \($0)" } ?? ""), and the policy rejects "
                    + "such devices")
        }
        for bit in rejected where recall.values[bit] == nil {
            return try absent(
                PlayIntegrityCheck.deviceRecall, "device-recall-missing",
                "the policy rejects devices by \(bit.rawValue), and the payload does not tell it")
        }
        return .holds
    }

    /// The game runs in a genuine Google Play Games on PC.
    func pcIntegrity() throws(CheckFailure) -> PolicyAnswer {
        guard android == nil else { return Self.notOnAndroid }
        let labels = device.deviceRecognitionVerdict ?? []
        guard labels.contains(.pc) else {
            throw CheckFailure(
                "pc-label-missing", "the PC meets \(labels.listed), demanded is \(DeviceIntegrityLabel.pc.name)")
        }
        return .holds
    }
}
