import AndroidKey
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

@Suite("What the policy demands")
struct PolicyCheckTests {
    private typealias Rules = AndroidKeyConfiguration.Rules
    private static let day = 86_400.0

    private func outcome(
        _ device: AndroidKeyDevice = .factory, _ rules: (inout Rules) -> Void = { _ in },
        _ change: (inout AndroidKeyAttestationBlueprint) throws -> Void = { _ in }
    ) async throws -> String {
        var found = Rules()
        rules(&found)
        return AndroidKeyTests.outcome(try await judge(device, under: Fixtures.configuration(found), change))
    }

    /// The outcome of a changed attestation under the default rules.
    private func changed(_ change: (inout AndroidKeyAttestationBlueprint) throws -> Void) async throws -> String {
        try await outcome(.factory, { _ in }, change)
    }

    @Test("attestation version")
    func version() async throws {
        for (minimum, expected) in [(200, "accept"), (201, "version version-too-low")] as [(Int64, String)] {
            let found = try await outcome(.factory, { $0.minimumAttestationVersion = minimum })
            #expect(found == expected)
        }
    }

    @Test("root of trust: locked, an allowed state, and a known key of another system")
    func rootOfTrust() async throws {
        let key = [UInt8](repeating: 9, count: 32)
        func root(_ locked: UInt8, _ state: UInt8, _ key: [UInt8], listed: [[UInt8]] = []) async throws -> String {
            try await outcome(
                .factory,
                { rules in
                    guard !listed.isEmpty else { return }
                    rules.bootStates = [.verified, .selfSigned]
                    rules.verifiedBootKeys = listed
                },
                { blueprint in
                    let root = RootOfTrustBlueprint(
                        verifiedBootKey: key, deviceLocked: locked, verifiedBootState: state, verifiedBootHash: nil)
                    blueprint.description.hardwareEnforced[.rootOfTrust] = .encoded(root.encoded)
                })
        }
        for (locked, state, listed, expected) in [
            (0xFF, 0, [], "accept"), (0, 0, [], "root-of-trust device-unlocked"),
            (0xFF, 1, [], "root-of-trust boot-state-not-allowed"),
            (0xFF, 2, [], "root-of-trust boot-state-not-allowed"),
            (0xFF, 3, [], "root-of-trust boot-state-not-allowed"), (0xFF, 1, [key], "accept"),
            (0xFF, 1, [[UInt8](repeating: 8, count: 32)], "root-of-trust boot-key-not-allowed"),
            (0, 1, [key], "root-of-trust device-unlocked"), (0xFF, 2, [key], "root-of-trust boot-state-not-allowed"),
        ] as [(UInt8, UInt8, [[UInt8]], String)] {
            let found = try await root(locked, state, key, listed: listed)
            #expect(found == expected, "\(locked), \(state), \(listed.count) keys")
        }
        // Some genuine devices have zeros or nothing as the key of a verified system.
        for none in [[], [UInt8](repeating: 0, count: 32)] {
            let found = try await root(0xFF, 0, none)
            #expect(found == "accept")
            let other = try await root(0xFF, 1, none, listed: [key])
            #expect(other == "root-of-trust boot-key-not-allowed")
        }
    }

    @Test("a claim in the software list alone proves nothing")
    func softwareClaims() async throws {
        let cases: [(AndroidKeyTag, AuthorizationValue, (inout Rules) -> Void, String)] = [
            (
                .rootOfTrust, .encoded(AndroidKeyDevice.factory.rootOfTrust.encoded), { _ in },
                "root-of-trust root-of-trust-missing"
            ),
            (
                .osVersion, .integer(160_000), { $0.minimumOSVersion = AndroidVersion("12") },
                "os-version os-version-missing"
            ),
            (
                .osPatchLevel, .integer(202_611), { $0.patchLevel = .init(maximumAge: 365 * Self.day) },
                "patch-level patch-level-missing"
            ),
            (
                .vendorPatchLevel, .integer(20_261_101),
                { $0.patchLevel = .init(maximumAge: 365 * Self.day, levels: [.vendor]) },
                "patch-level patch-level-missing"
            ),
            (
                .bootPatchLevel, .integer(20_261_101),
                { $0.patchLevel = .init(maximumAge: 365 * Self.day, levels: [.boot]) },
                "patch-level patch-level-missing"
            ),
            (.origin, .integer(0), { _ in }, "origin origin-missing"),
            (.purpose, .integers([2]), { _ in }, "purpose purpose-sign-missing"),
            (
                .rollbackResistance, .null, { $0.rollbackResistance = .required },
                "rollback-resistance rollback-resistance-missing"
            ),
            (
                .rollbackResistant, .null, { $0.rollbackResistance = .required },
                "rollback-resistance rollback-resistance-missing"
            ),
        ]
        for (tag, value, rules, expected) in cases {
            let found = try await outcome(.factory, rules) { blueprint in
                blueprint.description.hardwareEnforced[tag] = nil
                blueprint.description.softwareEnforced[tag] = value
            }
            #expect(found == expected, "tag \(tag.number)")
        }
        let authentication = try await outcome(.factory, { $0.userAuthentication = .required }) { blueprint in
            blueprint.description.hardwareEnforced[.noAuthRequired] = nil
            blueprint.description.softwareEnforced[.userAuthType] = .integer(2)
        }
        #expect(authentication == "user-authentication user-authentication-missing")
        // And the app is what the system says, not what stands in the list of the hardware.
        let application = try await changed { blueprint in
            let value = blueprint.description.softwareEnforced[.attestationApplicationID]
            blueprint.description.softwareEnforced[.attestationApplicationID] = nil
            blueprint.description.hardwareEnforced[.attestationApplicationID] = value
        }
        #expect(application == "application application-missing")
    }

    @Test("Android's version")
    func osVersion() async throws {
        for (minimum, expected) in [
            ("13", "accept"), ("13.0.0", "accept"), ("13.0.1", "os-version os-version-too-low"),
            ("14", "os-version os-version-too-low"),
        ] {
            let found = try await outcome(.factory, { $0.minimumOSVersion = AndroidVersion(minimum) })
            #expect(found == expected, "\(minimum)")
        }
        let board = try await outcome(.factory, { $0.minimumOSVersion = AndroidVersion("8") }) {
            $0.description.hardwareEnforced[.osVersion] = .integer(0)
        }
        #expect(board == "os-version os-version-too-low")
    }

    @Test("patch levels count from the first of their month")
    func patchLevel() async throws {
        // The time of judgement is 2026-11-20.
        let limits = AndroidKeyConfiguration.PatchLevelRules(
            maximumAge: 365 * Self.day, maximumAhead: 62 * Self.day, levels: [.os, .vendor, .boot])
        for (tag, value, expected) in [
            (.osPatchLevel, 202_512, "accept"), (.osPatchLevel, 202_511, "patch-level patch-level-too-old"),
            (.osPatchLevel, 202_701, "accept"), (.osPatchLevel, 202_702, "patch-level patch-level-ahead"),
            (.osPatchLevel, 209_901, "patch-level patch-level-ahead"),
            (.osPatchLevel, 202_600, "patch-level patch-level-malformed"),
            (.osPatchLevel, 202_613, "patch-level patch-level-malformed"),
            (.osPatchLevel, 20_261, "patch-level patch-level-malformed"),
            (.osPatchLevel, 0, "patch-level patch-level-missing"),
            (.osPatchLevel, .max, "patch-level patch-level-malformed"),
            (.vendorPatchLevel, 20_261_105, "accept"), (.vendorPatchLevel, 202_611, "accept"),
            (.vendorPatchLevel, 20_251_130, "patch-level patch-level-too-old"),
            (.vendorPatchLevel, 20_261_132, "patch-level patch-level-malformed"),
            (.vendorPatchLevel, 0, "patch-level patch-level-missing"),
            (.bootPatchLevel, 20_240_101, "patch-level patch-level-too-old"),
        ] as [(AndroidKeyTag, UInt64, String)] {
            let found = try await outcome(.factory, { $0.patchLevel = limits }) {
                $0.description.hardwareEnforced[tag] = .integer(value)
            }
            #expect(found == expected, "\(tag.number): \(value)")
        }
        for (version, expected) in [(2, "accept"), (3, "patch-level patch-level-missing")] as [(UInt64, String)] {
            let found = try await outcome(.factory, { $0.patchLevel = limits }) { blueprint in
                blueprint.description.attestationVersion = version
                blueprint.description.hardwareEnforced[.vendorPatchLevel] = nil
                blueprint.description.hardwareEnforced[.bootPatchLevel] = nil
            }
            #expect(found == expected, "version \(version)")
        }
        // Versions 1 and 2 have no such levels, so that nothing would be examined.
        for levels in [[.vendor], [.boot], [.vendor, .boot]] as [[AndroidKeyConfiguration.PatchLevelName]] {
            let found = try await outcome(
                .factory, { $0.patchLevel = .init(maximumAge: 365 * Self.day, levels: levels) }
            ) { blueprint in
                blueprint.description.attestationVersion = 2
                blueprint.description.hardwareEnforced[.vendorPatchLevel] = nil
                blueprint.description.hardwareEnforced[.bootPatchLevel] = nil
            }
            #expect(found == "patch-level patch-level-missing", "\(levels)")
        }
    }

    @Test("the app: one of our packages in an allowed version, and only our certificates")
    func application() async throws {
        let ours = Fixtures.package
        func package(_ name: String, _ version: UInt64 = 42) -> ApplicationIDBlueprint.Package {
            .init(name, version: version)
        }
        let other = [UInt8](repeating: 6, count: 32)
        let cases: [(String, [ApplicationIDBlueprint.Package], [[UInt8]], String)] = [
            ("ours", [package(ours)], [Fixtures.digest], "accept"),
            ("with a neighbour", [package("com.example.other", 1), package(ours)], [Fixtures.digest], "accept"),
            ("none", [], [Fixtures.digest], "application package-not-allowed"),
            ("another", [package("com.example.other")], [Fixtures.digest], "application package-not-allowed"),
            ("a prefix", [package("com.example.sho")], [Fixtures.digest], "application package-not-allowed"),
            ("a suffix", [package(ours + "2")], [Fixtures.digest], "application package-not-allowed"),
            ("NUL", [package(ours + "\0")], [Fixtures.digest], "application package-not-allowed"),
            ("capitals", [package("com.example.Shop")], [Fixtures.digest], "application package-not-allowed"),
            ("too old", [package(ours, 41)], [Fixtures.digest], "application version-code-too-low"),
            (
                "a neighbour's version", [package("com.example.other", 99), package(ours, 41)], [Fixtures.digest],
                "application version-code-too-low"
            ),
            ("no certificate", [package(ours)], [], "application certificate-none"),
            ("another certificate", [package(ours)], [other], "application certificate-not-allowed"),
            ("one more certificate", [package(ours)], [Fixtures.digest, other], "application certificate-not-allowed"),
            (
                "a cut digest", [package(ours)], [Array(Fixtures.digest.dropLast())],
                "application certificate-not-allowed"
            ),
        ]
        for (name, packages, digests, expected) in cases {
            let found = try await changed {
                $0.description.softwareEnforced[.attestationApplicationID] = .octets(
                    ApplicationIDBlueprint(packages: packages, digests: digests).encoded)
            }
            #expect(found == expected, "\(name)")
        }
        let versions = VersionRules<Int64>(minimum: 40, maximum: 50, withdrawn: [45])
        for (version, expected) in [
            (44, "accept"), (45, "application version-code-withdrawn"), (51, "application version-code-too-high"),
            (.max, "application version-code-too-high"),
        ] as [(UInt64, String)] {
            let verdict = try await judge(under: Fixtures.configuration(versions: versions)) {
                $0.description.softwareEnforced[.attestationApplicationID] = .octets(
                    ApplicationIDBlueprint(packages: [package(ours, version)], digests: [Fixtures.digest]).encoded)
            }
            #expect(AndroidKeyTests.outcome(verdict) == expected, "\(version)")
        }
        // The attestation does not say which of the packages of a user ID asked.
        for (own, second, expected) in [
            (42, 42, "accept"), (41, 42, "application version-code-too-low"),
            (42, 41, "application version-code-too-low"),
        ] as [(UInt64, UInt64, String)] {
            let verdict = try await judge(under: Fixtures.configuration(packages: [ours, "com.example.second"])) {
                $0.description.softwareEnforced[.attestationApplicationID] = .octets(
                    ApplicationIDBlueprint(
                        packages: [package(ours, own), package("com.example.second", second)],
                        digests: [Fixtures.digest]
                    ).encoded)
            }
            #expect(AndroidKeyTests.outcome(verdict) == expected, "\(own), \(second)")
        }
    }

    @Test("origin, purposes and scope of the key")
    func key() async throws {
        for origin in [1, 2, 3, 4, 5, .max] as [UInt64] {
            let found = try await changed { $0.description.hardwareEnforced[.origin] = .integer(origin) }
            #expect(found == "origin origin-not-generated", "\(origin)")
        }
        for (purposes, expected) in [
            ([2], "accept"), ([2, 3], "accept"), ([3], "purpose purpose-sign-missing"),
            ([], "purpose purpose-sign-missing"),
            ([1, 2], "purpose purpose-not-allowed"), ([2, 7], "purpose purpose-not-allowed"),
            ([2, 4], "purpose purpose-not-allowed"),
            ([7], "purpose purpose-sign-missing"),
        ] as [([UInt64], String)] {
            let found = try await changed { $0.description.hardwareEnforced[.purpose] = .integers(purposes) }
            #expect(found == expected, "\(purposes)")
        }
        let agreeing = try await outcome(.factory, { $0.purposes = [.sign, .agreeKey] }) {
            $0.description.hardwareEnforced[.purpose] = .integers([2, 6])
        }
        #expect(agreeing == "accept")
        let hardware = try await changed { $0.description.hardwareEnforced[.allApplications] = .null }
        #expect(hardware == "key-scope key-of-all-applications")
        let software = try await changed { $0.description.softwareEnforced[.allApplications] = .null }
        #expect(software == "key-scope key-of-all-applications")
    }

    @Test("authentication of the user and rollback resistance, where they are demanded")
    func demands() async throws {
        let waived = try await outcome(.factory, { $0.userAuthentication = .required })
        #expect(waived == "user-authentication user-authentication-missing")
        for (type, waiver, expected) in [
            (3, false, "accept"), (0, false, "user-authentication user-authentication-missing"),
            (3, true, "user-authentication user-authentication-missing"),
        ] as [(UInt64, Bool, String)] {
            let found = try await outcome(.factory, { $0.userAuthentication = .required }) { blueprint in
                blueprint.description.hardwareEnforced[.noAuthRequired] = nil
                blueprint.description.hardwareEnforced[.userAuthType] = .integer(type)
                if waiver { blueprint.description.softwareEnforced[.noAuthRequired] = .null }
            }
            #expect(found == expected, "\(type), \(waiver)")
        }
        for tag in [AndroidKeyTag.rollbackResistance, .rollbackResistant] {
            let found = try await outcome(.factory, { $0.rollbackResistance = .required }) {
                $0.description.hardwareEnforced[tag] = .null
            }
            #expect(found == "accept")
        }
    }

    @Test("the time at which the key was made")
    func creationTime() async throws {
        let now = UInt64(Fixtures.time.timeIntervalSince1970 * 1000)
        for (value, expected) in [
            (now - 300_000, "accept"), (now - 300_001, "creation-time creation-time-past"), (now + 60_000, "accept"),
            (now + 60_001, "creation-time creation-time-future"), (0, "creation-time creation-time-past"),
            (.max, "creation-time creation-time-future"), (nil, "creation-time creation-time-missing"),
        ] as [(UInt64?, String)] {
            let found = try await outcome(.factory, { $0.creationTime = .init() }) {
                $0.description.softwareEnforced[.creationDateTime] = value.map { .integer($0) }
            }
            #expect(found == expected, "\(value.map { "\($0)" } ?? "none")")
        }
        // Where the hardware says a time, that of the system does not count.
        let both = try await outcome(.factory, { $0.creationTime = .init() }) { blueprint in
            blueprint.description.hardwareEnforced[.creationDateTime] = .integer(0)
        }
        #expect(both == "creation-time creation-time-past")
    }

    @Test("identifiers of the device, where they are forbidden")
    func deviceIdentity() async throws {
        for tag in [710, 711, 712, 713, 714, 715, 716, 717, 723] as [UInt64] {
            for isSoftware in [false, true] {
                let found = try await outcome(.factory, { $0.deviceIdentity = .forbidden }) { blueprint in
                    let tag = AndroidKeyTag(integerLiteral: tag)
                    if isSoftware {
                        blueprint.description.softwareEnforced[tag] = .octets([65])
                    } else {
                        blueprint.description.hardwareEnforced[tag] = .octets([65])
                    }
                }
                #expect(found == "device-identity device-identified", "\(tag)")
            }
        }
        let allowed = try await changed { $0.description.hardwareEnforced[.attestationIDIMEI] = .octets([49]) }
        #expect(allowed == "accept")
    }

    @Test("provisioning info: malformed info always fails, and the policy may limit the certificates")
    func provisioning() async throws {
        func info(_ item: CBORItem?, maximum: Int64? = nil, remote: Bool = false) async throws -> String {
            try await outcome(
                .remote,
                { rules in
                    rules.maximumCertificatesIssued = maximum
                    rules.provisioning = remote ? .remote : .any
                }, { $0.provisioningInfo = item })
        }
        var deep = CBORItem.unsigned(1)
        for _ in 0..<40 { deep = .array([deep]) }
        let cases: [(String, CBORItem?, String)] = [
            ("none", nil, "accept"), ("genuine", AndroidKeyTestAuthority.genuineProvisioningInfo, "accept"),
            ("empty", .map([]), "accept"),
            ("more keys", .map([.unsigned(1), .unsigned(8), .unsigned(9), .text("x")]), "accept"),
            ("no map", .array([.unsigned(1)]), "provisioning unexpected-type"),
            ("no CBOR", .raw([0xFF]), "provisioning malformed"), ("nothing", .raw([]), "provisioning truncated"),
            ("trailing", .raw([0xA1, 1, 8, 0]), "provisioning trailing-bytes"),
            ("duplicate", .raw([0xA2, 1, 8, 1, 9]), "provisioning duplicate-key"),
            ("indefinite", .raw([0xBF, 1, 8, 0xFF]), "provisioning indefinite-length"),
            ("huge", .raw([0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), "provisioning truncated"),
            ("text for the number", .map([.unsigned(1), .text("8")]), "provisioning unexpected-type"),
            ("a number for the flag", .map([.unsigned(2), .unsigned(1)]), "provisioning unexpected-type"),
            ("null for the flag", .raw([0xA1, 2, 0xF6]), "provisioning unexpected-type"),
            ("deep", .map([.unsigned(9), deep]), "provisioning too-deep"),
        ]
        for (name, item, expected) in cases {
            let found = try await info(item)
            #expect(found == expected, "\(name)")
        }
        for (issued, expected) in [(16, "accept"), (17, "provisioning certificates-issued-too-many")]
            as [(UInt64, String)]
        {
            let found = try await info(.map([.unsigned(1), .unsigned(issued)]), maximum: 16)
            #expect(found == expected)
        }
        let silent = try await info(nil, maximum: 16)
        #expect(silent == "provisioning certificates-issued-missing")
        let factory = try await outcome(.factory, { $0.provisioning = .remote })
        #expect(factory == "provisioning provisioning-not-remote")
        let remote = try await info(AndroidKeyTestAuthority.genuineProvisioningInfo, maximum: 16, remote: true)
        #expect(remote == "accept")
    }
}
