import Assay
import AssayInspection
import AssayTesting
import Foundation
import Testing

@Suite("Inspection of provisioning info")
struct ProvisioningInspectionTests {
    private static let now = Date(timeIntervalSince1970: 1_795_132_800)

    /// A chain in DER, one certificate behind another, and where the map of the provisioning info stands in it.
    private static func chain() throws -> (bytes: [UInt8], map: Range<Int>) {
        let authority = try AndroidKeyTestAuthority(
            seed: "inspection", notBefore: now.addingTimeInterval(-400 * 86_400))
        let minted = try AndroidKeyAttestationBlueprint(
            authority: authority, key: AndroidAttestedKey(.p256, seed: "inspection", label: "key"),
            packageName: "com.example.shop", certificateDigest: Array(repeating: 7, count: 32), versionCode: 42,
            device: .remote, challenge: [1, 2, 3], issuedAt: now
        ).mint()
        let bytes = minted.certificates.flatMap { $0 }
        return (bytes, try #require(bytes.firstRange(of: AndroidKeyTestAuthority.genuineProvisioningInfo.encoded)))
    }

    private static func layer(_ bytes: [UInt8]) -> InspectionLayer {
        Verifier.inspector.inspect(bytes, name: "chain")
    }

    @Test("a map that claims more than its extension holds is shown as cut, and never reaches beyond the extension")
    func beyond() throws {
        let (bytes, map) = try Self.chain()
        for offset in map {
            for value: UInt8 in [0, 0x17, 0x1B, 0x3B, 0x5B, 0x66, 0x7B, 0x9F, 0xA0, 0xB8, 0xBB, 0xBF, 0xFF] {
                var changed = bytes
                changed[offset] = value
                for certificate in Self.layer(changed).nested {
                    let problems = AnnotationRules.problems(certificate.annotations, inside: certificate.bytes.indices)
                    #expect(problems == [], "byte \(offset) as \(value)")
                }
            }
        }
        var longer = bytes
        longer[map.lowerBound] += 4
        let shown = Self.layer(longer).nested.map(\.annotations.shown).joined()
        #expect(shown.contains("the bytes end after 3 of 7 members"), "\(shown)")
    }

    @Test("bytes after the map are marked")
    func rest() throws {
        let (bytes, map) = try Self.chain()
        var shorter = bytes
        shorter[map.lowerBound] -= 1
        let shown = Self.layer(shorter).nested.map(\.annotations.shown).joined()
        #expect(shown.contains("bytes follow the map"), "\(shown)")
    }
}
