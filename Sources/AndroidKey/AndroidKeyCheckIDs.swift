public import AssayCore

/// The checks of Android Key Attestation, by name.
extension CheckID {
    /// The account may enrol the key.
    public static let androidKeyAttestationAccount = CheckID("android-key.attestation.account")
    /// The app that made the key.
    public static let androidKeyAttestationApplication = CheckID("android-key.attestation.application")
    /// The certificates lead to a pinned key.
    public static let androidKeyAttestationChain = CheckID("android-key.attestation.chain")
    /// The challenge was issued and is used once.
    public static let androidKeyAttestationChallenge = CheckID("android-key.attestation.challenge")
    /// The key was attested for this challenge.
    public static let androidKeyAttestationChallengeBinding = CheckID("android-key.attestation.challenge-binding")
    /// The attestation does not contradict itself.
    public static let androidKeyAttestationConsistency = CheckID("android-key.attestation.consistency")
    /// When the key was made.
    public static let androidKeyAttestationCreationTime = CheckID("android-key.attestation.creation-time")
    /// The certificates can be read.
    public static let androidKeyAttestationDecode = CheckID("android-key.attestation.decode")
    /// Identifiers of the device.
    public static let androidKeyAttestationDeviceIdentity = CheckID("android-key.attestation.device-identity")
    /// The key is enrolled, or the facts of an enrolled key are refreshed.
    public static let androidKeyAttestationEnrolment = CheckID("android-key.attestation.enrolment")
    /// The key attestation extension can be read.
    public static let androidKeyAttestationExtension = CheckID("android-key.attestation.extension")
    /// Who may use the key.
    public static let androidKeyAttestationKeyScope = CheckID("android-key.attestation.key-scope")
    /// Where the key comes from.
    public static let androidKeyAttestationOrigin = CheckID("android-key.attestation.origin")
    /// The version of Android.
    public static let androidKeyAttestationOSVersion = CheckID("android-key.attestation.os-version")
    /// The security patch levels.
    public static let androidKeyAttestationPatchLevel = CheckID("android-key.attestation.patch-level")
    /// How the attestation key came into the device.
    public static let androidKeyAttestationProvisioning = CheckID("android-key.attestation.provisioning")
    /// The attested key is usable, and the one that the app claims.
    public static let androidKeyAttestationPublicKey = CheckID("android-key.attestation.public-key")
    /// What the key may be used for.
    public static let androidKeyAttestationPurpose = CheckID("android-key.attestation.purpose")
    /// No certificate is revoked or suspended.
    public static let androidKeyAttestationRevocation = CheckID("android-key.attestation.revocation")
    /// Whether deleting the key is final.
    public static let androidKeyAttestationRollbackResistance = CheckID("android-key.attestation.rollback-resistance")
    /// The device booted a system that is allowed.
    public static let androidKeyAttestationRootOfTrust = CheckID("android-key.attestation.root-of-trust")
    /// Secure hardware holds the key.
    public static let androidKeyAttestationSecurityLevel = CheckID("android-key.attestation.security-level")
    /// The first certificate is the attested one.
    public static let androidKeyAttestationTarget = CheckID("android-key.attestation.target")
    /// Whether the user must authenticate.
    public static let androidKeyAttestationUserAuthentication = CheckID("android-key.attestation.user-authentication")
    /// The version of the attestation.
    public static let androidKeyAttestationVersion = CheckID("android-key.attestation.version")
    /// The key belongs to the account of the request.
    public static let androidKeyRequestAccount = CheckID("android-key.request.account")
    /// The nonce is a challenge that was issued, and is used once.
    public static let androidKeyRequestChallenge = CheckID("android-key.request.challenge")
    /// The signature covers what the policy demands.
    public static let androidKeyRequestComponents = CheckID("android-key.request.components")
    /// The body is the signed one.
    public static let androidKeyRequestContentDigest = CheckID("android-key.request.content-digest")
    /// The signature of the request and its input are strict structured fields.
    public static let androidKeyRequestDecode = CheckID("android-key.request.decode")
    /// The signature is fresh.
    public static let androidKeyRequestFreshness = CheckID("android-key.request.freshness")
    /// The key is known, and signs with the algorithm that the request names.
    public static let androidKeyRequestKey = CheckID("android-key.request.key")
    /// What was attested is still allowed.
    public static let androidKeyRequestKeyState = CheckID("android-key.request.key-state")
    /// The request is used once.
    public static let androidKeyRequestReplay = CheckID("android-key.request.replay")
    /// The key signed the signature base.
    public static let androidKeyRequestSignature = CheckID("android-key.request.signature")
}
