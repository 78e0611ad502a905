import AssayCore

/// What must hold of what else is on the device.
extension PolicyChecks {
    private var environment: PlayIntegrityPayload.EnvironmentDetails { payload.environmentDetails }

    /// Play Protect says no worse than the policy allows.
    func playProtect() throws(CheckFailure) -> PolicyAnswer {
        guard let allowed = android?.playProtect else { return Self.notOnPC }
        guard let verdict = environment.playProtectVerdict else {
            return try absent(
                PlayIntegrityCheck.playProtect, "play-protect-missing", "the payload has no verdict of Play Protect")
        }
        if allowed.contains(verdict) { return .holds }
        if verdict == .unevaluated {
            return try absent(
                PlayIntegrityCheck.playProtect, "play-protect-unevaluated", "Google did not evaluate Play Protect")
        }
        throw CheckFailure(
            "play-protect-not-allowed",
            "Play Protect says \(verdict.name.excerpt), allowed is \(allowed.listed)")
    }

    /// No other app can do what the policy rejects, nor anything that nobody knows.
    func appAccessRisk() throws(CheckFailure) -> PolicyAnswer {
        guard let rejected = android?.rejectedAccessRisks else { return Self.notOnPC }
        guard let detected = environment.appsDetected else {
            return try absent(
                PlayIntegrityCheck.appAccessRisk, "app-access-risk-missing",
                "the payload does not say what other apps could do")
        }
        let risks = detected.filter { rejected.contains($0) || !$0.isKnown }
        guard risks.isEmpty else {
            let dialog =
                risks.contains(where: \.isOfKnownApps)
                ? RemediationDialog.closeAllAccessRisk : RemediationDialog.closeUnknownAccessRisk
            throw CheckFailure(
                "app-access-risk", "other apps on the device are \(risks.listed), which the policy rejects; \(dialog)")
        }
        return .holds
    }

    /// The location is no less to be trusted than the policy allows.
    func locationSpoofing() throws(CheckFailure) -> PolicyAnswer {
        guard let allowed = android?.locationSpoofing else { return Self.notOnPC }
        let labels = environment.locationSpoofingRiskVerdict ?? []
        let risks = labels.filter { !allowed.contains($0) }
        guard !labels.isEmpty, risks != [.unevaluated] else {
            return try absent(
                PlayIntegrityCheck.locationSpoofing, "location-spoofing-missing",
                "Google did not evaluate whether the location is spoofed")
        }
        guard risks.isEmpty else {
            throw CheckFailure(
                "location-spoofing-risk",
                "the verdict on the location is \(risks.listed), allowed is \(allowed.listed)")
        }
        return .holds
    }
}
