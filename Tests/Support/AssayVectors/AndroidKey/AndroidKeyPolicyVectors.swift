import AssayCore
import AssayTesting
import FoundationEssentials

/// Genuine attestations of keys, devices and apps that a policy does not allow.
extension AndroidKeyVectorMint {
    private func reject(
        _ id: String, _ check: String, _ device: AndroidKeyDevice = .remote,
        _ change: @escaping (inout KeyDescriptionBlueprint) -> Void
    ) -> VectorCase { description(id, VectorOutcome(failed: [check]), device, change: change) }

    var publicKey: [VectorCase] {
        func key(_ id: String, _ algorithm: AndroidTestKey.Algorithm) -> VectorCase {
            attestation("key-\(id)", .reject("public-key"), .factory, algorithm)
        }
        func spki(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            attestation(id, .reject("public-key")) { $0.leaf.fields.subjectPublicKeyInfo = bytes }
        }
        let mlDSA65 = DERBuilder.sequence(
            DERBuilder.sequence(DERBuilder.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 3, 18])),
            DERBuilder.bitString(.zeros(1952)))
        return [
            key("p224", .p224), key("secp256k1", .secp256k1), key("ed25519", .ed25519), key("rsa-1024", .rsa(1024)),
            spki("key-ml-dsa-65", mlDSA65),
            spki(
                "key-off-the-curve",
                DERBuilder.sequence(
                    DERBuilder.sequence(
                        DERBuilder.objectIdentifier([1, 2, 840, 10045, 2, 1]),
                        DERBuilder.objectIdentifier([1, 2, 840, 10045, 3, 1, 7])),
                    DERBuilder.bitString([4] + .zeros(63) + [1]))),
            reject("algorithm-rsa", "public-key") { $0.hardwareEnforced[.algorithm] = .integer(1) },
            reject("key-size-384", "public-key") { $0.hardwareEnforced[.keySize] = .integer(384) },
            reject("curve-p384", "public-key") { $0.hardwareEnforced[.ecCurve] = .integer(2) },
            reject("curve-p384-in-software", "public-key") { $0.softwareEnforced[.ecCurve] = .integer(2) },
            attestation(
                "public-key-of-another", .reject("public-key"),
                publicKey: (try? self.key("another"))?.publicKey ?? []),
            attestation("public-key-garbage", .reject("public-key"), publicKey: [1, 2, 3]),
        ]
    }

    var binding: [VectorCase] {
        func challenge(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            attestation(id, .reject("challenge-binding"), challenge: bytes)
        }
        return [
            challenge("challenge-of-another", self.challenge("another")),
            challenge("challenge-prefix", Array("challenge for".utf8)),
            challenge("challenge-with-trailing-byte", self.challenge("challenge-with-trailing-byte") + [0]),
            reject("certified-challenge-empty", "challenge-binding") { $0.attestationChallenge = [] },
            reject("level-software-of-key", "security-level") { $0.keyMintSecurityLevel = 0 },
            reject("level-software-of-attestation", "security-level") { $0.attestationSecurityLevel = 0 },
            reject("levels-differ", "security-level") { $0.keyMintSecurityLevel = 2 },
            reject("strongbox-by-a-tee", "security-level") {
                ($0.attestationSecurityLevel, $0.keyMintSecurityLevel) = (2, 2)
            },
        ]
    }

    var device: [VectorCase] {
        func root(_ id: String, _ change: @escaping (inout RootOfTrustBlueprint) -> Void) -> VectorCase {
            reject(id, "root-of-trust") { $0.changeRootOfTrust(change) }
        }
        return [
            reject("root-of-trust-missing", "root-of-trust") { $0.hardwareEnforced[.rootOfTrust] = nil },
            reject("root-of-trust-in-software-only", "root-of-trust") {
                $0.softwareEnforced[.rootOfTrust] = $0.hardwareEnforced[.rootOfTrust]
                $0.hardwareEnforced[.rootOfTrust] = nil
            },
            root("unlocked") { ($0.deviceLocked, $0.verifiedBootState) = (0, 2) },
            root("unlocked-and-verified") { $0.deviceLocked = 0 },
            root("boot-unverified") { $0.verifiedBootState = 2 }, root("boot-failed") { $0.verifiedBootState = 3 },
            root("boot-self-signed") { $0.verifiedBootState = 1 },
        ]
    }

    var application: [VectorCase] {
        func application(_ id: String, _ change: @escaping (inout ApplicationIDBlueprint) -> Void) -> VectorCase {
            reject(id, "application") { $0.changeApplicationID(change) }
        }
        func package(_ id: String, _ name: [UInt8]) -> VectorCase {
            application(id) { $0.packages[0].name = name }
        }
        let name = Array(Self.packageName.utf8)
        return [
            reject("application-id-missing", "application") { $0.softwareEnforced[.attestationApplicationID] = nil },
            reject("application-id-in-hardware-only", "application") {
                $0.hardwareEnforced[.attestationApplicationID] = $0.softwareEnforced[.attestationApplicationID]
                $0.softwareEnforced[.attestationApplicationID] = nil
            },
            application("no-package") { $0.packages = [] }, package("package-of-another", Array("com.example.x".utf8)),
            package("package-prefix", name.dropLast()), package("package-longer", name + [0x73]),
            package("package-with-nul", name + [0]),
            package("package-in-upper-case", Array("COM.EXAMPLE.VECTORS".utf8)),
            package("package-empty", []),
            application("no-digest") { $0.digests = [] },
            application("digest-of-another") { $0.digests = [.zeros(32)] },
            application("digest-besides-ours") { $0.digests.append(.zeros(32)) },
            application("digest-prefix") { $0.digests[0].removeLast() },
            application("version-code-too-low") { $0.packages[0].version = 39 },
            application("version-code-of-a-neighbour") {
                $0.packages[0].version = 39
                $0.packages.append(.init("com.example.neighbour", version: 99))
            },
        ]
    }

    var keyProperties: [VectorCase] {
        [
            reject("origin-missing", "origin") { $0.hardwareEnforced[.origin] = nil },
            reject("origin-in-software-only", "origin") {
                $0.softwareEnforced[.origin] = .integer(0)
                $0.hardwareEnforced[.origin] = nil
            },
            reject("origin-derived", "origin") { $0.hardwareEnforced[.origin] = .integer(1) },
            reject("origin-imported", "origin") { $0.hardwareEnforced[.origin] = .integer(2) },
            reject("origin-securely-imported", "origin") { $0.hardwareEnforced[.origin] = .integer(4) },
            reject("origin-unknown", "origin") { $0.hardwareEnforced[.origin] = .integer(3) },
            reject("purpose-missing", "purpose") { $0.hardwareEnforced[.purpose] = nil },
            reject("purpose-empty", "purpose") { $0.hardwareEnforced[.purpose] = .integers([]) },
            reject("purpose-in-software-only", "purpose") {
                $0.softwareEnforced[.purpose] = .integers([2])
                $0.hardwareEnforced[.purpose] = nil
            },
            reject("purpose-verify-alone", "purpose") { $0.hardwareEnforced[.purpose] = .integers([3]) },
            reject("purpose-decrypt", "purpose") { $0.hardwareEnforced[.purpose] = .integers([1, 2]) },
            reject("purpose-attest-key", "purpose") { $0.hardwareEnforced[.purpose] = .integers([2, 7]) },
            reject("all-applications", "key-scope") { $0.hardwareEnforced[.allApplications] = .null },
            reject("all-applications-in-software", "key-scope") { $0.softwareEnforced[.allApplications] = .null },
        ]
    }

    var provisioning: [VectorCase] {
        func info(_ id: String, _ item: CBORItem) -> VectorCase {
            attestation("provisioning-\(id)", .reject("provisioning")) { $0.provisioningInfo = item }
        }
        let one: [CBORItem] = [.unsigned(1), .unsigned(8)]
        return [
            info("empty", .raw([])), info("not-cbor", .raw([0xFF])), info("no-map", .unsigned(1)),
            info("in-octets", .bytes(CBORItem.map(one).encoded)), info("key-twice", .map(one + one)),
            info("indefinite", .indefiniteMap(one)), info("with-trailing-byte", .raw(CBORItem.map(one).encoded + [0])),
            info(
                "not-minimal", .map([.unsigned(1), .head(majorType: 0, argument: 8, argumentBytes: 1, followedBy: [])])),
            info("number-as-text", .map([.unsigned(1), .text("8")])),
            info("flag-as-number", .map([.unsigned(2), .unsigned(1)])),
            info("huge", .head(majorType: 5, argument: .max, argumentBytes: 8, followedBy: [])),
            info("deep", .map([.unsigned(9), (0..<40).reduce(CBORItem.unsigned(1)) { inner, _ in .array([inner]) }])),
        ]
    }

    // MARK: Under the strict policy

    private func strict(
        _ id: String, _ check: String, _ change: @escaping (inout KeyDescriptionBlueprint) -> Void
    ) -> VectorCase { strict(id, VectorOutcome(failed: [check])) { change(&$0.description) } }

    private func strict(
        _ id: String, _ check: String, blueprint change: @escaping (inout AndroidKeyAttestationBlueprint) -> Void
    ) -> VectorCase { strict(id, VectorOutcome(failed: [check])) { change(&$0) } }

    var strictDevice: [VectorCase] {
        func level(_ id: String, _ tag: AndroidKeyTag, _ value: UInt64?) -> VectorCase {
            strict("patch-level-\(id)", "patch-level") { $0.hardwareEnforced[tag] = value.map { .integer($0) } }
        }
        return [
            strict("trusted-environment", VectorOutcome(failed: ["security-level"]), .remote),
            strict("version-200", "version") { ($0.attestationVersion, $0.keyMintVersion) = (200, 200) },
            strict("self-signed-by-another", "root-of-trust") { $0.changeRootOfTrust { $0.verifiedBootState = 1 } },
            strict("self-signed-by-nothing", "root-of-trust") {
                $0.changeRootOfTrust { ($0.verifiedBootState, $0.verifiedBootKey) = (1, []) }
            },
            strict("android-11", "os-version") { $0.hardwareEnforced[.osVersion] = .integer(110_000) },
            strict("os-version-0", "os-version") { $0.hardwareEnforced[.osVersion] = .integer(0) },
            strict("os-version-missing", "os-version") { $0.hardwareEnforced[.osVersion] = nil },
            strict("os-version-in-software-only", "os-version") {
                $0.softwareEnforced[.osVersion] = .integer(160_000)
                $0.hardwareEnforced[.osVersion] = nil
            },
            level("missing", .osPatchLevel, nil), level("vendor-missing", .vendorPatchLevel, nil),
            level("boot-0", .bootPatchLevel, 0), level("old", .osPatchLevel, 202_401),
            level("boot-old", .bootPatchLevel, 20_240_101), level("month-0", .osPatchLevel, 202_600),
            level("month-13", .osPatchLevel, 202_613), level("year-2099", .osPatchLevel, 209_901),
            level("of-five-digits", .osPatchLevel, 20_261), level("of-nine-digits", .vendorPatchLevel, 202_601_011),
            strict("patch-level-in-software-only", "patch-level") {
                $0.softwareEnforced[.osPatchLevel] = $0.hardwareEnforced[.osPatchLevel]
                $0.hardwareEnforced[.osPatchLevel] = nil
            },
            strict("serial-number-of-the-device", "device-identity") {
                $0.hardwareEnforced[.attestationIDSerial] = .octets(Array("ABC".utf8))
            },
            strict("imei-in-software", "device-identity") {
                $0.softwareEnforced[.attestationIDIMEI] = .octets(Array("351111111111119".utf8))
            },
            strict("factory-provisioning", VectorOutcome(failed: ["provisioning"]), Self.factoryStrongBox),
            strict(
                "certificates-too-many", "provisioning",
                blueprint: {
                    $0.provisioningInfo = .map([.unsigned(1), .unsigned(101)])
                }),
            strict("certificates-not-counted", "provisioning", blueprint: { $0.provisioningInfo = nil }),
        ]
    }

    /// Under a policy that enforces the check of contradictions.
    var strictConsistency: [VectorCase] {
        func version(_ version: UInt64, _ change: @escaping (inout KeyDescriptionBlueprint) -> Void) -> VectorCase {
            strict("consistency-of-\(version)", VectorOutcome.accept) {
                ($0.description.attestationVersion, $0.description.keyMintVersion) = (version, version)
                change(&$0.description)
            }
        }
        let hash = AuthorizationValue.octets([UInt8](repeating: 0x40, count: 32))
        return [
            version(300) { _ in }, version(400) { $0.softwareEnforced[.moduleHash] = hash },
            version(500) { $0.softwareEnforced[.moduleHash] = hash },
            strict("version-350", "consistency") { $0.attestationVersion = 350 },
            strict("version-600", "consistency") {
                $0.attestationVersion = 600
                $0.softwareEnforced[.moduleHash] = hash
            },
            strict("version-400-without-module-hash", "consistency") { $0.attestationVersion = 400 },
            strict("version-300-with-module-hash", "consistency") { $0.softwareEnforced[.moduleHash] = hash },
            strict(
                "leaf-with-key-cert-sign", "consistency",
                blueprint: {
                    $0.leafExtensions = { [.keyUsage(0x84), .keyDescription($0)] }
                }),
            strict(
                "leaf-is-a-ca", "consistency",
                blueprint: {
                    $0.leafExtensions = { [.basicConstraints(isCA: true), .keyUsage(0x80), .keyDescription($0)] }
                }),
        ]
    }

    private static let factoryStrongBox = AndroidKeyDevice(
        provisioning: .factory, securityLevel: 2, attestationVersion: 300, osVersion: 140_000)

    var strictKey: [VectorCase] {
        let time = time
        return [
            attestation("strict-key-p384", .reject("public-key"), .strongBox, .p384) { Self.meetStrict(&$0) },
            strict("version-code-withdrawn", "application") {
                $0.changeApplicationID { $0.packages[0].version = 41 }
            },
            strict("version-code-too-high", "application") { $0.changeApplicationID { $0.packages[0].version = 51 } },
            strict("no-authentication", "user-authentication") {
                $0.hardwareEnforced[.userAuthType] = nil
                $0.hardwareEnforced[.noAuthRequired] = .null
            },
            strict("authentication-waived-in-software", "user-authentication") {
                $0.softwareEnforced[.noAuthRequired] = .null
            },
            strict("authentication-in-software-only", "user-authentication") {
                $0.softwareEnforced[.userAuthType] = .integer(2)
                $0.hardwareEnforced[.userAuthType] = nil
            },
            strict("authentication-of-type-0", "user-authentication") {
                $0.hardwareEnforced[.userAuthType] = .integer(0)
            },
            strict("no-rollback-resistance", "rollback-resistance") {
                $0.hardwareEnforced[.rollbackResistance] = nil
            },
            strict("rollback-resistance-in-software-only", "rollback-resistance") {
                $0.softwareEnforced[.rollbackResistance] = .null
                $0.hardwareEnforced[.rollbackResistance] = nil
            },
            strict("purpose-verify", "purpose") { $0.hardwareEnforced[.purpose] = .integers([2, 3]) },
            strict("created-too-long-ago", "creation-time") { $0.setCreation(time.addingTimeInterval(-301)) },
            strict("created-in-the-future", "creation-time") { $0.setCreation(time.addingTimeInterval(61)) },
            strict("created-at-no-time", "creation-time") { $0.softwareEnforced[.creationDateTime] = nil },
        ]
    }
}
