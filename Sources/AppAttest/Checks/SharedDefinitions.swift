import AssayCore

/// The checks that attestations and assertions have in common: one rule, one explanation, two names.
extension CheckDefinition {
    /// How the app got onto the device.
    static func validationCategory(_ id: CheckID) -> CheckDefinition {
        CheckDefinition(
            id, .policy(default: .enforce),
            proves: "The app was installed in a way that the policy allows, and never in one that is inappropriate.",
            stops: "Re-signed and sideloaded copies of the app.",
            lookAt: "validationCategories in the policy. Systems before iOS 27 and macOS 27 do not tell the category.",
            source: "Apple, Validating apps that connect to your server, authenticator data extensions")
    }

    /// The app's build.
    static func bundleVersion(_ id: CheckID) -> CheckDefinition {
        CheckDefinition(
            id, .policy(default: .enforce),
            proves: "The app's build is at least the policy's minimum.",
            stops: "Old builds with known holes.",
            lookAt: "minimumBundleVersion in the policy. Systems before iOS 27 and macOS 27 do not tell the build.",
            source: "Apple, Validating apps that connect to your server, authenticator data extensions")
    }
}
