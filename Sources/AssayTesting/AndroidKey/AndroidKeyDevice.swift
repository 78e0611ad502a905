/// A model of device and system: what the chain of a key and its description contain.
public struct AndroidKeyDevice: Sendable {
    /// The origin of the attestation key.
    package enum Provisioning: Sendable {
        /// Installed in the factory, with CA:TRUE in the attestation certificate.
        case factory
        /// Installed in the factory in 2016: CA:FALSE and name constraints in the attestation certificate.
        case factory2016
        /// Provisioned remotely, under the elliptic root.
        case remote
        /// Provisioned remotely, under the RSA root, as before February 2026.
        case remoteUnderRSA
        /// Software, without secure hardware: three certificates.
        case software
    }

    /// The origin of the attestation key.
    package var provisioning: Provisioning
    /// 0 software, 1 trusted environment, 2 StrongBox.
    package var securityLevel: UInt8
    /// The version of the description.
    package var attestationVersion: UInt64
    /// The version of Android, such as 160000.
    package var osVersion: UInt64
    /// The boot key's digest and the state of the boot loader; the hash of the boot image counts from version 3 on.
    package var rootOfTrust: RootOfTrustBlueprint

    /// Creates a model with a verified and locked system.
    package init(
        provisioning: Provisioning, securityLevel: UInt8, attestationVersion: UInt64, osVersion: UInt64
    ) {
        (self.provisioning, self.securityLevel) = (provisioning, securityLevel)
        (self.attestationVersion, self.osVersion) = (attestationVersion, osVersion)
        let bytes = TestBytes(seed: "assay test device")
        rootOfTrust = RootOfTrustBlueprint(
            verifiedBootKey: bytes("boot key", count: 32),
            verifiedBootHash: attestationVersion >= 3 ? bytes("boot hash/\(osVersion)", count: 32) : nil)
    }

    /// Android 16 with a remotely provisioned key in the trusted environment.
    public static let remote = AndroidKeyDevice(
        provisioning: .remote, securityLevel: 1, attestationVersion: 400, osVersion: 160_000)
    /// Android 16 with a remotely provisioned key in StrongBox.
    public static let strongBox = AndroidKeyDevice(
        provisioning: .remote, securityLevel: 2, attestationVersion: 300, osVersion: 160_000)
    /// Android 13 with a key from the factory in the trusted environment.
    public static let factory = AndroidKeyDevice(
        provisioning: .factory, securityLevel: 1, attestationVersion: 200, osVersion: 130_000)
    /// Android 8 with a key from the factory of 2016, whose attestation certificate is no CA.
    package static let factory2016 = AndroidKeyDevice(
        provisioning: .factory2016, securityLevel: 1, attestationVersion: 2, osVersion: 80_000)
    /// Android 14 with a remotely provisioned key under the RSA root.
    package static let remoteUnderRSA = AndroidKeyDevice(
        provisioning: .remoteUnderRSA, securityLevel: 1, attestationVersion: 300, osVersion: 140_000)
    /// An emulator, or a device without secure hardware: it attests in software, which proves nothing.
    public static let software = AndroidKeyDevice(
        provisioning: .software, securityLevel: 0, attestationVersion: 300, osVersion: 150_000)

    /// The name of the environment in certificates of attestation keys.
    var environmentName: String { securityLevel == 2 ? "StrongBox" : "TEE" }
}
