import AssayCore

/// Runs the checks that a policy may relax, in their order.
struct PolicyChecks {
    let payload: PlayIntegrityPayload
    let expectations: PlayIntegrityExpectations

    /// What the policy demands on Android, and nil for a game on PC.
    var android: PlayIntegrityConfiguration.AndroidRules? { expectations.configuration.android }

    static func run(
        _ payload: PlayIntegrityPayload, _ expectations: PlayIntegrityExpectations, _ run: inout CheckRun
    ) {
        let checks = PolicyChecks(payload: payload, expectations: expectations)
        run.policy(PlayIntegrityCheck.appRecognition) { () throws(CheckFailure) in try checks.appRecognition() }
        run.policy(PlayIntegrityCheck.appPackage) { () throws(CheckFailure) in try checks.appPackage() }
        run.policy(PlayIntegrityCheck.certificate) { () throws(CheckFailure) in try checks.certificate() }
        run.policy(PlayIntegrityCheck.versionCode) { () throws(CheckFailure) in try checks.versionCode() }
        run.policy(PlayIntegrityCheck.deviceRecognition) { () throws(CheckFailure) in try checks.deviceRecognition() }
        run.policy(PlayIntegrityCheck.sdkVersion) { () throws(CheckFailure) in try checks.sdkVersion() }
        run.policy(PlayIntegrityCheck.deviceActivity) { () throws(CheckFailure) in try checks.deviceActivity() }
        run.policy(PlayIntegrityCheck.deviceRecall) { () throws(CheckFailure) in try checks.deviceRecall() }
        run.policy(PlayIntegrityCheck.licensing) { () throws(CheckFailure) in try checks.licensing() }
        run.policy(PlayIntegrityCheck.playProtect) { () throws(CheckFailure) in try checks.playProtect() }
        run.policy(PlayIntegrityCheck.appAccessRisk) { () throws(CheckFailure) in try checks.appAccessRisk() }
        run.policy(PlayIntegrityCheck.locationSpoofing) { () throws(CheckFailure) in try checks.locationSpoofing() }
        run.policy(PlayIntegrityCheck.pcIntegrity) { () throws(CheckFailure) in try checks.pcIntegrity() }
    }

    /// The answer of a check of Android's on a game on PC.
    static let notOnPC = PolicyAnswer.notApplicable(
        Finding("not-on-pc", "payloads of games on PC do not have this signal"))

    /// The answer of a check of the PC's on an app on Android.
    static let notOnAndroid = PolicyAnswer.notApplicable(Finding("not-on-android", "the app is one on Android"))

    /// The answer on a signal that Google did not evaluate: no failure where the policy only notes it, as apps that did
    /// not opt in have none.
    func absent(
        _ check: CheckID, _ code: String, _ sentence: @autoclosure @escaping @Sendable () -> String
    ) throws(CheckFailure) -> PolicyAnswer {
        if expectations.isOnlyNoted(check) { return .notApplicable(Finding(code, sentence())) }
        throw CheckFailure(code, sentence())
    }
}

/// The dialogs by which an app can have its user mend what is wrong (Google, "Remediation dialogs").
enum RemediationDialog {
    static let getLicensed = "the dialog GET_LICENSED (1) may help"
    static let closeUnknownAccessRisk = "the dialog CLOSE_UNKNOWN_ACCESS_RISK (2) may help"
    static let closeAllAccessRisk = "the dialog CLOSE_ALL_ACCESS_RISK (3) may help"
    static let getIntegrity = "the dialog GET_INTEGRITY (4) may help"
    static let getStrongIntegrity = "the dialog GET_STRONG_INTEGRITY (5) may help"
}
