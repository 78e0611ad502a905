public import AssayCore

/// The checks of device tokens of Apple's DeviceCheck, by name.
extension CheckID {
    /// Apple has answered about the device token.
    public static let deviceCheckAnswer = CheckID("device-check.answer")
    /// The device is not banned.
    public static let deviceCheckBan = CheckID("device-check.ban")
    /// The device token comes for the first time.
    public static let deviceCheckReplay = CheckID("device-check.replay")
    /// The device token is genuine.
    public static let deviceCheckToken = CheckID("device-check.token")
}
