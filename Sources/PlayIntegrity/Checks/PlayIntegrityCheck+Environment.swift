public import AssayCore

extension CheckID {
    /// Play Protect found nothing harmful.
    public static let playIntegrityPlayProtect = CheckID("play-integrity.play-protect")
    /// No other app can capture or control this one.
    public static let playIntegrityAppAccessRisk = CheckID("play-integrity.app-access-risk")
    /// The location can be trusted.
    public static let playIntegrityLocationSpoofing = CheckID("play-integrity.location-spoofing")
}

extension PlayIntegrityCheck {
    private var environment: PlayIntegrityPayload.EnvironmentDetails { payload.environmentDetails }

    static let playProtectEntry = CheckDefinition(
        .playIntegrityPlayProtect, .policy(default: .annotate),
        proves: "Play Protect is on and found no harmful apps, as far as the policy demands it.",
        stops: "Devices with known malware.",
        lookAt: "playProtect in the policy. Users may switch Play Protect off; enforcing it locks them out.",
        source: "\(verdicts), environment details",
        remedy: .contactSupport,
        codes: [.notOnPC, .playProtectMissing, .playProtectUnevaluated, .playProtectNotAllowed])

    func playProtect() throws(CheckFailure) -> PolicyAnswer {
        guard let allowed = android?.playProtect else { return Self.notOnPC }
        guard let verdict = environment.playProtectVerdict else {
            return try absent(
                CheckID.playIntegrityPlayProtect, .playProtectMissing, "the payload has no verdict of Play Protect")
        }
        if allowed.contains(verdict) { return .passed }
        if verdict == .unevaluated {
            return try absent(
                CheckID.playIntegrityPlayProtect, .playProtectUnevaluated, "Google did not evaluate Play Protect")
        }
        throw CheckFailure(
            .playProtectNotAllowed,
            "Play Protect says \(verdict.name.excerpt), allowed is \(allowed.listed)")
    }

    static let appAccessRiskEntry = CheckDefinition(
        .playIntegrityAppAccessRisk, .policy(default: .annotate),
        proves: "No running app can capture, cover or control the screen in a way that the policy rejects.",
        stops: "Overlays and remote control by unknown apps.",
        lookAt: """
            appAccessRisk in the policy. Screen readers may show up here. Dialogs CLOSE_UNKNOWN_ACCESS_RISK (2) and \
            CLOSE_ALL_ACCESS_RISK (3) have the user close them.
            """,
        source: "\(verdicts), environment details",
        remedy: .contactSupport, codes: [.notOnPC, .appAccessRiskMissing, .appAccessRisk])

    /// No other app has a capability that the policy rejects or that is unknown.
    func appAccessRisk() throws(CheckFailure) -> PolicyAnswer {
        guard let rejected = android?.rejectedAccessRisks else { return Self.notOnPC }
        guard let detected = environment.appsDetected else {
            return try absent(
                CheckID.playIntegrityAppAccessRisk, .appAccessRiskMissing,
                "the payload does not say what other apps could do")
        }
        let risks = detected.filter { rejected.contains($0) || !LabelField.accessRisk.contains($0) }
        guard risks.isEmpty else {
            let dialog =
                risks.contains(where: \.isOfKnownApps)
                ? RemediationDialog.closeAllAccessRisk : RemediationDialog.closeUnknownAccessRisk
            throw CheckFailure(
                .appAccessRisk, "other apps on the device are \(risks.listed), which the policy rejects; \(dialog)")
        }
        return .passed
    }

    static let locationSpoofingEntry = CheckDefinition(
        .playIntegrityLocationSpoofing, .policy(default: .annotate),
        proves: "Google sees no risk of a spoofed location other than those that the policy allows.",
        stops: "Requests that pretend to come from elsewhere.",
        lookAt: "locationSpoofing in the policy; the labels in the detail.",
        source: "Google, Play Integrity API v1, EnvironmentDetails",
        remedy: .contactSupport, codes: [.notOnPC, .locationSpoofingMissing, .locationSpoofingRisk])

    func locationSpoofing() throws(CheckFailure) -> PolicyAnswer {
        guard let allowed = android?.locationSpoofing else { return Self.notOnPC }
        let labels = environment.locationSpoofingRiskVerdict ?? []
        let risks = labels.filter { !allowed.contains($0) }
        guard !labels.isEmpty, risks != [.unevaluated] else {
            return try absent(
                CheckID.playIntegrityLocationSpoofing, .locationSpoofingMissing,
                "Google did not evaluate whether the location is spoofed")
        }
        guard risks.isEmpty else {
            throw CheckFailure(
                .locationSpoofingRisk,
                "the verdict on the location is \(risks.listed), allowed is \(allowed.listed)")
        }
        return .passed
    }
}

extension CheckCode {
    fileprivate static let playProtectMissing = CheckCode(
        "play-protect-missing", "The payload has no verdict of Play Protect: enable the signal in the Play Console.")
    fileprivate static let playProtectUnevaluated = CheckCode(
        "play-protect-unevaluated",
        "Google did not evaluate Play Protect, because a requirement such as a trusted device is not met.")
    fileprivate static let playProtectNotAllowed = CheckCode(
        "play-protect-not-allowed", "Play Protect is off, or found apps that playProtect in the policy does not allow.")
    fileprivate static let appAccessRiskMissing = CheckCode(
        "app-access-risk-missing",
        "The payload does not state what other apps could do: enable the signal in the Play Console.")
    fileprivate static let appAccessRisk = CheckCode(
        "app-access-risk",
        "Another running app can capture, cover or control the screen in a way that the policy rejects.")
    fileprivate static let locationSpoofingMissing = CheckCode(
        "location-spoofing-missing", "Google did not evaluate whether the location is spoofed.")
    fileprivate static let locationSpoofingRisk = CheckCode(
        "location-spoofing-risk",
        "Google sees a risk of a spoofed location that locationSpoofing in the policy does not allow.")
}
