import AndroidKey
import Assay
import AssayCore
import AssayTesting
import Testing

@Suite("Attestations that contradict themselves")
struct ConsistencyTests {
    @Test("an attestation that contradicts itself is annotated, with a code for each contradiction")
    func consistency() async throws {
        let hash = AuthorizationValue.octets([UInt8](repeating: 1, count: 32))
        func code(_ device: AndroidKeyDevice, _ change: (inout AndroidKeyAttestationBlueprint) -> Void) async throws
            -> String
        {
            let verdict = try await judge(device) { change(&$0) }
            #expect(verdict.outcome == .accept, "annotated by default")
            let result = try #require(verdict.checks.first { $0.check == CheckID.androidKeyAttestationConsistency })
            #expect((result.status == .annotated) == (result.finding != nil))
            return result.finding?.code ?? "\(result.status)"
        }
        for device in [AndroidKeyDevice.factory, .factory2016, .remote, .remoteUnderRSA, .strongBox] {
            #expect(try await code(device) { _ in } == "passed", "\(device)")
        }
        for (version, hasHash, expected) in [
            (1, false, "passed"), (2, false, "passed"), (3, false, "passed"), (4, false, "passed"),
            (100, false, "passed"),
            (200, false, "passed"), (300, false, "passed"), (400, true, "passed"), (500, true, "passed"),
            (5, false, "version-unknown"), (41, false, "version-unknown"), (99, false, "version-unknown"),
            (401, true, "version-unknown"), (600, true, "version-unknown"), (400, false, "module-hash-missing"),
            (500, false, "module-hash-missing"), (300, true, "module-hash-unexpected"),
        ] as [(UInt64, Bool, String)] {
            let found = try await code(.factory) { blueprint in
                blueprint.description.attestationVersion = version
                blueprint.description.softwareEnforced[.moduleHash] = hasHash ? hash : nil
            }
            #expect(found == expected, "\(version) \(hasHash)")
        }
        for (name, extensions, expected) in [
            ("keyCertSign", [.keyUsage(0x04)], "leaf-may-issue"), ("both", [.keyUsage(0x84)], "leaf-may-issue"),
            ("CA", [.basicConstraints(isCA: true)], "leaf-may-issue"),
            ("no CA", [.basicConstraints(isCA: false), .keyUsage(0x80)], "passed"), ("none", [], "passed"),
            ("a malformed usage", [CertificateExtension([2, 5, 29, 15], value: [1])], "passed"),
        ] as [(String, [CertificateExtension], String)] {
            let found = try await code(.factory) { blueprint in
                blueprint.leafExtensions = { extensions + [.keyDescription($0)] }
            }
            #expect(found == expected, "\(name)")
        }
        // A key that attests others may say so; whether it is allowed is another check's.
        let verdict = try await judge(.factory) { blueprint in
            blueprint.description.hardwareEnforced[.purpose] = .integers([7])
            blueprint.leafExtensions = { [.keyUsage(0x04), .keyDescription($0)] }
        }
        #expect(verdict.failed == [CheckID.androidKeyAttestationPurpose] && verdict.annotated == [])
    }
}
