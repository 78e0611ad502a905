import AssayTesting
import Foundation

extension TestDevice {
    /// The key that the device attests.
    func androidKey(isRSA: Bool) throws(MintingError) -> AndroidAttestedKey {
        try AndroidAttestedKey(isRSA ? .rsa2048 : .p256, seed: seed, label: "device")
    }

    /// The authority. It becomes valid two days before the device is created.
    func androidAuthority() throws(MintingError) -> AndroidKeyTestAuthority {
        try AndroidKeyTestAuthority(seed: seed, notBefore: createdAt.addingTimeInterval(-2 * 86_400))
    }
}
