import AssayTesting
import FoundationEssentials

/// Genuine attestations, with the variants of real devices.
extension AndroidKeyVectorMint {
    private func accept(
        _ id: String, _ device: AndroidKeyDevice = .remote, _ algorithm: AndroidTestKey.Algorithm = .p256,
        delay: TimeInterval = 0, change: @escaping (inout AndroidKeyAttestationBlueprint) throws -> Void = { _ in }
    ) -> VectorCase { attestation(id, .accept, device, algorithm, delay: delay, change: change) }

    private func leaf(
        _ id: String, _ device: AndroidKeyDevice = .factory, _ change: @escaping (inout CertificateBlueprint) -> Void
    ) -> VectorCase { accept(id, device) { change(&$0.leaf.fields) } }

    var accepted: [VectorCase] { chains + leaves + descriptions }

    private var chains: [VectorCase] {
        [
            accept("factory", .factory), accept("factory-of-2016", .factory2016), accept("remote", .remote),
            accept("remote-under-the-rsa-root", .remoteUnderRSA), accept("strongbox", .strongBox),
            accept("factory-rsa", .factory, .rsa(2048)), accept("remote-p384", .remote, .p384),
            accept("remote-p521", .remote, .p521), accept("remote-rsa-3072", .remote, .rsa(3072)),
            // Factory keys cannot be renewed. Remote certificates are valid up to and including their last second.
            accept("factory-expired", .factory, delay: 20 * 365 * 86_400),
            accept("remote-last-second", .remote, delay: 29 * 86_400),
            accept("remote-first-second", .remote, delay: -86_400),
            accept("without-root", .factory) { $0.issuers.removeLast() },
            accept("root-of-another-date", .remote) { blueprint in
                let last = blueprint.issuers.count - 1
                blueprint.issuers[last].fields.notBefore = blueprint.issuers[last].fields.notAfter
            },
            accept("root-with-bad-signature", .factory) { blueprint in
                blueprint.issuers[2].fields.changeSignature = { $0.flippingLastBit() }
            },
            accept("signed-with-sha-384", .factory) { blueprint in
                blueprint.leaf.fields.signatureAlgorithm = .ecdsaWithSHA384
            },
        ]
    }

    static let sha256WithRSA = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 1, 11])
    static let rsaEncryption = DERBuilder.objectIdentifier([1, 2, 840, 113549, 1, 1, 1])

    private var leaves: [VectorCase] {
        let (year1960, year2106) = (
            Date(timeIntervalSince1970: -315_619_200), Date(timeIntervalSince1970: 4_294_967_295)
        )
        return [
            accept("leaf-without-key-usage", .factory) { $0.leafExtensions = { [.keyDescription($0)] } },
            accept("revocation-list-of-one-octet", .factory) {
                $0.leafExtensions = { [.keyUsage(0x80), .emptyRevocationList, .keyDescription($0)] }
            },
            accept("key-usage-padded", .factory) {
                $0.leafExtensions = {
                    [CertificateExtension([2, 5, 29, 15], value: [3, 3, 7, 0x80, 0]), .keyDescription($0)]
                }
            },
            accept("extension-of-the-maker", .factory) {
                $0.leafExtensions = {
                    [
                        .keyUsage(0x80), .keyDescription($0),
                        CertificateExtension([1, 3, 6, 1, 4, 1, 236, 11, 3, 23, 7], value: DERBuilder.null),
                    ]
                }
            },
            leaf("algorithm-with-null") {
                $0.algorithmIdentifier = DERBuilder.sequence(
                    DERBuilder.objectIdentifier([1, 2, 840, 10045, 4, 3, 2]), DERBuilder.null)
            },
            // RFC 4055 section 5: absent parameters count as NULL.
            accept("rsa-algorithms-without-parameters", .factory, .rsa(2048)) { blueprint in
                let algorithm = DERBuilder.sequence(Self.sha256WithRSA)
                blueprint.leaf.fields.algorithmIdentifier = algorithm
                blueprint.issuers[0].fields.algorithmIdentifier = algorithm
            },
            accept("rsa-key-without-parameters", .factory, .rsa(2048)) {
                $0.leaf.fields.subjectPublicKeyInfo = DERBuilder.sequence(
                    DERBuilder.sequence(Self.rsaEncryption), DERBuilder.bitString($0.leaf.key.publicKey))
            },
            leaf("leaf-from-1960-to-2106") { ($0.notBefore, $0.notAfter) = (year1960, year2106) },
            leaf("leaf-with-generalized-time") {
                $0.validity = DERBuilder.sequence(
                    DERBuilder.element(0x18, Array("19700101000000Z".utf8)),
                    DERBuilder.element(0x18, Array("21060207062815Z".utf8)))
            },
            leaf("leaf-with-another-subject") {
                $0.subject = DistinguishedName([.init(.commonName, "A Keymaster Key"), .init(.title, "any")])
            },
        ]
    }

    private var descriptions: [VectorCase] {
        [
            accept("version-500", .remote) {
                $0.description.attestationVersion = 500
                $0.description.keyMintVersion = 500
            },
            accept("version-above-500", .remote) { $0.description.attestationVersion = 600 },
            accept("version-1-to-4-pairs", .factory) {
                $0.description.attestationVersion = 3
                $0.description.keyMintVersion = 41
            },
            accept("locked-as-01", .factory) { $0.description.changeRootOfTrust { $0.deviceLocked = 1 } },
            accept("purposes-not-sorted", .factory) {
                $0.description.hardwareEnforced[.purpose] = .integers([3, 2])
            },
            accept("unknown-tags", .remote) {
                $0.description.hardwareEnforced[9999] = .encoded(DERBuilder.sequence(DERBuilder.null))
                $0.description.softwareEnforced[800] = .integer(1)
            },
            accept("challenge-of-128-bytes", .remote) { $0.description.uniqueID = [1, 2, 3] },
            accept("provisioning-with-more-keys", .remote) {
                $0.provisioningInfo = .map([
                    .unsigned(1), .unsigned(8), .unsigned(3), .text("Google"), .unsigned(4), .array([.bytes([1])]),
                ])
            },
            accept("without-provisioning-info", .remote) { $0.provisioningInfo = nil },
            accept("several-packages", .remote) {
                $0.description.changeApplicationID {
                    $0.packages.insert(.init("com.example.neighbour", version: 1), at: 0)
                }
            },
            accept("version-code-at-the-minimum", .remote) {
                $0.description.changeApplicationID { $0.packages[0].version = 40 }
            },
            attestation(
                "public-key-given", .accept, publicKey: (try? key("public-key-given"))?.publicKey ?? []),
        ]
    }

    // MARK: Under the strict policy

    /// Changes a blueprint to meet the strict policy.
    static func meetStrict(_ blueprint: inout AndroidKeyAttestationBlueprint) {
        blueprint.description.meetStrict()
    }

    func strict(
        _ id: String, _ outcome: VectorOutcome, _ device: AndroidKeyDevice = .strongBox,
        change: @escaping (inout AndroidKeyAttestationBlueprint) throws -> Void = { _ in }
    ) -> VectorCase {
        attestation("strict-\(id)", outcome, device) {
            Self.meetStrict(&$0)
            try change(&$0)
        }
    }

    var strictAccepted: [VectorCase] {
        let time = time
        return [
            strict("meets-all", .accept),
            strict("rollback-resistant", .accept) {
                $0.description.hardwareEnforced[.rollbackResistance] = nil
                $0.description.hardwareEnforced[.rollbackResistant] = .null
            },
            strict("self-signed", .accept) {
                $0.description.changeRootOfTrust {
                    $0.verifiedBootKey = Self.bootKey
                    $0.verifiedBootState = 1
                }
            },
            strict("patch-levels-of-six-digits", .accept) { blueprint in
                for tag in [.vendorPatchLevel, .bootPatchLevel] as [AndroidKeyTag] {
                    blueprint.description.hardwareEnforced[tag] = blueprint.description.hardwareEnforced[.osPatchLevel]
                }
            },
            strict("created-at-the-end-of-the-window", .accept) {
                $0.description.setCreation(time.addingTimeInterval(-300))
            },
            strict("certificates-at-the-limit", .accept) {
                $0.provisioningInfo = .map([.unsigned(1), .unsigned(100)])
            },
            strict("android-12", .accept) { $0.description.hardwareEnforced[.osVersion] = .integer(120_000) },
        ]
    }
}

extension KeyDescriptionBlueprint {
    /// Adds the properties that the strict policy demands of a genuine key.
    mutating func meetStrict() {
        hardwareEnforced[.purpose] = .integers([2])
        hardwareEnforced[.noAuthRequired] = nil
        hardwareEnforced[.userSecureID] = .integer(1)
        hardwareEnforced[.userAuthType] = .integer(2)
        hardwareEnforced[.rollbackResistance] = .null
    }

    /// Changes the root of trust in the hardware's list.
    mutating func changeRootOfTrust(_ change: (inout RootOfTrustBlueprint) -> Void) {
        var root = AndroidKeyDevice.remote.rootOfTrust
        change(&root)
        hardwareEnforced[.rootOfTrust] = .encoded(root.encoded)
    }

    /// Changes the application ID in the software list.
    mutating func changeApplicationID(_ change: (inout ApplicationIDBlueprint) -> Void) {
        var application = ApplicationIDBlueprint(
            packages: [.init(AndroidKeyVectorMint.packageName, version: UInt64(AndroidKeyVectorMint.versionCode))],
            digests: [AndroidKeyVectorMint.digest])
        change(&application)
        softwareEnforced[.attestationApplicationID] = .octets(application.encoded)
    }

    /// Sets the time of creation.
    mutating func setCreation(_ time: Date) {
        softwareEnforced[.creationDateTime] = .integer(UInt64(max(0, time.timeIntervalSince1970 * 1000)))
    }
}
