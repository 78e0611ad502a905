package import AssayCore
import AssayHTTPSignatures

extension PlayIntegrityConfiguration {
    /// The fields of `playIntegrity` in a policy, for its reader and `assay verify --set`.
    package static let fields = commonFields + androidFields + RequestRules.fields

    /// The fields for every app.
    private static let commonFields = [
        PolicyField("packageName", .text, isRequired: true, "The package name of the app."),
        PolicyField("platform", .words(IntegrityTokenForm.self), "What the app runs on."),
        PolicyField("keys", .list(.text), "The name of a key that opens classic tokens."),
        PolicyField("challenge", .words(ChallengeSource.self), "Who keeps track of nonces."),
        PolicyField("classicTokens", .words(TokenOpener.self), "Who opens classic tokens."),
        PolicyField("answers", .words(AnswerSource.self), "Who vouches for Google's answers."),
        PolicyField("freshness", .mapping, "How far the time of a token may be off."),
        PolicyField("freshness.past", .duration, "How old a token may be."),
        PolicyField("freshness.future", .duration, "How far ahead of the server's clock a token may be."),
        PolicyField(
            "licensing", .list(.words(LabelField.licensing.labels.map(\.name))), "A licensing verdict that is allowed."),
    ]

    /// The fields for Android apps only.
    static let androidFields =
        [
            PolicyField(
                "certificateDigests", .list(.text), isRequired: true,
                "The SHA-256 of a signing certificate that is allowed, hexadecimal or base64."),
            PolicyField("minimumVersionCode", .text, "The lowest version code that is allowed."),
        ] + PolicyField.versions + [
            PolicyField(
                "appRecognition", .list(.words(LabelField.appRecognition.labels.map(\.name))),
                "A verdict on the app that is allowed."),
            PolicyField(
                "deviceRecognition", .list(.mapping), "What devices must meet from some version of Android on."),
            PolicyField("minimumSDKVersion", .text, "The lowest SDK version that is allowed."),
            PolicyField(
                "maximumDeviceActivity", .words(IntegrityLabel.activityLevels.map(\.name)),
                "The highest level of activity."
            ),
            PolicyField("deviceRecall", .mapping, "The bits of device recall that are rejected."),
            PolicyField("deviceRecall.reject", .list(.words(DeviceRecallBit.self)), "A bit that must not be set."),
            PolicyField(
                "playProtect", .list(.words(LabelField.playProtect.labels.map(\.name))),
                "A verdict of Play Protect that is allowed."),
            PolicyField("appAccessRisk", .mapping, "What other apps must not be able to do."),
            PolicyField(
                "appAccessRisk.reject", .list(.words(LabelField.accessRisk.labels.map(\.name))),
                "An access that is rejected."),
            PolicyField("locationSpoofing", .mapping, "The verdicts on the location that are allowed."),
            PolicyField("locationSpoofing.allow", .list(.text), "A verdict that is allowed."),
        ]
}
