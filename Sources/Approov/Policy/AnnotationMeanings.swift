import AssayCore

/// The meanings of the device properties in `anno` (Approov, Annotation Results).
package enum AnnotationMeanings {
    /// The meaning of a property; nil if unknown.
    package static func meaning(of annotation: String) -> String? {
        words.first { $0.name.isByteEqual(to: annotation) }?.meaning
    }

    /// The properties that Approov documents.
    static let names = words.map(\.name)

    private static let words: [(name: String, meaning: String)] = [
        ("debug", "a debugger is attached to the app"),
        ("scan-fail", "a check of app or device failed, which is suspicious"),
        ("tampered", "a check of the app's integrity at run time failed, which is suspicious"),
        ("bad-nonce", "the nonce of the exchange with Approov may have been replayed, which is suspicious"),
        ("bad-hmac", "the exchange with Approov was changed on its way"),
        ("devices-exceeded", "the account has more devices than it may have"),
        ("device-changed", "the device ID was tampered with"),
        ("app-not-registered", "the app is not registered with the account: forged, changed, or a new build"),
        ("rooted", "the Android device is rooted"), ("jailbroken", "the iOS device is jailbroken"),
        ("root-risk", "the device may be rooted, which is not proved"),
        ("emulator", "the app runs on an Android emulator"), ("ios-simulator", "the app runs on the iOS simulator"),
        ("xposed", "the Xposed framework is in the Android app"),
        ("xposed-unsafe", "Xposed is in the Android app, with a module that takes data out of apps"),
        ("cydia", "Cydia is on the iOS device or in the app"), ("frida", "Frida is in the app"),
        ("frida-hook", "Frida has changed functions of the app"),
        ("cycript", "Cycript is in the iOS app"),
        ("magisk-man-hidden", "the root manager Magisk is on the Android device, and hides"),
        ("init-config-outdated", "the SDK began with an old configuration, and fetched the new one"),
        ("devicecheck-ban", "the iOS device is banned permanently, through DeviceCheck"),
        ("devicecheck-apple-err", "Apple did not answer Approov's question about the iOS device's DeviceCheck bits"),
        ("new-did", "Approov has not seen the device ID before"),
    ]
}
