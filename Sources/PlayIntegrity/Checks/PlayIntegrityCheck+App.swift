public import AssayCore

extension CheckID {
    /// Google Play recognises the app.
    public static let playIntegrityAppRecognition = CheckID("play-integrity.app-recognition")
    /// The app's package name is the policy's.
    public static let playIntegrityAppPackage = CheckID("play-integrity.app-package")
    /// The app is signed with the certificates of the policy.
    public static let playIntegrityCertificate = CheckID("play-integrity.certificate")
    /// The version of the app is allowed.
    public static let playIntegrityVersionCode = CheckID("play-integrity.version-code")
    /// The user's account has a Google Play licence for the app.
    public static let playIntegrityLicensing = CheckID("play-integrity.licensing")
}

extension PlayIntegrityCheck {
    private var app: PlayIntegrityPayload.AppIntegrity { payload.appIntegrity }

    static let appRecognitionEntry = CheckDefinition(
        .playIntegrityAppRecognition, .policy(default: .enforce),
        proves: "App and certificate are those that Google Play distributes.",
        stops: "Modified and repackaged copies of the app.",
        lookAt: """
            appRecognition in the policy; how the app was installed. Dialog GET_LICENSED (1) leads to the store. If \
            the device has no label either, check whether Google decoded the same standard token before: Google then \
            clears the verdicts.
            """,
        source: verdicts,
        remedy: .updateApp,
        codes: [.notOnPC, .appRecognitionMissing, .appRecognitionUnevaluated, .appRecognitionNotAllowed])

    func appRecognition() throws(CheckFailure) -> PolicyAnswer {
        guard let allowed = android?.appRecognition else { return Self.notOnPC }
        guard let verdict = app.appRecognitionVerdict else {
            return try absent(
                CheckID.playIntegrityAppRecognition, .appRecognitionMissing, "the payload has no verdict on the app")
        }
        if allowed.contains(verdict) { return .passed }
        if verdict == .unevaluated {
            return try absent(
                CheckID.playIntegrityAppRecognition, .appRecognitionUnevaluated,
                "Google did not evaluate the app, as when the device cannot be trusted; "
                    + RemediationDialog.getIntegrity)
        }
        throw CheckFailure(
            .appRecognitionNotAllowed,
            "the verdict on the app is \(verdict.name.excerpt), allowed is \(allowed.listed); "
                + RemediationDialog.getLicensed)
    }

    static let appPackageEntry = CheckDefinition(
        .playIntegrityAppPackage, .policy(default: .enforce),
        proves: "The package name that Google saw is that of the policy.",
        stops: "Another app that asks in this one's name.",
        lookAt: "packageName in the policy. The field is missing when app recognition is UNEVALUATED.",
        source: verdicts,
        remedy: .updateApp, codes: [.notOnPC, .appPackageMissing, .appPackageDiffers])

    func appPackage() throws(CheckFailure) -> PolicyAnswer {
        guard android != nil else { return Self.notOnPC }
        let expected = expectations.configuration.packageName
        guard let found = app.packageName else {
            return try absent(
                CheckID.playIntegrityAppPackage, .appPackageMissing, "the payload does not say which app it saw")
        }
        guard found.isByteEqual(to: expected) else {
            throw CheckFailure(.appPackageDiffers, "Google saw the app \(found.excerpt), expected \(expected)")
        }
        return .passed
    }

    static let certificateEntry = CheckDefinition(
        .playIntegrityCertificate, .policy(default: .enforce),
        proves: "Every signing certificate of the app is one of the policy's, and there is at least one.",
        stops: "Copies of the app that were signed with another certificate.",
        lookAt: "certificateDigests in the policy: the app signing key of the Play Console, not the upload key.",
        source: verdicts,
        remedy: .updateApp, codes: [.notOnPC, .certificateMissing, .certificateNone, .certificateNotAllowed])

    func certificate() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        guard let digests = app.certificateSha256Digest else {
            return try absent(
                CheckID.playIntegrityCertificate, .certificateMissing,
                "the payload does not say with which certificates the app is signed")
        }
        guard !digests.isEmpty else {
            throw CheckFailure(.certificateNone, "the list of the app's certificates is empty")
        }
        // Base64url without padding has one text per digest. Other encodings of a digest have not been seen; the
        // comparison rejects them.
        for digest in digests where !expectations.certificateDigestTexts.contains(where: { $0.isByteEqual(to: digest) })
        {
            guard let bytes = try? CertificateDigestText.decode(digest), android.certificateDigests.contains(bytes)
            else {
                throw CheckFailure(
                    .certificateNotAllowed,
                    "the app is signed with a certificate whose SHA-256 is \(digest.excerpt), allowed are "
                        + expectations.certificateDigestTexts.joined(separator: ", "))
            }
        }
        return .passed
    }

    static let versionCodeEntry = CheckDefinition(
        .playIntegrityVersionCode, .policy(default: .enforce),
        proves: "The app's version code is one that the policy allows.",
        stops: "Versions with known vulnerabilities, and versions that were withdrawn.",
        lookAt: "minimumVersionCode and versions in the policy.",
        source: verdicts,
        remedy: .updateApp, codes: [.notOnPC, .versionCodeMissing] + VersionCodes.versionCode.all)

    func versionCode() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        if android.versions.isEmpty { return .notRequired }
        guard let version = app.versionCode else {
            return try absent(
                CheckID.playIntegrityVersionCode, .versionCodeMissing,
                "the policy demands a version code, and the payload has none")
        }
        if let refusal = android.versions.refusal(of: version) {
            throw android.versions.failure(refusal, of: version, "version code", .versionCode)
        }
        return .passed
    }

    static let licensingEntry = CheckDefinition(
        .playIntegrityLicensing, .policy(default: .annotate),
        proves: "The user's account got the app from Google Play.",
        stops: "Sideloaded copies of an app that is sold.",
        lookAt: "licensing in the policy. Dialog GET_LICENSED (1) leads to the store. This is no security requirement.",
        source: "\(verdicts), account details",
        remedy: .updateApp, codes: [.licensingMissing, .licensingUnevaluated, .playIntegrityLicensingNotAllowed])

    func licensing() throws(CheckFailure) -> PolicyAnswer {
        let allowed = expectations.configuration.licensing
        guard let verdict = payload.appLicensingVerdict else {
            return try absent(
                CheckID.playIntegrityLicensing, .licensingMissing, "the payload has no verdict on licensing")
        }
        if allowed.contains(verdict) { return .passed }
        if verdict == .unevaluated {
            return try absent(
                CheckID.playIntegrityLicensing, .licensingUnevaluated, "Google did not evaluate licensing")
        }
        throw CheckFailure(
            .playIntegrityLicensingNotAllowed,
            "the verdict on licensing is \(verdict.name.excerpt), allowed is \(allowed.listed); "
                + RemediationDialog.getLicensed)
    }
}

extension VersionCodes {
    fileprivate static let versionCode = VersionCodes(
        tooLow: .playIntegrityVersionCodeTooLow, tooHigh: .versionCodeTooHigh, withdrawn: .versionCodeWithdrawn)
}

extension CheckCode {
    fileprivate static let appRecognitionMissing = CheckCode(
        "app-recognition-missing", "The payload has no verdict on the app: check the app's set-up in the Play Console.",
        remedy: .contactSupport)
    fileprivate static let appRecognitionUnevaluated = CheckCode(
        "app-recognition-unevaluated",
        "Google did not evaluate the app, because the device is not trusted or the token was decoded before.",
        remedy: .contactSupport)
    fileprivate static let appRecognitionNotAllowed = CheckCode(
        "app-recognition-not-allowed",
        "Google Play does not recognise the app as appRecognition demands: a modified or sideloaded copy.")
    fileprivate static let appPackageMissing = CheckCode(
        "app-package-missing",
        "The payload does not name the app that Google saw, as when app recognition is UNEVALUATED.",
        remedy: .contactSupport)
    fileprivate static let appPackageDiffers = CheckCode(
        "app-package-differs", "Google saw another app than packageName in the policy: a repackaged app.")
    fileprivate static let certificateMissing = CheckCode(
        "certificate-missing", "The payload names no signing certificate, as when app recognition is UNEVALUATED.",
        remedy: .contactSupport)
    fileprivate static let certificateNone = CheckCode(
        "certificate-none", "The payload's list of signing certificates is empty: no genuine app is unsigned.")
    fileprivate static let certificateNotAllowed = CheckCode(
        "certificate-not-allowed",
        "A certificate outside certificateDigests signed the app: a repackaged app, or the upload key in the policy.")
    fileprivate static let versionCodeMissing = CheckCode(
        "version-code-missing",
        "The policy demands a version code, and the payload has none, as when app recognition is UNEVALUATED.",
        remedy: .contactSupport)
    /// The app is older than `minimumVersionCode`.
    public static let playIntegrityVersionCodeTooLow = CheckCode(
        "version-code-too-low", "The app is older than minimumVersionCode: the user updates the app.")
    fileprivate static let versionCodeTooHigh = CheckCode(
        "version-code-too-high", "The app is newer than `versions.maximum` in the policy allows.")
    fileprivate static let versionCodeWithdrawn = CheckCode(
        "version-code-withdrawn",
        "The app's version is one of `versions.withdrawn` in the policy: the user updates the app.")
    fileprivate static let licensingMissing = CheckCode(
        "licensing-missing", "The payload has no verdict on licensing.", remedy: .contactSupport)
    fileprivate static let licensingUnevaluated = CheckCode(
        "licensing-unevaluated",
        "Google did not evaluate licensing, because a requirement such as a trusted device is not met.",
        remedy: .contactSupport)
    /// The account did not get the app from Google Play.
    public static let playIntegrityLicensingNotAllowed = CheckCode(
        "licensing-not-allowed",
        "The user's account did not get the app from Google Play: dialog GET_LICENSED (1) leads to the store.")
}
