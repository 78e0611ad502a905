import AssayCore

/// A named set of rules, from which a policy may deviate field by field.
package enum AndroidKeyPreset: String, Sendable, CaseIterable {
    /// A chip of its own or a recent system, patched within half a year, of the maker, with a key that was made for this request.
    case strict
    /// Android 10 or later, with a patch level of the last twelve months.
    case standard
    /// Any certified device with verified boot, as without a preset.
    case lenient
    /// As `standard`, and GrapheneOS besides the maker's systems.
    case grapheneos

    private static let day = 86_400.0

    package var rules: AndroidKeyConfiguration.Rules {
        var rules = AndroidKeyConfiguration.Rules()
        switch self {
        case .lenient: break
        case .standard, .grapheneos:
            rules.minimumOSVersion = AndroidVersion(number: 100_000)
            rules.patchLevel = .init(maximumAge: 365 * Self.day)
            if self == .grapheneos {
                rules.bootStates = [.verified, .selfSigned]
                rules.verifiedBootKeys = Self.grapheneOSKeys
            }
        case .strict:
            rules.minimumAttestationVersion = 100
            rules.minimumOSVersion = AndroidVersion(number: 120_000)
            rules.patchLevel = .init(maximumAge: 183 * Self.day, levels: [.os, .vendor, .boot])
            rules.creationTime = .init()
            rules.deviceIdentity = .forbidden
            rules.maximumAttestationAge = 90 * Self.day
        }
        return rules
    }

    /// SHA-256 of GrapheneOS's verified boot keys, one for each of 21 Pixels, as GrapheneOS/AttestationServer had them in
    /// `fingerprintsNonStock` of AttestationProtocol.java in November 2026. A later device needs its key in `verifiedBootKeys`.
    private static let grapheneOSKeys = [
        "0508de44ee00bfb49ece32c418af1896391abde0f05b64f41bc9a2dfb589445b",
        "08c860350a9600692d10c8512f7b8e80707757468e8fbfeea2a870c0a83d6031",
        "096b8bd6d44527a24ac1564b308839f67e78202185cbff9cfdcb10e63250bc5e",
        "141d7fc32af7958a416f2661b37cf6f27bfb376fb5ce616aeaa27a82c7a04f74",
        "3efe5392be3ac38afb894d13de639e521675e62571a8a9b3ef9fc8c44fd17fa1",
        "3f7415ea26f5df5b14ea6d153256071a7a1af9ce7b0970b7311cc463c7ea02c7",
        "439b76524d94c40652ce1bf0d8243773c634d2f99ba3160d8d02aa5e29ff925c",
        "4e8ee8f717754052198ca6d2d3aaa232e2461b4293c0d6f297e519cc778de093",
        "508d75dea10c5cbc3e7632260fc0b59f6055a8a49dd84e693b6d8899edbb01e4",
        "55a2d44103e56d5ec65496399c417987ba77730e6488fc60ba058d09fc3caee3",
        "55d3c2323db91bb91f20d38d015e85112d038f6b6b5738fe352c1a80dba57023",
        "896db2d09d84e1d6bb747002b8a114950b946e5825772a9d48ba7eb01d118c1c",
        "94df136e6c6aa08dc26580af46f36419b5f9baf46039db076f5295b91aaff230",
        "9e6a8f3e0d761a780179f93acd5721ba1ab7c8c537c7761073c0a754b0e932de",
        "af4d2c6e62be0fec54f0271b9776ff061dd8392d9f51cf6ab1551d346679e24c",
        "bc1c0dd95664604382bb888412026422742eb333071ea0b2d19036217d49182f",
        "cd7479653aa88208f9f03034810ef9b7b0af8a9d41e2000e458ac403a2acb233",
        "d8f879d10419eddc9fcda6280718be763f6bf12299e1f72df3ea8ad8a8eb7f80",
        "ee0c9dfef6f55a878538b0dbf7e78e3bc3f1a13c8c44839b095fe26dd5fe2842",
        "f0a890375d1405e62ebfd87e8d3f475f948ef031bbf9ddd516d5f600a23677e8",
        "f729cab861da1b83fdfab402fc9480758f2ae78ee0b61c1f2137dd1ab7076e86",
    ].compactMap { [UInt8](hexadecimal: $0.utf8) }
}

/// A version of Android as tag 705 has it: 160000 for 16.0.0.
package struct AndroidVersion: Sendable, Equatable, Comparable, CustomStringConvertible {
    /// Major version times 10000, minor times 100, and the rest.
    package let number: UInt64

    /// Takes the value of tag 705.
    package init(number: UInt64) { self.number = number }

    /// Reads `16`, `16.0` or `8.1.0`; nil for another text.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var number: UInt64 = 0
        for index in 0..<3 {
            guard parts.indices.contains(index) else {
                number *= 100
                continue
            }
            guard (1...2).contains(parts[index].utf8.count),
                parts[index].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let part = UInt64(parts[index])
            else { return nil }
            number = number * 100 + part
        }
        guard number > 0 else { return nil }
        self.number = number
    }

    /// The dotted form.
    package var description: String { "\(number / 10_000).\(number / 100 % 100).\(number % 100)" }

    package static func < (left: AndroidVersion, right: AndroidVersion) -> Bool { left.number < right.number }
}
