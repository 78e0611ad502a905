public import AssayCore

// The ledger entries of Android keys.

extension KeyIdentifier {
    /// The identifier under which the ledger enrols and blocks an attested key: SHA-256 of its SubjectPublicKeyInfo, 32 bytes.
    public static func androidKey(_ publicKeySHA256: [UInt8]) -> KeyIdentifier {
        KeyIdentifier(engine: AndroidKeyConfiguration.engine, value: publicKeySHA256)
    }
}

/// The names of an enrolled key's properties. Its public key is the SubjectPublicKeyInfo.
enum EnrolledAndroidProperty {
    static let packageName = "packageName"
    static let securityLevel = "securityLevel"
    static let provisioning = "provisioning"
    static let osVersion = "osVersion"
    static let osPatchLevel = "osPatchLevel"
    static let verifiedBootState = "verifiedBootState"
    /// Whether the boot loader was locked, `true` or `false`.
    static let deviceLocked = "deviceLocked"
    static let verifiedBootKey = "verifiedBootKey"
    /// The names of the attestation's policy checks that failed and were tolerated, after one another with ``separator`` between them:
    /// requests fail once the policy enforces one.
    static let unproven = "unproven"
    static let separator = " "
    /// When the key was attested last, RFC 3339: requests demand that it is recent enough.
    static let attestedAt = "attestedAt"
    static let testAuthority = "testAuthority"
    /// What a further attestation of a key must not change.
    static let identity = [packageName, securityLevel, testAuthority]
}
