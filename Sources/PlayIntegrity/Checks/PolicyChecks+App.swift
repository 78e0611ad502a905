import AssayCore

/// What must hold of the app.
extension PolicyChecks {
    private var app: PlayIntegrityPayload.AppIntegrity { payload.appIntegrity }

    /// Google Play recognises the app.
    func appRecognition() throws(CheckFailure) -> PolicyAnswer {
        guard let allowed = android?.appRecognition else { return Self.notOnPC }
        guard let verdict = app.appRecognitionVerdict else {
            return try absent(
                PlayIntegrityCheck.appRecognition, "app-recognition-missing", "the payload has no verdict on the app")
        }
        if allowed.contains(verdict) { return .holds }
        if verdict == .unevaluated {
            return try absent(
                PlayIntegrityCheck.appRecognition, "app-recognition-unevaluated",
                "Google did not evaluate the app, as when the device cannot be trusted; "
                    + RemediationDialog.getIntegrity)
        }
        throw CheckFailure(
            "app-recognition-not-allowed",
            "the verdict on the app is \(verdict.name.excerpt), allowed is \(allowed.listed); "
                + RemediationDialog.getLicensed)
    }

    /// The package name that Google saw is the policy's.
    func appPackage() throws(CheckFailure) -> PolicyAnswer {
        guard android != nil else { return Self.notOnPC }
        let expected = expectations.configuration.packageName
        guard let found = app.packageName else {
            return try absent(
                PlayIntegrityCheck.appPackage, "app-package-missing", "the payload does not say which app it saw")
        }
        guard found.isByteEqual(to: expected) else {
            throw CheckFailure("app-package-differs", "Google saw the app \(found.excerpt), expected \(expected)")
        }
        return .holds
    }

    /// Every certificate of the app is one of the policy's, and there is at least one.
    func certificate() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        guard let digests = app.certificateSha256Digest else {
            return try absent(
                PlayIntegrityCheck.certificate, "certificate-missing",
                "the payload does not say with which certificates the app is signed")
        }
        guard !digests.isEmpty else {
            throw CheckFailure("certificate-none", "the list of the app's certificates is empty")
        }
        // Base64url without padding has one text for each digest. Other forms have not been seen and mean the same.
        for digest in digests where !expectations.certificateDigestTexts.contains(where: { $0.isByteEqual(to: digest) })
        {
            guard let bytes = try? CertificateDigestText.decode(digest), android.certificateDigests.contains(bytes)
            else {
                throw CheckFailure(
                    "certificate-not-allowed",
                    "the app is signed with a certificate whose SHA-256 is \(digest.excerpt), allowed are "
                        + expectations.certificateDigestTexts.joined(separator: ", "))
            }
        }
        return .holds
    }

    /// The version code is at least the policy's minimum.
    func versionCode() throws(CheckFailure) -> PolicyAnswer {
        guard let android else { return Self.notOnPC }
        guard let minimum = android.minimumVersionCode else { return .notAsked }
        guard let version = app.versionCode else {
            return try absent(
                PlayIntegrityCheck.versionCode, "version-code-missing",
                "the policy demands a version code, and the payload has none")
        }
        guard version >= minimum else {
            throw CheckFailure("version-code-too-low", "version code \(version), at least \(minimum) is demanded")
        }
        return .holds
    }

    /// The user got the app from Google Play.
    func licensing() throws(CheckFailure) -> PolicyAnswer {
        let allowed = expectations.configuration.licensing
        guard let verdict = payload.appLicensingVerdict else {
            return try absent(
                PlayIntegrityCheck.licensing, "licensing-missing", "the payload has no verdict on licensing")
        }
        if allowed.contains(verdict) { return .holds }
        if verdict == .unevaluated {
            return try absent(
                PlayIntegrityCheck.licensing, "licensing-unevaluated", "Google did not evaluate licensing")
        }
        throw CheckFailure(
            "licensing-not-allowed",
            "the verdict on licensing is \(verdict.name.excerpt), allowed is \(allowed.listed); "
                + RemediationDialog.getLicensed)
    }
}
