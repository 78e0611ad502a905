package import AssayCore

/// The checks of device tokens: their names and catalogue entries.
package enum DeviceCheckCheck {
    /// Apple has answered about the device token.
    package static let answer = CheckID("device-check.answer")
    /// The device token is genuine.
    package static let token = CheckID("device-check.token")
    /// The device is not banned.
    package static let ban = CheckID("device-check.ban")
    /// The device token comes for the first time.
    package static let replay = CheckID("device-check.replay")

    /// The entries, in the order in which the checks run.
    package static let catalogue: [CheckDefinition] = [
        CheckDefinition(
            answer, .signal, proves: "Apple's server has answered about the device token.",
            stops: "Nothing by itself: without an answer the verdict does without the bits, where policy says so.",
            lookAt: "`assay_apple_requests_total`; the key of Apple's services (`assay keys list`) and the clock.",
            source: "Apple, Accessing and modifying per-device data", remedy: .retry,
            codes: [.appleUnavailable, .notAsked]),
        CheckDefinition(
            token, .policy(default: .enforce),
            proves: "Apple takes the device token for one that this team's app has just made on a genuine device.",
            stops: "Evidence that keeps the device away from its bits, by no device token or by a forged one.",
            lookAt:
                "Whether the app sends `DCDevice.generateToken`, a new one each time, and `environment` in the policy.",
            source: "Apple, Accessing and modifying per-device data", remedy: .retry,
            codes: [.deviceTokenMissing, .deviceTokenRefused]),
        CheckDefinition(
            ban, .policy(default: .enforce),
            proves: "The bits do not ban the device, or it has enrolled fewer keys than the limit.",
            stops:
                "Devices that were found to do harm, after reinstallation of the app and erasure of the device, too.",
            lookAt:
                "`deviceBits` in the verdict. `assay devicecheck unban` removes the ban of the device of a key or account.",
            source: "Apple, Accessing and modifying per-device data", remedy: .contactSupport,
            codes: [.deviceBanned, .tooManyEnrolments]),
        CheckDefinition(
            replay, .ledger, proves: "The device token comes for the first time.",
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
    static let deviceBanned = CheckCode("device-banned", "A bit of the device says that it is banned.")
    static let tooManyEnrolments = CheckCode(
        "too-many-enrolments", "The device has enrolled as many keys as the policy allows.")
    static let notAsked = CheckCode(
        "not-asked", "Apple was not asked about a device token when the evidence was captured.")
}
