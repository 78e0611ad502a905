package import AssayCore
import AssayHTTPSignatures

extension AndroidKeyConfiguration {
    /// The fields of `androidKey` in a policy and of `assay verify --set`.
    package static let fields =
        [
            PolicyField("packages", .list(.text), isRequired: true, "A package name that is allowed."),
            PolicyField(
                "certificateDigests", .list(.text), isRequired: true,
                "The SHA-256 of a signing certificate that is allowed, hexadecimal or base64."),
        ] + AttestationStatusRule.fields + [
            PolicyField("preset", .words(AndroidKeyPreset.self), "The rules where the section has no field."),
            PolicyField("minimumVersionCode", .text, "The lowest version code that is allowed."),
        ] + PolicyField.versions + [
            PolicyField("challenge", .words(ChallengeSource.self), "Who keeps track of challenges."),
            PolicyField("reattestation", .words(Reattestation.self), "What becomes of a further attestation of a key."),
            PolicyField("maximumAttestationAge", .duration, "How long an attestation holds for requests."),
            PolicyField("account", .words(AccountBinding.self), "How the accounts of requests and keys are compared."),
            PolicyField("maximumKeys", .text, "How many keys one account may have."),
            PolicyField(
                "keysExceeded", .words(AccountKeyLimit.Excess.self), "What becomes of a key beyond maximumKeys."),
            PolicyField("securityLevel", .words(Hardware.self), "The weakest place of keys that is allowed."),
            PolicyField("keyAlgorithms", .list(.words(KeyAlgorithm.self)), "An algorithm of keys that is allowed."),
            PolicyField("bootStates", .list(.words(BootState.self)), "A result of verified boot that is allowed."),
            PolicyField(
                "verifiedBootKeys", .list(.text), "SHA-256 of the boot key of another system that is allowed."),
            PolicyField("minimumOSVersion", .text, "The lowest version of Android."),
            PolicyField("patchLevel", .mapping, "How old security patch levels may be."),
            PolicyField("patchLevel.maximumAge", .duration, "The greatest age, from the first of the month."),
            PolicyField("patchLevel.maximumAhead", .duration, "How far ahead a patch level may be."),
            PolicyField("patchLevel.levels", .list(.words(PatchLevelName.self)), "A patch level to judge."),
            PolicyField("minimumAttestationVersion", .text, "The lowest version of attestations."),
            PolicyField("purposes", .list(.words(KeyPurpose.self)), "A use that a key may have."),
            PolicyField("userAuthentication", .words(Demand.self), "Whether each use must need the user."),
            PolicyField("rollbackResistance", .words(Demand.self), "Whether deleting a key must be final."),
            PolicyField("creationTime", .mapping, "When the key must have been made."),
            PolicyField("creationTime.past", .duration, "How long ago."),
            PolicyField("creationTime.future", .duration, "How far ahead of the server's clock."),
            PolicyField(
                "deviceIdentity", .words(DeviceIdentity.self), "Whether identifiers of the device may be attested."),
            PolicyField("provisioning", .words(Provisioning.self), "How the attestation key came into the device."),
            PolicyField(
                "maximumCertificatesIssued", .text, "How many certificates a device may have been given in 30 days."),
            PolicyField("testRoots", .list(.file), "PEM roots of a test authority in place of Google's."),
        ] + RequestRules.fields
}
