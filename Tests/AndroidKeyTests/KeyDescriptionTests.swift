import AndroidKey
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("The key attestation extension")
struct KeyDescriptionTests {
    private func outcome(_ change: (inout KeyDescriptionBlueprint) -> Void) async throws -> String {
        AndroidKeyTests.outcome(try await judge { change(&$0.description) })
    }

    @Test(
        "every version is read, and those above 500 as 500",
        arguments: [1, 2, 3, 4, 100, 200, 300, 400, 500, 501, 9999] as [UInt64])
    func versions(version: UInt64) async throws {
        let verdict = try await judge { $0.description.attestationVersion = version }
        #expect(verdict.androidKey?.attestationVersion == Int64(version))
        #expect(AndroidKeyTests.outcome(verdict) == "accept")
    }

    @Test("fields that are missing, too many, or of another form")
    func fields() async throws {
        let cases: [(String, @Sendable ([[UInt8]]) -> [[UInt8]], String)] = [
            ("7 fields", { Array($0.dropLast()) }, "extension truncated"),
            ("9 fields", { $0 + [[5, 0]] }, "extension trailing-bytes"),
            ("none", { _ in [] }, "extension truncated"),
            ("version 0", { [[2, 1, 0]] + $0.dropFirst() }, "extension unexpected-value"),
            ("version padded", { [[2, 2, 0, 3]] + $0.dropFirst() }, "extension not-minimal"),
            ("version negative", { [[2, 1, 0xFF]] + $0.dropFirst() }, "extension unexpected-value"),
            (
                "version of 4000 bits", { [[2, 0x82, 1, 0xF4] + [UInt8](repeating: 1, count: 500)] + $0.dropFirst() },
                "extension too-large"
            ),
            ("level 3", { [$0[0], [10, 1, 3]] + $0.dropFirst(2) }, "extension unexpected-value"),
            ("level -1", { [$0[0], [10, 1, 0xFF]] + $0.dropFirst(2) }, "extension unexpected-value"),
            ("level empty", { [$0[0], [10, 0]] + $0.dropFirst(2) }, "extension unexpected-value"),
            ("level of two bytes", { [$0[0], [10, 2, 0, 1]] + $0.dropFirst(2) }, "extension unexpected-value"),
            ("level as INTEGER", { [$0[0], [2, 1, 1]] + $0.dropFirst(2) }, "extension unexpected-type"),
            (
                "challenge as text", { Array($0.prefix(4)) + [[0x0C, 1, 0x61]] + $0.dropFirst(5) },
                "extension unexpected-type"
            ),
            (
                "software list as SET", { Array($0.prefix(6)) + [[0x31, 0]] + $0.dropFirst(7) },
                "extension unexpected-type"
            ),
        ]
        for (name, change, expected) in cases {
            let found = try await outcome { $0.changeFields = change }
            #expect(found == expected, "\(name)")
        }
        let trailing = try await outcome { $0.changeEncoded = { $0 + [0] } }
        #expect(trailing == "extension trailing-bytes")
        let indefinite = try await outcome { $0.changeEncoded = { [0x30, 0x80] + $0.dropFirst(4) + [0, 0] } }
        #expect(indefinite == "extension indefinite-length")
        let empty = try await outcome { $0.changeEncoded = { _ in [] } }
        #expect(empty == "extension truncated")
    }

    @Test("tags of authorization lists are ascending, unique, explicit and in their shortest form")
    func tags() async throws {
        func element(_ bytes: [UInt8], first: Bool = false) -> @Sendable (inout KeyDescriptionBlueprint) -> Void {
            { description in
                let index = first ? 0 : description.hardwareEnforced.elements.count
                description.hardwareEnforced.elements.insert(.encoded(bytes), at: index)
            }
        }
        let cases: [(String, [UInt8], Bool, String)] = [
            ("purpose twice", [0xA1, 5, 0x31, 3, 2, 1, 2], true, "extension duplicate-key"),
            ("descending", [0xA1, 5, 0x31, 3, 2, 1, 2], false, "extension unexpected"),
            ("long form", [0xBF, 0x01, 5, 0x31, 3, 2, 1, 2], true, "extension not-minimal"),
            ("padded number", [0xBF, 0x80, 0x85, 0x78, 2, 5, 0], false, "extension not-minimal"),
            ("primitive", [0x80, 1, 0], true, "extension unexpected-type"),
            ("private", [0xE0, 2, 5, 0], true, "extension unexpected-type"),
            ("universal", [5, 0], true, "extension unexpected-type"),
            ("an empty unknown tag", [0xBF, 0xA7, 0x0F, 0], false, "extension truncated"),
            ("an unknown tag with two values", [0xBF, 0xA7, 0x0F, 4, 5, 0, 5, 0], false, "extension trailing-bytes"),
        ]
        for (name, bytes, first, expected) in cases {
            let found = try await outcome(element(bytes, first: first))
            #expect(found == expected, "\(name)")
        }
        var nested: [UInt8] = [5, 0]
        for _ in 0..<30 { nested = DERBuilder.element(0x30, nested) }
        let deep = try await outcome(element(DERBuilder.context(5007, nested)))
        #expect(deep == "extension too-deep")
    }

    @Test("unknown tags are tolerated and reported")
    func unknown() async throws {
        let verdict = try await judge { blueprint in
            blueprint.description.hardwareEnforced[.init(integerLiteral: 999)] = .octets([1, 2])
            blueprint.description.softwareEnforced[.init(integerLiteral: 1000)] = .null
        }
        #expect(AndroidKeyTests.outcome(verdict) == "accept")
        #expect(verdict.androidKey?.unknownTags == ["hardwareEnforced 999", "softwareEnforced 1000"])
        let remark = verdict.checks.first { $0.check.name == "android-key.attestation.extension" }?.finding
        #expect(remark?.code == "unknown-tags")
        #expect(AuthorizationTag.known(1)?.name == "purpose" && AuthorizationTag.known(724)?.name == "moduleHash")
        for number: UInt32 in [0, 721, 725, .max] { #expect(AuthorizationTag.known(number) == nil) }
    }

    @Test("values of known tags have their form")
    func values() async throws {
        let cases: [(AndroidKeyTag, AuthorizationValue, String)] = [
            (.osVersion, .encoded([2, 2, 0, 5]), "extension not-minimal"),
            (.osVersion, .encoded([2, 1, 0xFF]), "extension unexpected-value"),
            (.osVersion, .encoded([2, 9, 1] + [UInt8](repeating: 0, count: 8)), "extension too-large"),
            (.osVersion, .encoded([2, 0x82, 1, 0xF4, 1] + [UInt8](repeating: 0, count: 499)), "extension too-large"),
            (.osVersion, .null, "extension unexpected-type"),
            (.noAuthRequired, .encoded([5, 1, 0]), "extension malformed"),
            (.noAuthRequired, .integer(1), "extension unexpected-type"),
            (.purpose, .integer(2), "extension unexpected-type"),
            (.attestationIDBrand, .integer(1), "extension unexpected-type"),
            (.userSecureID, .integer(.max), "accept"),
        ]
        for (tag, value, expected) in cases {
            let found = try await outcome { $0.hardwareEnforced[tag] = value }
            #expect(found == expected, "\(tag.number)")
        }
        let unsorted = try await outcome { $0.hardwareEnforced[.purpose] = .integers([3, 2]) }
        #expect(unsorted == "accept")
    }

    @Test("root of trust")
    func rootOfTrust() async throws {
        let cases: [(String, @Sendable ([[UInt8]]) -> [[UInt8]], String)] = [
            ("locked as 01", { [$0[0], [1, 1, 1]] + $0.dropFirst(2) }, "accept"),
            ("locked as 02", { [$0[0], [1, 1, 2]] + $0.dropFirst(2) }, "extension not-minimal"),
            ("locked as INTEGER", { [$0[0], [2, 1, 1]] + $0.dropFirst(2) }, "extension unexpected-type"),
            ("locked of two bytes", { [$0[0], [1, 2, 1, 1]] + $0.dropFirst(2) }, "extension not-minimal"),
            ("boot state 4", { Array($0.prefix(2)) + [[10, 1, 4]] + $0.dropFirst(3) }, "extension unexpected-value"),
            (
                "boot state as INTEGER", { Array($0.prefix(2)) + [[2, 1, 0]] + $0.dropFirst(3) },
                "extension unexpected-type"
            ),
            ("two fields", { Array($0.prefix(2)) }, "extension truncated"),
            ("five fields", { $0 + [[5, 0]] }, "extension trailing-bytes"),
            ("without the hash", { Array($0.prefix(3)) }, "accept"),
        ]
        for (name, change, expected) in cases {
            let found = try await outcome { description in
                let fields = AndroidKeyDevice.factory.rootOfTrust.fields
                description.hardwareEnforced[.rootOfTrust] = .encoded(
                    DERBuilder.element(0x30, change(fields).flatMap { $0 }))
            }
            #expect(found == expected, "\(name)")
        }
    }

    @Test("application identifiers that cannot be read fail the extension")
    func application() async throws {
        for bytes: [UInt8] in [[], [0x30, 0], [1, 2, 3], [0x30, 4, 0x31, 0, 0x31, 0, 5, 0]] {
            let found = try await outcome { $0.softwareEnforced[.attestationApplicationID] = .octets(bytes) }
            #expect(found.hasPrefix("extension "), "\(bytes)")
        }
    }

    @Test("security levels")
    func levels() async throws {
        for (attestation, key, expected) in [
            (0, 0, "security-level level-software"), (0, 1, "security-level level-software"),
            (1, 0, "security-level level-software"), (1, 2, "security-level levels-differ"),
            (2, 1, "security-level levels-differ"), (2, 2, "security-level level-contradicted"), (1, 1, "accept"),
        ] as [(UInt8, UInt8, String)] {
            let found = try await outcome { description in
                (description.attestationSecurityLevel, description.keyMintSecurityLevel) = (attestation, key)
            }
            #expect(found == expected, "\(attestation), \(key)")
        }
        var rules = AndroidKeyConfiguration.Rules()
        rules.securityLevel = .strongBox
        let configuration = try Fixtures.configuration(rules)
        let weak = try await judge(.remote, under: configuration)
        #expect(AndroidKeyTests.outcome(weak) == "security-level level-too-low")
        let strong = try await judge(.strongBox, under: configuration)
        #expect(AndroidKeyTests.outcome(strong) == "accept")
    }

    @Test(
        "the challenge is compared byte by byte, and never empty",
        .produces("android-key.attestation.challenge-binding", "challenge-empty"))
    func challenge() async throws {
        let minted = try Fixtures.blueprint().mint()
        for challenge in [Array("Challenge".utf8), Array("challenge\0".utf8), Array("challeng".utf8)] {
            let verdict = try await judge(KeyAttestationInput(certificates: minted.certificates, challenge: challenge))
            #expect(AndroidKeyTests.outcome(verdict) == "challenge-binding challenge-differs")
        }
        let empty = try await judge { $0.description.attestationChallenge = [] }
        #expect(AndroidKeyTests.outcome(empty) == "challenge-binding challenge-differs")
        let both = try await judge(KeyAttestationInput(certificates: minted.certificates, challenge: []))
        #expect(AndroidKeyTests.outcome(both) == "challenge-binding challenge-empty")
    }

    @Test("the key is usable, allowed, and as the extension describes it")
    func keys() async throws {
        for (algorithm, expected) in [
            (.p256, "accept"), (.p384, "accept"), (.p521, "accept"), (.rsa(2048), "accept"),
            (.p224, "public-key key-unusable"), (.secp256k1, "public-key key-unusable"),
            (.ed25519, "public-key key-unusable"), (.rsa(1024), "public-key key-unusable"),
        ] as [(AndroidTestKey.Algorithm, String)] {
            let key = try AndroidAttestedKey(key: AndroidTestKey(algorithm, seed: "algorithms", label: "\(algorithm)"))
            let minted = try AndroidKeyAttestationBlueprint(
                authority: Fixtures.authority.get(), key: key,
                application: ApplicationIDBlueprint(
                    packages: [.init(Fixtures.package, version: 42)], digests: [Fixtures.digest]),
                device: .remote, label: "device", challenge: Fixtures.challenge, issuedAt: Fixtures.time
            ).mint()
            let verdict = try await judge(minted.input)
            #expect(AndroidKeyTests.outcome(verdict) == expected, "\(algorithm)")
        }
        for (tag, value) in [(AndroidKeyTag.algorithm, 1), (.keySize, 384), (.ecCurve, 2)] as [(AndroidKeyTag, UInt64)]
        {
            let hardware = try await outcome { $0.hardwareEnforced[tag] = .integer(value) }
            #expect(hardware == "public-key description-differs")
            let software = try await outcome { $0.softwareEnforced[tag] = .integer(value) }
            #expect(software == "public-key description-differs")
            let absent = try await outcome { $0.hardwareEnforced[tag] = nil }
            #expect(absent == "accept")
        }
        var rules = AndroidKeyConfiguration.Rules()
        rules.keyAlgorithms = [.p384]
        let refused = try await judge(under: Fixtures.configuration(rules))
        #expect(AndroidKeyTests.outcome(refused) == "public-key algorithm-not-allowed")
        let minted = try Fixtures.blueprint().mint()
        for (key, expected) in [(minted.publicKey, "accept"), ([0x30, 0], "public-key public-key-differs")] {
            let verdict = try await judge(
                KeyAttestationInput(certificates: minted.certificates, challenge: minted.challenge, publicKey: key))
            #expect(AndroidKeyTests.outcome(verdict) == expected)
        }
    }
}
