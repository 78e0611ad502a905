public import AssayCore

extension CheckID {
    /// Apple has answered about the device token.
    public static let deviceCheckAnswer = CheckID("device-check.answer")
    /// The device token is genuine.
    public static let deviceCheckToken = CheckID("device-check.token")
    /// The device is not banned.
    public static let deviceCheckBan = CheckID("device-check.ban")
    /// The device token comes for the first time.
    public static let deviceCheckReplay = CheckID("device-check.replay")
}

/// The checks of device tokens: their names and catalogue entries.
package enum DeviceCheckCheck {
    package static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            .deviceCheckAnswer, .signal, proves: "Apple's server has answered about the device token.",
            stops: """
                Nothing by itself. If Apple does not answer, the policy decides whether a verdict without the bits is \
                allowed.
                """,
            lookAt: "`assay_apple_requests_total`; the key of Apple's services (`assay keys list`) and the clock.",
            source: "Apple, Accessing and modifying per-device data", remedy: .retry,
            codes: [.appleUnavailable, .notAsked]),
        CheckDefinition(
            .deviceCheckToken, .policy(default: .enforce),
            proves: "Apple confirms that this team's app has just generated the device token on a genuine device.",
            stops: "Clients that hide the device's bits by sending no device token, or a forged one.",
            lookAt:
                "Whether the app sends `DCDevice.generateToken`, a new one each time, and `environment` in the policy.",
            source: "Apple, Accessing and modifying per-device data", remedy: .retry,
            codes: [.deviceTokenMissing, .deviceTokenRefused, .deviceTokenRepeated]),
        CheckDefinition(
            .deviceCheckBan, .policy(default: .enforce),
            proves: "The bits do not ban the device, or it has enrolled fewer keys than the limit.",
            stops: "Banned devices, even after the app is reinstalled or the device is erased.",
            lookAt:
                "`deviceBits` in the verdict. `assay devicecheck unban` removes the ban of the device of a key or account.",
            source: "Apple, Accessing and modifying per-device data", remedy: .contactSupport,
            codes: [.deviceBanned, .tooManyEnrolments]),
        CheckDefinition(
            .deviceCheckReplay, .ledger, proves: "The device token comes for the first time.",
            stops: "One device token of a clean device for the evidence of many others.",
            lookAt: "Whether the client sent a request twice: each record needs a new device token.",
            source: "Apple, Accessing and modifying per-device data", remedy: .retry, codes: CheckCode.ofDigest),
    ]
}

extension CheckCode {
    static let appleUnavailable = CheckCode(
        "apple-unavailable", "Apple's server gave no usable answer: the detail says what is known.")
    static let deviceTokenMissing = CheckCode(
        "device-token-missing", "The policy demands a device token of DeviceCheck with this kind of evidence.")
    static let deviceTokenRefused = CheckCode(
        "device-token-refused",
        "Apple does not take the device token: it is forged, used, too old, or of the other environment.")
    static let deviceTokenRepeated = CheckCode(
        "device-token-repeated",
        "The same evidence came with a device token again and again: Apple is not asked any more, so that no client uses up the quota.",
        remedy: .newAttestation)
    static let deviceBanned = CheckCode("device-banned", "A bit of the device says that it is banned.")
    static let tooManyEnrolments = CheckCode(
        "too-many-enrolments", "The device has enrolled as many keys as the policy allows.")
    static let notAsked = CheckCode(
        "not-asked", "Apple was not asked about a device token when the evidence was captured.")
}
