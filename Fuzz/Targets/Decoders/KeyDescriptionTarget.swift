import AndroidKey
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

extension FuzzTarget {
    /// The key description in an Android certificate: extension 1.3.6.1.4.1.11129.2.1.17.
    static let keyDescription = FuzzTarget(
        name: "key-description", maximumLength: 1024,
        dictionary: ["com.example.shop", "challenge"],
        seeds: {
            [AndroidKeyDevice.factory2016, .factory, .remote, .strongBox, .software].flatMap { device in
                [AndroidTestKey.Algorithm.p256, .rsa(2048)].map { algorithm in
                    KeyDescriptionBlueprint(
                        device: device, algorithm: algorithm,
                        application: ApplicationIDBlueprint(
                            packages: [.init("com.example.shop", version: 42)],
                            digests: [[UInt8](repeating: 7, count: 32)]),
                        challenge: Array("challenge".utf8), issuedAt: MintedSeeds.issuedAt
                    ).encoded
                }
            }
        },
        run: { input in
            let reading = Reading(
                input, by: KeyDescriptionReading.description, isSame: KeyDescriptionReading.isSame)
            guard let description = reading.value else { return false }
            require(
                input.contains(DERBuilder.octetString(Array(description.challenge))),
                "another challenge than the one that is in it")
            return true
        })

    /// The provisioning information of Google's server about a device, in certificates of remote provisioning:
    /// extension 1.3.6.1.4.1.11129.2.1.30.
    static let provisioningInfo = FuzzTarget(
        name: "provisioning-info", maximumLength: 128, dictionary: ["Google", "samsung", "Nothing"],
        seeds: { provisioningSeeds.map(\.encoded) },
        run: { input in
            let reading = Reading(
                input, by: KeyDescriptionReading.provisioningInfo, isSame: KeyDescriptionReading.isSame)
            guard let info = reading.value else { return false }
            if let issued = info.certificatesIssued {
                require(
                    input.contains(CBORItem.unsigned(issued).encoded), "another number than the one that is in it")
            }
            return true
        })

    private static let provisioningSeeds: [CBORItem] = {
        let laterKey: CBORItem = .array([CBORItem.bytes([1]), CBORItem.text("later")])
        let pairs: [CBORItem] = [.unsigned(1), .unsigned(128), .unsigned(4), laterKey]
        let none: [CBORItem] = []
        return [AndroidKeyTestAuthority.genuineProvisioningInfo, CBORItem.map(none), CBORItem.map(pairs)]
    }()
}

private enum KeyDescriptionReading {
    static func description(_ bytes: ArraySlice<UInt8>) throws(DecodeError) -> KeyDescription {
        try KeyDescription(bytes)
    }

    static func isSame(_ first: KeyDescription, _ second: KeyDescription) -> Bool { "\(first)" == "\(second)" }

    static func provisioningInfo(_ bytes: ArraySlice<UInt8>) throws(DecodeError) -> ProvisioningInfo {
        try ProvisioningInfo(bytes)
    }

    static func isSame(_ first: ProvisioningInfo, _ second: ProvisioningInfo) -> Bool {
        guard first.certificatesIssued == second.certificatesIssued else { return false }
        return first.flag == second.flag && first.manufacturer == second.manufacturer
    }
}
