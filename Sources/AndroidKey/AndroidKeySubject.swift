public import AssayCore
public import FoundationEssentials

/// The facts of an authentic key attestation about the key, the app and the device. Each is taken from the list that proves it.
public struct AndroidKeySubject: EngineSubject, Equatable {
    /// An app that may use the key, as the operating system says.
    public struct Package: Sendable, Equatable {
        /// The package name.
        public let name: String
        /// The version code.
        public let version: Int64
    }

    /// What the boot loader says about the system.
    public struct RootOfTrustFacts: Sendable, Equatable {
        /// The key that verified the system; zeros or nothing on some devices.
        public let verifiedBootKey: [UInt8]
        /// Whether the boot loader is locked.
        public let deviceLocked: Bool
        /// The result of verified boot.
        public let verifiedBootState: VerifiedBootState
        /// The digest of everything that verified boot covers; nil before version 3.
        public let verifiedBootHash: [UInt8]?
    }

    /// The attested key as SubjectPublicKeyInfo in DER, for backends that store keys themselves.
    public internal(set) var publicKey: [UInt8]
    /// SHA-256 of ``publicKey``, under which the ledger enrols the key.
    public internal(set) var publicKeySHA256: [UInt8]
    /// The algorithm with its size, such as `ec-p256` or `rsa-2048`.
    public internal(set) var keyAlgorithm: String
    /// The version of the attestation; nil in requests.
    public internal(set) var attestationVersion: Int64?
    /// The version of Keymaster or KeyMint; nil in requests.
    public internal(set) var keyMintVersion: Int64?
    /// Where the attestation was made.
    public internal(set) var attestationSecurityLevel: KeySecurityLevel?
    /// Where the key is kept.
    public internal(set) var keyMintSecurityLevel: KeySecurityLevel?
    /// The certified challenge.
    public internal(set) var challenge: [UInt8]?
    /// The apps that may use the key.
    public internal(set) var packages: [Package] = []
    /// SHA-256 of the certificates that the apps are signed with.
    public internal(set) var certificateDigests: [[UInt8]] = []
    /// The version of Android as a number, such as 160000; nil if the hardware says none.
    public internal(set) var osVersion: Int64?
    /// The patch level of the system, YYYYMM.
    public internal(set) var osPatchLevel: Int64?
    /// The patch level of the vendor's image, YYYYMMDD or YYYYMM, or 0.
    public internal(set) var vendorPatchLevel: Int64?
    /// The patch level of the boot image, YYYYMMDD or YYYYMM, or 0.
    public internal(set) var bootPatchLevel: Int64?
    /// Where the key comes from; nil if the hardware says none, or a number without a name.
    public internal(set) var origin: KeyOrigin?
    /// The purposes that the hardware allows, by number.
    public internal(set) var purposes: [Int64] = []
    /// What the device booted, as the hardware says.
    public internal(set) var rootOfTrust: RootOfTrustFacts?
    /// When the key was made, as the operating system says.
    public internal(set) var createdAt: Date?
    /// The manufacturer, if it is attested.
    public internal(set) var manufacturer: String?
    /// The model, if it is attested.
    public internal(set) var model: String?
    /// How the attestation key came into the device.
    public internal(set) var provisioning: KeyProvisioning?
    /// How many certificates Google's server gave the device in 30 days; nil if it does not say.
    public internal(set) var certificatesIssued: Int64?
    /// SHA-256 of the pinned key that the chain leads to, in hexadecimal.
    public internal(set) var root: String?
    /// The serial numbers of the certificates as sent, in hexadecimal without leading zeros. Without that of a root that no pinned key
    /// signed: only its key counts.
    public internal(set) var serials: [String] = []
    /// The number of certificates as sent.
    var certificateCount = 0
    /// Whether a certificate of the root came with the chain.
    public internal(set) var rootIncluded: Bool?
    /// Tags that Assay does not know, such as `hardwareEnforced 999`.
    public internal(set) var unknownTags: [String] = []
    /// SHA-256 of the status list that the attestation was judged by; nil if there was none.
    public internal(set) var statusListSHA256: [UInt8]?
    /// When that list was fetched; nil if that is not known.
    public internal(set) var statusListFetchedAt: Date?
    /// That list, for captures; nil if there was none.
    package internal(set) var statusList: AttestationStatusList?
    /// When a request's key was attested; nil in attestations.
    public internal(set) var attestedAt: Date?
    /// The facts of a request's signature.
    public internal(set) var request: MessageFacts?
    /// The account that the ledger has for the key of a request; nil for none.
    package internal(set) var account: String?

    /// The facts of a key alone, as for the stub of a verdict.
    ///
    /// - Parameters:
    ///   - publicKey: the key as SubjectPublicKeyInfo in DER.
    ///   - algorithm: the algorithm with its size, such as `ec-p256`.
    public init(publicKey: [UInt8], algorithm: String) {
        self.publicKey = publicKey
        publicKeySHA256 = Digest.sha256(publicKey)
        keyAlgorithm = algorithm
    }

    init(
        evidence: KeyAttestationEvidence, chain: AttestationChain, description: KeyDescription, key: AttestedKey,
        info: ProvisioningInfo?, list: AttestationStatusList?
    ) {
        // Does not delegate: the copy of all facts would count each reference.
        publicKey = Array(evidence.leaf.subjectPublicKeyInfo)
        publicKeySHA256 = Digest.sha256(publicKey)
        keyAlgorithm = key.description
        take(description)
        provisioning = chain.provisioning
        certificatesIssued = info?.certificatesIssued.map { Int64(clamping: $0) }
        root = chain.anchor.keyDigest
        rootIncluded = chain.includesRoot
        certificateCount = 1 + chain.certificates.count
        serials.reserveCapacity(1 + chain.serials.count)
        serials.append(Self.serial(evidence.leaf))
        serials += chain.serials
        statusList = list
        statusListSHA256 = list?.digest
        statusListFetchedAt = list?.fetchedAt
    }

    /// The serial number of a certificate in hexadecimal, without leading zeros.
    static func serial(_ certificate: Certificate) -> String {
        let digits = Array(certificate.serialNumber.drop { $0 == 0 }).hexadecimal
        return digits.isEmpty ? "0" : digits.utf8.first == 0x30 ? String(digits.dropFirst()) : digits
    }

    private mutating func take(_ description: KeyDescription) {
        let (hardware, software) = (description.hardwareEnforced, description.softwareEnforced)
        func integer(_ tag: UInt32) -> Int64? { hardware.integer(tag).map { Int64(clamping: $0) } }
        attestationVersion = Int64(clamping: description.attestationVersion)
        keyMintVersion = Int64(clamping: description.keyMintVersion)
        attestationSecurityLevel = description.attestationSecurityLevel
        keyMintSecurityLevel = description.keyMintSecurityLevel
        challenge = Array(description.challenge)
        packages = (description.applicationID?.packages ?? []).map { package in
            Package(
                name: String(decoding: package.name.prefix(255), as: UTF8.self).escapingControls,
                version: Int64(clamping: package.version))
        }
        certificateDigests = description.applicationID?.certificateDigests.map { Array($0) } ?? []
        osVersion = integer(AuthorizationTag.osVersion)
        osPatchLevel = integer(AuthorizationTag.osPatchLevel)
        vendorPatchLevel = integer(AuthorizationTag.vendorPatchLevel)
        bootPatchLevel = integer(AuthorizationTag.bootPatchLevel)
        origin = hardware.integer(AuthorizationTag.origin).flatMap { KeyOrigin(number: $0) }
        purposes = (hardware.integers(AuthorizationTag.purpose) ?? []).map { Int64(clamping: $0) }
        rootOfTrust = hardware.rootOfTrust.map { root in
            RootOfTrustFacts(
                verifiedBootKey: Array(root.verifiedBootKey), deviceLocked: root.deviceLocked,
                verifiedBootState: root.verifiedBootState, verifiedBootHash: root.verifiedBootHash.map { Array($0) })
        }
        // Dates far outside of those of RFC 3339 are left out.
        createdAt = description.creationTime.flatMap { $0 < 253_402_300_800_000 ? Double($0) / 1000 : nil }
            .map { Date(timeIntervalSince1970: $0) }
        manufacturer = Self.text(hardware.octets(716))
        model = Self.text(hardware.octets(717))
        unknownTags =
            hardware.unknownTags.map { "hardwareEnforced \($0)" }
            + software.unknownTags.map { "softwareEnforced \($0)" }
    }

    private static func text(_ octets: ArraySlice<UInt8>?) -> String? {
        guard let octets, octets.count <= 64 else { return nil }
        return String(validating: octets, as: UTF8.self)?.escapingControls
    }

    /// The ledger entry of the key.
    /// - Parameter unproven: the policy checks of the attestation that failed and were tolerated.
    func enrolment(
        _ account: String?, _ expectations: AndroidKeyExpectations, unproven: [CheckID], at now: Date
    ) -> EnrolledKey {
        typealias Property = EnrolledAndroidProperty
        let ours = packages.first { expectations.configuration.packages.containsBytes(of: $0.name) }
        var properties = [String: String](minimumCapacity: 12)
        properties[Property.attestedAt] = RFC3339.format(now)
        properties[Property.packageName] = ours?.name
        properties[Property.securityLevel] = keyMintSecurityLevel?.rawValue
        properties[Property.provisioning] = provisioning?.rawValue
        properties[Property.osVersion] = osVersion.map { $0.description }
        properties[Property.osPatchLevel] = osPatchLevel.map { $0.description }
        properties[Property.verifiedBootState] = rootOfTrust?.verifiedBootState.rawValue
        properties[Property.verifiedBootKey] = rootOfTrust.map { Array($0.verifiedBootKey.prefix(64)).hexadecimal }
        properties[Property.deviceLocked] = rootOfTrust.map { $0.deviceLocked ? "true" : "false" }
        if !unproven.isEmpty {
            properties[Property.unproven] = unproven.map(\.name).joined(separator: Property.separator)
        }
        properties[Property.testAuthority] = expectations.trust.testAuthority
        return EnrolledKey(
            identifier: .androidKey(publicKeySHA256), app: expectations.app, publicKey: publicKey, counter: 0,
            enrolledAt: now, properties: properties, account: account)
    }

    /// The facts in reading order.
    public var fields: [SubjectField] {
        var fields: [SubjectField] = []
        fields.add("keyId", text: Base64.encode(publicKeySHA256, .standard))
        fields.add("publicKeySHA256", text: publicKeySHA256.hexadecimal)
        fields.add("publicKey", text: Base64.encode(publicKey, .standard))
        fields.add("keyAlgorithm", text: keyAlgorithm)
        fields.add("attestationVersion", integer: attestationVersion)
        fields.add("attestationSecurityLevel", text: attestationSecurityLevel?.rawValue)
        fields.add("keyMintVersion", integer: keyMintVersion)
        fields.add("keyMintSecurityLevel", text: keyMintSecurityLevel?.rawValue)
        fields.add("challenge", text: challenge.map { Base64.encode($0, .standard) })
        if attestationVersion != nil {
            fields.add(
                "packages",
                .objects(
                    packages.prefix(Self.listed).map {
                        [SubjectField("name", .text($0.name)), SubjectField("version", .integer($0.version))]
                    }))
            fields.add("certificateDigests", .texts(certificateDigests.prefix(Self.listed).map(\.hexadecimal)))
        }
        fields.add("osVersion", integer: osVersion)
        fields.add("osPatchLevel", integer: osPatchLevel)
        fields.add("vendorPatchLevel", integer: vendorPatchLevel)
        fields.add("bootPatchLevel", integer: bootPatchLevel)
        fields.add("origin", text: origin?.rawValue)
        if attestationVersion != nil { fields.add("purposes", .integers(Array(purposes.prefix(Self.listed)))) }
        fields.add("rootOfTrust", rootOfTrust.map { .object($0.fields) })
        fields.add("createdAt", time: createdAt)
        fields.add("attestationIdManufacturer", text: manufacturer)
        fields.add("attestationIdModel", text: model)
        fields.add("provisioning", text: provisioning?.rawValue)
        fields.add("certificatesIssued", integer: certificatesIssued)
        fields.add("root", text: root)
        if attestationVersion != nil {
            fields.add("certificates", integer: certificateCount)
            fields.add("serials", .texts(serials))
        }
        fields.add("rootIncluded", rootIncluded.map { .flag($0) })
        fields.add("unknownTags", .list(unknownTags, atMost: Self.listed))
        fields.add("statusListSHA256", text: statusListSHA256?.hexadecimal)
        fields.add("statusListFetchedAt", time: statusListFetchedAt)
        fields.add("attestedAt", time: attestedAt)
        fields += request?.fields ?? []
        return fields
    }

    /// How many packages, digests and purposes a verdict lists.
    private static let listed = 16

    /// When the key was made, as the operating system says.
    package var madeAt: Date? { createdAt }
    /// SHA-256 of the key in standard base64.
    package var identifier: String? { Base64.encode(publicKeySHA256, .standard) }
    package var message: MessageFacts? { request }
    package var document: (any ConsultedDocument)? { statusList }
    /// Where the key is attested, and what the device booted.
    package var trustworthiness: Trustworthiness {
        let isSound = rootOfTrust.map { $0.verifiedBootState == .verified && $0.deviceLocked }
        return Trustworthiness(
            configuration: isSound.map { $0 ? Trustworthiness.Value.genuine : Trustworthiness.Value.contraindicated },
            executables: Trustworthiness.Value.recognised,
            hardware: [.trustedEnvironment, .strongBox].contains(attestationSecurityLevel)
                ? Trustworthiness.Value.genuine : nil)
    }

    package var dimensions: [SubjectField] {
        let device = [manufacturer, model].compactMap { $0 }.joined(separator: " ")
        let values: [(String, String?)] = [
            ("device", device.isEmpty ? nil : device),
            ("versionCode", packages.count == 1 ? packages.first.map { "\($0.version)" } : nil),
            ("attestationVersion", attestationVersion.map { "\($0)" }),
            ("androidVersion", osVersion.map { AndroidVersion(number: UInt64(clamping: $0)).description }),
            ("osPatchLevel", osPatchLevel.map { "\($0)" }), ("securityLevel", keyMintSecurityLevel?.rawValue),
            ("verifiedBootState", rootOfTrust?.verifiedBootState.rawValue), ("provisioning", provisioning?.rawValue),
            ("root", root.map { String($0.prefix(8)) }),
        ]
        return values.compactMap { name, value in value.map { SubjectField(name, .text($0)) } }
    }
}

extension AndroidKeySubject.RootOfTrustFacts {
    fileprivate var fields: [SubjectField] {
        var fields = [
            SubjectField("verifiedBootKey", .text(verifiedBootKey.prefix(64).map { $0 }.hexadecimal)),
            SubjectField("deviceLocked", .flag(deviceLocked)),
            SubjectField("verifiedBootState", .text(verifiedBootState.rawValue)),
        ]
        fields.add("verifiedBootHash", text: verifiedBootHash?.prefix(64).map { $0 }.hexadecimal)
        return fields
    }
}

extension AndroidKeyEngine {
    /// The device, its system, and the attestation key.
    package static let dimensions = [
        SubjectDimension("device", "Device"), SubjectDimension("versionCode", "Version code of the app"),
        SubjectDimension("attestationVersion", "Version of the attestation"),
        SubjectDimension("androidVersion", "Version of Android"),
        SubjectDimension("osPatchLevel", "Security patch level"), SubjectDimension("securityLevel", "Security level"),
        SubjectDimension("verifiedBootState", "Verified boot"), SubjectDimension("provisioning", "Provisioning"),
        SubjectDimension("root", "Root key"),
    ]
}

extension Verdict {
    /// The facts of an authentic key attestation; nil for other evidence.
    public var androidKey: AndroidKeySubject? { facts(AndroidKeySubject.self) }
}
