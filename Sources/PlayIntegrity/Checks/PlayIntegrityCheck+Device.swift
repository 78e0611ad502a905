public import AssayCore

extension CheckID {
    /// The device has the label that the policy demands for its Android version.
    public static let playIntegrityDeviceRecognition = CheckID("play-integrity.device-recognition")
    /// The device's Android version is not too old.
    public static let playIntegritySDKVersion = CheckID("play-integrity.sdk-version")
    /// The device has not requested too many tokens.
    public static let playIntegrityDeviceActivity = CheckID("play-integrity.device-activity")
    /// The app's owner has not flagged the device.
    public static let playIntegrityDeviceRecall = CheckID("play-integrity.device-recall")
    /// The game runs in a genuine Google Play Games on PC.
    public static let playIntegrityPCIntegrity = CheckID("play-integrity.pc-integrity")
}

extension PlayIntegrityCheck {
    private var device: PlayIntegrityPayload.DeviceIntegrity { payload.deviceIntegrity }

    static let deviceRecognitionEntry = CheckDefinition(
        .playIntegrityDeviceRecognition, .policy(default: .enforce),
        proves: "The device meets the label that the policy demands of its version of Android, or a stronger one.",
        stops: "Rooted devices, unlocked boot loaders, emulators, and systems without security updates.",
        lookAt: """
            deviceRecognition in the policy, and the responses that are turned on in the Play Console: without device attributes \
            Google does not tell the version of Android, and without MEETS_STRONG_INTEGRITY no device has that label. \
            Dialogs GET_INTEGRITY (4) and GET_STRONG_INTEGRITY (5) tell the user what to repair.
            """,
        source: "\(verdicts), device integrity",
        remedy: .contactSupport,
        codes: [.notOnPC, .androidTooOld, .playIntegrityDeviceLabelMissing, .sdkVersionUnknown])

    /// A version below all rules fails; a missing one falls under the strictest. Without rules, the lowest label of the guidance is
    /// demanded: a new app in the Play Console gets neither the version nor the strong label, for any device.
    func deviceRecognition() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        let labels = device.deviceRecognitionVerdict ?? []
        func meets(_ label: IntegrityLabel?) -> Bool {
            label.map { label in labels.contains { $0.satisfies(label) } } ?? false
        }
        let sdk = device.sdkVersion
        var rule = expectations.strictestDeviceLabel
        if let sdk { rule = android.deviceRecognition.first { sdk >= $0.minimumSDK }?.require }
        guard let demanded = rule else {
            throw CheckFailure(
                .androidTooOld,
                "SDK \(sdk ?? 0) is below every rule of the policy, the lowest of which is for SDK "
                    + "\(android.deviceRecognition.last?.minimumSDK ?? 0)")
        }
        if meets(demanded) { return .passed }
        let lowest = android.deviceRecognition.last?.require
        if sdk == nil, meets(lowest) {
            let console =
                "Google does not tell the device's version of Android: turn on \(PlayConsole.deviceAttributes) and "
                + "\(PlayConsole.strongIntegrity) in \(PlayConsole.responses)"
            guard android.statesDeviceRecognition else {
                return .annotated(
                    Finding(
                        .sdkVersionUnknown,
                        "\(console). Until then, \(lowest?.name ?? "") suffices, as the policy has no deviceRecognition"
                    ))
            }
            throw CheckFailure(
                .sdkVersionUnknown,
                "the device meets \(labels.listed), demanded is \(demanded.name) for a device that does not tell its SDK. \(console)"
            )
        }
        let dialog = demanded == .strong ? RemediationDialog.getStrongIntegrity : RemediationDialog.getIntegrity
        throw CheckFailure(
            .playIntegrityDeviceLabelMissing,
            "the device meets \(labels.listed), demanded is \(demanded.name) for "
                + (sdk.map { "SDK \($0)" } ?? "a device that does not tell its SDK") + "; \(dialog)")
    }

    static let sdkVersionEntry = CheckDefinition(
        .playIntegritySDKVersion, .policy(default: .enforce),
        proves: "The device's version of Android is at least the policy's minimum.",
        stops: "Systems that get no security updates any more.",
        lookAt: "minimumSDKVersion in the policy; whether device attributes are enabled in the Play Console.",
        source: "\(verdicts), device attributes",
        remedy: .updateSystem, codes: [.notOnPC, .sdkVersionMissing, .sdkVersionTooLow])

    func sdkVersion() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        guard let minimum = android.minimumSDKVersion else { return .notRequired }
        guard let version = device.sdkVersion else {
            return try absent(
                CheckID.playIntegritySDKVersion, .sdkVersionMissing,
                "the policy demands an SDK version, and the payload has none")
        }
        guard version >= minimum else {
            throw CheckFailure(.sdkVersionTooLow, "SDK \(version), at least \(minimum) is demanded")
        }
        return .passed
    }

    static let deviceActivityEntry = CheckDefinition(
        .playIntegrityDeviceActivity, .policy(default: .enforce),
        proves: "The device asked for no more tokens in the last hour than the policy allows.",
        stops: "Devices that serve tokens to others.",
        lookAt: "maximumDeviceActivity in the policy; whether the signal is enabled in the Play Console.",
        source: "\(verdicts), recent device activity",
        remedy: .retry, codes: [.notOnPC, .deviceActivityMissing, .deviceActivityTooHigh])

    func deviceActivity() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        guard let maximum = android.maximumDeviceActivity, let highest = maximum.activityRank else {
            return .notRequired
        }
        guard let level = device.deviceActivityLevel, level != .unevaluated else {
            return try absent(
                CheckID.playIntegrityDeviceActivity, .deviceActivityMissing,
                "the policy limits the activity of devices, and Google did not evaluate it")
        }
        guard let rank = level.activityRank, rank <= highest else {
            throw CheckFailure(
                .deviceActivityTooHigh, "the activity is \(level.name.excerpt), at most \(maximum.name) is allowed")
        }
        return .passed
    }

    static let deviceRecallEntry = CheckDefinition(
        .playIntegrityDeviceRecall, .policy(default: .enforce),
        proves: "None of the bits for which the policy rejects devices is set.",
        stops: "Devices that were found to be abused, also after a factory reset.",
        lookAt: """
            deviceRecall in the policy; who writes the bits, and whether the signal is enabled in the Play Console. \
            `assay playintegrity unban` clears the bit of the device of an account.
            """,
        source: "Google, Play Integrity API, Device recall",
        remedy: .contactSupport,
        codes: [
            .notOnPC, .deviceRecallSet, .deviceRecallMissing, .deviceRecallBanned, .deviceRecallNotWritten,
        ])

    /// No bit is set that the policy rejects. A missing bit counts as unknown, not as unset.
    func deviceRecall() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        let rejected = android.rejectedRecallBits
        if rejected.isEmpty { return .notRequired }
        let recall = device.deviceRecall ?? PlayIntegrityPayload.DeviceRecall()
        for bit in rejected where recall.values[bit] == true {
            throw CheckFailure(
                .deviceRecallSet,
                "\(bit.rawValue) is set\(recall.writeDates[bit].map { " since \($0)" } ?? ""), and the policy rejects "
                    + "such devices")
        }
        for bit in rejected where recall.values[bit] == nil {
            return try absent(
                CheckID.playIntegrityDeviceRecall, .deviceRecallMissing,
                "the policy rejects devices by \(bit.rawValue), and the payload does not tell it")
        }
        return .passed
    }

    static let pcIntegrityEntry = CheckDefinition(
        .playIntegrityPCIntegrity, .policy(default: .enforce),
        proves: "The game runs in a genuine Google Play Games on PC.",
        stops: "Emulators and patched clients in its place.",
        lookAt: "`platform` in the policy; what Google Play Games says on the PC.",
        source: "Google, Play Integrity API for PC",
        remedy: .contactSupport, codes: [.notOnAndroid, .pcLabelMissing])

    func pcIntegrity() throws(CheckFailure) -> PolicyAnswer {
        guard android == nil else { return Self.notOnAndroid }
        let labels = device.deviceRecognitionVerdict ?? []
        guard labels.contains(.pc) else {
            throw CheckFailure(
                .pcLabelMissing, "the PC meets \(labels.listed), demanded is \(IntegrityLabel.pc.name)")
        }
        return .passed
    }
}

/// What Google sends only when it is turned on for the app (Google, "Integrity verdicts": Play Console, Test and release, App
/// integrity, Play Integrity API, Settings, Responses).
enum PlayConsole {
    static let responses = "the Play Console (App integrity, Play Integrity API, Settings, Responses)"
    static let deviceAttributes = "device attributes"
    static let strongIntegrity = "MEETS_STRONG_INTEGRITY"
    static let basicIntegrity = "MEETS_BASIC_INTEGRITY"
    static let deviceActivity = "recent device activity"
    static let deviceRecall = "device recall"
}

extension CheckCode {
    fileprivate static let androidTooOld = CheckCode(
        "android-too-old",
        "The device's version of Android is below every rule of deviceRecognition: add a rule to allow it.",
        remedy: .updateSystem)
    /// The device lacks the label that `deviceRecognition` demands.
    public static let playIntegrityDeviceLabelMissing = CheckCode(
        "device-label-missing",
        """
        The device does not have the integrity label that the policy demands of its version of Android. If no device has \
        MEETS_STRONG_INTEGRITY, it is not turned on in the Play Console. Google evaluates only MEETS_DEVICE_INTEGRITY for installs that \
        it does not license: compare play-integrity.licensing before blaming a device without MEETS_STRONG_INTEGRITY.
        """)
    fileprivate static let sdkVersionUnknown = CheckCode(
        "sdk-version-unknown",
        """
        Google does not tell the device's version of Android, so that no rule of deviceRecognition can be chosen by it: turn on the \
        device attributes, and MEETS_STRONG_INTEGRITY, in the Play Console. Without rules in the policy, MEETS_DEVICE_INTEGRITY \
        suffices until then, noted.
        """)
    fileprivate static let sdkVersionMissing = CheckCode(
        "sdk-version-missing",
        "The policy demands an SDK version, and the payload has none: enable device attributes in the Play Console.",
        remedy: .contactSupport)
    fileprivate static let sdkVersionTooLow = CheckCode(
        "sdk-version-too-low",
        "The device's version of Android is below minimumSDKVersion: the user updates the device.")
    fileprivate static let deviceActivityMissing = CheckCode(
        "device-activity-missing",
        """
        The policy limits the device's activity, and Google did not evaluate it: enable the signal in the Play \
        Console.
        """, remedy: .contactSupport)
    fileprivate static let deviceActivityTooHigh = CheckCode(
        "device-activity-too-high",
        "The device asked for more tokens in the last hour than maximumDeviceActivity allows.")
    static let deviceRecallSet = CheckCode(
        "device-recall-set", "The app's owner set a bit on the device for which the policy rejects devices.")
    static let deviceRecallBanned = CheckCode(
        "device-recall-banned",
        "The policy says deviceRecall.blocks: ban, and the account is blocked: the bit of the device is set now.")
    static let deviceRecallNotWritten = CheckCode(
        "device-recall-not-written",
        """
        The policy says deviceRecall.blocks: ban, and Google has not written the bit: the detail says why. The next token of the device \
        tries again.
        """)
    fileprivate static let deviceRecallMissing = CheckCode(
        "device-recall-missing",
        "The policy rejects devices by recall bits, and the payload lacks one: enable the signal in the Play Console.")
    fileprivate static let pcLabelMissing = CheckCode(
        "pc-label-missing", "The PC does not have the label of a genuine Google Play Games.")
}
