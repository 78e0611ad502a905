import AndroidKey
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

@Suite("The section androidKey of a policy")
struct AndroidKeyPolicyTests {
    private static let digest = String(repeating: "07", count: 32)

    private func policy(_ lines: [String], without: String? = nil) throws -> AndroidKeyConfiguration {
        let required = ["packages: [com.example.shop]", "certificateDigests: [\"\(Self.digest)\"]", "statusList: none"]
            .filter { line in
                without.map { !line.hasPrefix($0) } ?? true
                    && !lines.contains { $0.hasPrefix(line.prefix { $0 != ":" }) }
            }
        let text =
            "version: 1\napps:\n  - name: shop\n    androidKey:\n"
            + (required + lines).map { "      \($0)\n" }.joined()
        let policy = try PolicyFile.parse(text, path: "policy.yaml")
        return try #require(policy.apps.first?.configuration(AndroidKeyConfiguration.self))
    }

    @Test(
        "required fields, among them the status list, which is never silently absent",
        arguments: ["packages", "certificateDigests", "statusList"])
    func required(field: String) {
        let error = #expect(throws: PolicyError.self) { try policy([], without: field) }
        #expect(error?.field == "apps[0].androidKey.\(field)")
    }

    @Test("defaults")
    func defaults() throws {
        let configuration = try policy([])
        #expect(configuration.challenge == .ledger)
        #expect(configuration.reattestation == .refresh)
        #expect(configuration.rules.securityLevel == .trustedEnvironment)
        #expect(configuration.rules.bootStates == [.verified])
        #expect(configuration.rules.purposes == [.sign, .verify])
        #expect(configuration.rules.keyAlgorithms == AndroidKeyConfiguration.KeyAlgorithm.allCases)
        #expect(configuration.rules.patchLevel == nil)
        #expect(try policy(["challenge: caller"]).reattestation == .refuse)
    }

    @Test(
        "keys of systems are SHA-256 digests, and zeros are none",
        arguments: [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 1, count: 31), []])
    func verifiedBootKeys(key: [UInt8]) throws {
        var rules = AndroidKeyConfiguration.Rules()
        rules.bootStates = [.selfSigned]
        rules.verifiedBootKeys = [key]
        let error = #expect(throws: PolicyError.self) { try Fixtures.configuration(rules) }
        #expect(error?.field == "verifiedBootKeys")
    }

    @Test("a limit for certificates of remote provisioning is weak where factory chains pass")
    func certificateLimit() throws {
        func isNoted(_ lines: [String]) throws -> Bool {
            try policy(lines).remarks.contains { $0.field == "maximumCertificatesIssued" }
        }
        #expect(try isNoted(["maximumCertificatesIssued: 9"]))
        #expect(try !isNoted(["maximumCertificatesIssued: 9", "provisioning: remote"]))
        #expect(try !isNoted(["provisioning: any"]))
    }

    @Test("presets, and fields that replace theirs")
    func presets() throws {
        let standard = try policy(["preset: standard"])
        #expect(standard.rules.minimumOSVersion?.description == "10.0.0")
        #expect(standard.rules.patchLevel?.maximumAge == 365 * 86_400.0)
        let graphene = try policy(["preset: grapheneos"])
        #expect(graphene.rules.bootStates == [.verified, .selfSigned])
        #expect(graphene.rules.verifiedBootKeys.count == 21)
        #expect(graphene.rules.verifiedBootKeys.allSatisfy { $0.count == 32 })
        #expect(Set(graphene.rules.verifiedBootKeys).count == 21)
        let stock = try policy(["preset: grapheneos", "bootStates: [verified]", "minimumOSVersion: \"14\""])
        #expect(stock.rules.verifiedBootKeys.isEmpty)
        #expect(stock.rules.minimumOSVersion?.description == "14.0.0")
        let strict = try policy(["preset: strict", "deviceIdentity: allowed"])
        #expect(strict.rules.deviceIdentity == .allowed)
        #expect(strict.rules.maximumAttestationAge == 90 * 86_400.0)
        #expect(strict.rules.minimumAttestationVersion == 100)
        #expect(try policy(["preset: lenient"]).rules.minimumOSVersion == nil)
    }

    @Test(
        "wrong values are refused at their field",
        arguments: [
            ("packages: [shop]", "packages[0]"), ("packages: [com.example.shop, com.example.shop]", "packages[1]"),
            ("certificateDigests: [\"00\"]", "certificateDigests[0]"), ("bootStates: [unverified]", "bootStates[0]"),
            ("bootStates: [selfSigned]", "bootStates"), ("securityLevel: software", "securityLevel"),
            ("purposes: [verify]", "purposes"), ("keyAlgorithms: []", "keyAlgorithms"),
            ("minimumOSVersion: twelve", "minimumOSVersion"), ("patchLevel: { levels: [os] }", "patchLevel.maximumAge"),
            ("patchLevel: { maximumAge: 20y }", "patchLevel.maximumAge"),
            ("patchLevel: { maximumAge: 1d, levels: [app] }", "patchLevel.levels[0]"),
            ("minimumAttestationVersion: -1", "minimumAttestationVersion"), ("preset: paranoid", "preset"),
            ("keysExceeded: note", "keysExceeded"),
            ("verifiedBootKeys: [\"\(String(repeating: "00", count: 32))\"]", "verifiedBootKeys"),
            ("statusList: always", "statusList"), ("strongbox: true", "strongbox"),
            ("versions: { minimum: 5 }", "versions.minimum"),
            ("minimumVersionCode: 5\n      versions: { maximum: 4 }", "versions.maximum"),
        ])
    func refusals(line: String, field: String) {
        let error = #expect(throws: PolicyError.self) { try policy([line]) }
        #expect(error?.field == "apps[0].androidKey.\(field)", "\(error?.description ?? "")")
    }

    @Test("weak settings are named")
    func remarks() throws {
        let weak = try policy([
            "challenge: caller", "reattestation: refresh", "purposes: [sign, decrypt]", "maximumKeys: 3",
        ])
        #expect(
            weak.remarks.map(\.field) == [
                "statusList", "minimumVersionCode", "challenge", "reattestation", "maximumKeys", "keysExceeded",
                "minimumOSVersion", "patchLevel", "purposes",
            ])
        let strong = try policy(["preset: strict", "statusList: service", "minimumVersionCode: 1"])
        #expect(strong.remarks.isEmpty)
        // What `assay policy show` prints can be read again.
        #expect(!strong.settings.isEmpty)
    }
}
