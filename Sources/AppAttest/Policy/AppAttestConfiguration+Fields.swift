package import AssayCore
import AssayHTTPSignatures

extension AppAttestConfiguration {
    /// The fields of `appAttest` in a policy and of `assay verify --set`.
    package static let fields =
        [
            PolicyField("appIDs", .list(.text), isRequired: true, "An App ID that is allowed."),
            PolicyField(
                "environments", .list(.words(AttestEnvironment.self)), isRequired: true, "An environment to allow."),
            PolicyField("challenge", .words(ChallengeSource.self), isRequired: true, "Who keeps track of challenges."),
            PolicyField("clientData", .text, isRequired: true, "Where client data carries the challenge: raw or none."),
            PolicyField("clientData.challengeAt", .text, "The JSON pointer to the challenge in client data."),
            PolicyField("counter", .text, "Which steps of a counter are allowed: increasing, successor or window(N)."),
            PolicyField("reattestation", .words(Reattestation.self), "What becomes of a further attestation of a key."),
            PolicyField("account", .words(AccountBinding.self), "How the accounts of requests and keys are compared."),
            PolicyField("maximumKeys", .text, "How many keys one account may have."),
            PolicyField(
                "keysExceeded", .words(AccountKeyLimit.Excess.self), "What becomes of a key beyond maximumKeys."),
            PolicyField("minimumOSVersion", .text, "The lowest operating system version of an attestation."),
            PolicyField("minimumOSVersion.iOS", .text, "The lowest version of iOS."),
            PolicyField("minimumOSVersion.macOS", .text, "The lowest version of macOS."),
            PolicyField("minimumBundleVersion", .text, "The lowest bundle version."),
        ] + PolicyField.versions + [
            PolicyField(
                "validationCategories", .list(.words(ValidationCategory.self)), "A way of distribution that is allowed."
            ),
            PolicyField("receipt", .mapping, "What is demanded of refreshed receipts."),
            PolicyField("receipt.maximumAge", .duration, "How old a refreshed receipt may be."),
            PolicyField("receipt.maximumRiskMetric", .text, "The greatest risk metric that is allowed."),
            PolicyField(
                "receipt.maximumRiskMetricAge", .duration, "How old the risk metric of an assertion's key may be."),
            PolicyField("receipt.keep", .words(ReceiptKeeping.self), "How receipts are kept, to refresh them."),
            PolicyField("testRoots", .list(.file), "PEM roots of a test authority in place of Apple's."),
        ] + RequestRules.fields
}
