package import AssayCore
import AssayHTTPSignatures

extension AndroidKeyConfiguration {
    /// Phones are patched at least every three months for some years.
    private static let longPatchAge: Double = 2 * 365 * 86_400

    /// The section with the rules of requests.
    package func missingField(for kind: EvidenceKind) -> String? {
        kind == .androidKeyRequest && requests == nil ? "requests" : nil
    }

    /// The policy checks that do not run without a field.
    package var missingRules: [CheckID: String] {
        var missing: [CheckID: String] = [:]
        func note(_ isMissing: Bool, _ check: CheckID, _ field: String) { if isMissing { missing[check] = field } }
        note(rules.minimumAttestationVersion == nil, KeyAttestationCheck.version, "minimumAttestationVersion")
        note(rules.minimumOSVersion == nil, KeyAttestationCheck.osVersion, "minimumOSVersion")
        note(rules.patchLevel == nil, KeyAttestationCheck.patchLevel, "patchLevel.maximumAge")
        note(rules.userAuthentication == .any, KeyAttestationCheck.userAuthentication, "userAuthentication")
        note(rules.rollbackResistance == .any, KeyAttestationCheck.rollbackResistance, "rollbackResistance")
        note(rules.creationTime == nil, KeyAttestationCheck.creationTime, "creationTime.past")
        note(rules.deviceIdentity == .allowed, KeyAttestationCheck.deviceIdentity, "deviceIdentity")
        if case .none = statusList { missing[KeyAttestationCheck.revocation] = AttestationStatusRule.policyField }
        return missing
    }

    /// Valid values of fields that are required, or that checks need.
    package static var examples: [PolicySetting] {
        [
            PolicySetting("packages", ["com.example.app"]),
            PolicySetting("certificateDigests", [String(repeating: "00", count: 32)]),
            PolicySetting(AttestationStatusRule.policyField, "service"), PolicySetting("minimumOSVersion", "12"),
            PolicySetting("patchLevel.maximumAge", "365d"), PolicySetting("minimumAttestationVersion", "3"),
            PolicySetting("userAuthentication", "required"), PolicySetting("rollbackResistance", "required"),
            PolicySetting("creationTime.past", "5m"), PolicySetting("deviceIdentity", "forbidden"),
        ]
    }

    /// The weak settings.
    package var remarks: [PolicyRemark] {
        var remarks = statusList.remarks
        func note(_ isWeak: Bool, _ field: String, _ message: String) {
            if isWeak { remarks.append(PolicyRemark(field, message)) }
        }
        note(
            challenge == .caller, "challenge",
            "caller: the ledger consumes no challenge, so captured evidence passes again unless the backend compares "
                + "each challenge and accepts it once; ledger does both")
        note(
            challenge == .caller && reattestation == .refresh, "reattestation",
            "refresh with challenge: caller: a captured attestation passes again unless the backend accepts each "
                + "challenge once")
        note(
            maximumKeys?.excess == .note, "keysExceeded",
            "note, which is the default: a key beyond maximumKeys is enrolled and noted; refuse and retire-oldest keep the limit"
        )
        note(
            maximumKeys != nil && account != .required, "maximumKeys",
            "keys without an account do not count, and account: \(account.rawValue) allows them; required counts all")
        note(
            rules.minimumOSVersion == nil, "minimumOSVersion",
            "not set: versions of Android that get no security updates are accepted")
        if let patchLevel = rules.patchLevel {
            note(
                patchLevel.maximumAge > Self.longPatchAge, "patchLevel.maximumAge",
                "\(PolicyNode.text(ofSeconds: patchLevel.maximumAge)) is long: exploits for such systems are public")
        } else {
            note(true, "patchLevel", "not set: devices that were last patched years ago are accepted")
        }
        note(
            versions.minimum == nil, "minimumVersionCode",
            "not set: versions of the app with known vulnerabilities are accepted")
        note(
            !Set(rules.purposes).isSubset(of: [.sign, .verify]), "purposes",
            "a key that also decrypts, derives or attests can be made to sign what it was not meant for")
        note(
            rules.maximumCertificatesIssued != nil && rules.provisioning != .remote, "maximumCertificatesIssued",
            "chains from the factory pass without a number, as no server issued them; provisioning: remote limits all")
        remarks += requests?.remarks ?? []
        note(
            requests != nil && rules.maximumAttestationAge == nil, "maximumAttestationAge",
            "not set: a device that was attested once may send requests for ever, whatever becomes of its system")
        note(
            !testRoots.isEmpty, "testRoots",
            "a test authority replaces Google's roots: the holder of its key can make evidence; never use it in production"
        )
        return remarks
    }

    /// The settings in force. `testRoots` is shown as written.
    package var settings: [PolicySetting] {
        [
            PolicySetting("packages", packages),
            PolicySetting("certificateDigests", certificateDigests.map(\.hexadecimal)),
        ] + statusList.settings + [
            PolicySetting("preset", preset?.rawValue),
            PolicySetting("minimumVersionCode", versions.minimum.map { "\($0)" }),
        ] + versions.settings + [
            PolicySetting("challenge", challenge.rawValue), PolicySetting("reattestation", reattestation.rawValue),
            PolicySetting("maximumAttestationAge", seconds: rules.maximumAttestationAge),
            PolicySetting("account", account.rawValue),
            PolicySetting("maximumKeys", maximumKeys.map { "\($0.maximum)" }),
            PolicySetting("keysExceeded", maximumKeys?.excess.rawValue),
            PolicySetting("securityLevel", rules.securityLevel.rawValue),
            PolicySetting("keyAlgorithms", rules.keyAlgorithms.map(\.rawValue)),
            PolicySetting("bootStates", rules.bootStates.map(\.rawValue)),
            PolicySetting("verifiedBootKeys", rules.verifiedBootKeys.map(\.hexadecimal)),
            PolicySetting("minimumOSVersion", rules.minimumOSVersion?.description),
            PolicySetting("patchLevel.maximumAge", seconds: rules.patchLevel?.maximumAge),
            PolicySetting("patchLevel.maximumAhead", seconds: rules.patchLevel?.maximumAhead),
            PolicySetting("patchLevel.levels", rules.patchLevel?.levels.map(\.rawValue) ?? []),
            PolicySetting("minimumAttestationVersion", rules.minimumAttestationVersion.map { "\($0)" }),
            PolicySetting("purposes", rules.purposes.map(\.rawValue)),
            PolicySetting("userAuthentication", rules.userAuthentication.rawValue),
            PolicySetting("rollbackResistance", rules.rollbackResistance.rawValue),
            PolicySetting("creationTime.past", seconds: rules.creationTime?.past),
            PolicySetting("creationTime.future", seconds: rules.creationTime?.future),
            PolicySetting("deviceIdentity", rules.deviceIdentity.rawValue),
            PolicySetting("provisioning", rules.provisioning.rawValue),
            PolicySetting("maximumCertificatesIssued", rules.maximumCertificatesIssued.map { "\($0)" }),
        ] + (requests?.settings ?? [PolicySetting(RequestRules.policyField, nil as String?)])
    }
}
