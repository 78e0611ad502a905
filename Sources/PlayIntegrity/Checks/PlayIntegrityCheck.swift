public import AssayCore
import FoundationEssentials

extension EvidenceKind {
    /// A classic integrity token. The server decrypts it with the app's keys.
    public static let playIntegrityClassic = EvidenceKind("play-integrity.classic")
    /// A standard integrity token. Google decodes it.
    public static let playIntegrityStandard = EvidenceKind("play-integrity.standard")
}

extension CheckID {
    /// The account is not blocked.
    public static let playIntegrityAccount = CheckID("play-integrity.account")
    /// The nonce of a classic token was issued and is used only once; a standard token is used only once.
    public static let playIntegrityChallenge = CheckID("play-integrity.challenge")
}

/// The checks of Play Integrity evidence, each with its name, catalogue entry, rule and codes. Both kinds share checks
/// with the same name. The gates from text to payload are in `ClassicIntegrityToken`.
package struct PlayIntegrityCheck: Sendable {
    /// The entries of all checks, in execution order.
    package static let catalogue: [CheckDefinition] = [
        decodeEntry, decryptionEntry, signatureEntry, payloadEntry, requestPackageEntry, nonceEntry, requestHashEntry,
        freshnessEntry, testingResponseEntry, appRecognitionEntry, appPackageEntry, certificateEntry, versionCodeEntry,
        deviceRecognitionEntry, sdkVersionEntry, deviceActivityEntry, deviceRecallEntry, licensingEntry,
        playProtectEntry, appAccessRiskEntry, locationSpoofingEntry, pcIntegrityEntry, accountEntry, challengeEntry,
    ]

    static let tokens = "Google, Play Integrity API, Decrypt and verify the integrity verdict"
    static let verdicts = "Google, Play Integrity API, Integrity verdicts"

    private static let policyChecks: [CheckID] = [
        .playIntegrityAppRecognition, .playIntegrityAppPackage, .playIntegrityCertificate, .playIntegrityVersionCode,
        .playIntegrityDeviceRecognition, .playIntegritySDKVersion, .playIntegrityDeviceActivity,
        .playIntegrityDeviceRecall, .playIntegrityLicensing, .playIntegrityPlayProtect, .playIntegrityAppAccessRisk,
        .playIntegrityLocationSpoofing, .playIntegrityPCIntegrity, .playIntegrityAccount,
    ]
    /// The checks of a classic token that need no ledger, in order.
    package static let classicChecks: [CheckID] =
        [
            .playIntegrityDecode, .playIntegrityDecryption, .playIntegritySignature, .playIntegrityPayload,
            .playIntegrityRequestPackage, .playIntegrityNonce, .playIntegrityFreshness, .playIntegrityTestingResponse,
        ] + policyChecks
    /// The checks of a standard token that need no ledger, in order.
    package static let standardChecks: [CheckID] =
        [
            .playIntegrityDecode, .playIntegrityPayload, .playIntegrityRequestPackage, .playIntegrityRequestHash,
            .playIntegrityFreshness, .playIntegrityTestingResponse,
        ] + policyChecks

    let payload: PlayIntegrityPayload
    let expectations: PlayIntegrityExpectations
    let now: Date

    /// The rules for Android; nil for a game on PC.
    var android: PlayIntegrityConfiguration.AndroidRules? { expectations.configuration.android }

    /// Runs the checks that a policy may relax, in order.
    func runPolicyChecks(_ account: AccountStandings, _ run: inout CheckRun) {
        run.policy(.playIntegrityAppRecognition, try appRecognition())
        run.policy(.playIntegrityAppPackage, try appPackage())
        run.policy(.playIntegrityCertificate, try certificate())
        run.policy(.playIntegrityVersionCode, try versionCode())
        run.policy(.playIntegrityDeviceRecognition, try deviceRecognition())
        run.policy(.playIntegritySDKVersion, try sdkVersion())
        run.policy(.playIntegrityDeviceActivity, try deviceActivity())
        run.policy(.playIntegrityDeviceRecall, try deviceRecall())
        run.policy(.playIntegrityLicensing, try licensing())
        run.policy(.playIntegrityPlayProtect, try playProtect())
        run.policy(.playIntegrityAppAccessRisk, try appAccessRisk())
        run.policy(.playIntegrityLocationSpoofing, try locationSpoofing())
        run.policy(.playIntegrityPCIntegrity, try pcIntegrity())
        run.policy(.playIntegrityAccount, try account.answer())
        run.confirm(account)
    }

    static let accountEntry = CheckDefinition.account(.playIntegrityAccount)

    /// The answer of an Android check for a game on PC.
    static let notOnPC = PolicyAnswer.notApplicable(
        Finding(.notOnPC, "payloads of games on PC do not have this signal"))

    /// The answer of a PC check for an Android app.
    static let notOnAndroid = PolicyAnswer.notApplicable(Finding(.notOnAndroid, "the app is one on Android"))

    /// The answer for a signal that Google did not evaluate. Not applicable if the policy only annotates the check,
    /// because apps that did not opt in lack the signal; otherwise a failure.
    func absent(
        _ check: CheckID, _ code: CheckCode, _ sentence: @autoclosure @escaping @Sendable () -> String
    ) throws(CheckFailure) -> PolicyAnswer {
        if expectations.isOnlyNoted(check) { return .notApplicable(Finding(code, sentence())) }
        throw CheckFailure(code, sentence())
    }
}

extension PlayIntegrityCheck {
    // MARK: challenge: decided by the ledger

    private static let challengeEntry = CheckDefinition(
        .playIntegrityChallenge, .ledger,
        proves: """
            The nonce was issued for this app and is used for the first time; a standard token is used once inside \
            its freshness window.
            """,
        stops: "Replay of a recorded token.",
        lookAt: """
            `challenge` in the policy, the challenge's lifetime, and whether the request was retried with the same \
            token.
            """,
        source: "Google, Play Integrity API, Standard requests, protect against replay attacks",
        remedy: .newChallenge, codes: CheckCode.ofChallenge + CheckCode.ofDigest + [.signatureNonceMissing])
}

/// The dialogs that ask the user to repair the cause of a failure (Google, "Remediation dialogs").
enum RemediationDialog {
    static let getLicensed = "the dialog GET_LICENSED (1) may help"
    static let closeUnknownAccessRisk = "the dialog CLOSE_UNKNOWN_ACCESS_RISK (2) may help"
    static let closeAllAccessRisk = "the dialog CLOSE_ALL_ACCESS_RISK (3) may help"
    static let getIntegrity = "the dialog GET_INTEGRITY (4) may help"
    static let getStrongIntegrity = "the dialog GET_STRONG_INTEGRITY (5) may help"
}

extension CheckCode {
    static let notOnPC = CheckCode(
        "not-on-pc", "The policy says platform pc, and payloads of games on PC do not have this signal: no action.")
    static let notOnAndroid = CheckCode(
        "not-on-android",
        "The policy says platform android, and only payloads of games on PC have this signal: no action.")
    static let signatureNonceMissing = CheckCode(
        "signature-nonce-missing",
        "The signature of the request has no `nonce`, which the policy demands: the app must write a challenge there.",
        remedy: .newChallenge)
}
