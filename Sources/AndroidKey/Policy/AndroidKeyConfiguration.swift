package import AssayCore

/// The policy's requirements for the key attestations of one app. A class: all requests share one instance.
@dynamicMemberLookup
package final class AndroidKeyConfiguration: EngineConfiguration {
    package static let engine = "android-key"
    package static let policyField = "androidKey"

    package typealias ChallengeSource = AssayCore.ChallengeSource
    package typealias Reattestation = AssayCore.Reattestation
    package typealias AccountBinding = AssayCore.AccountBinding

    /// An algorithm of attested keys.
    package enum KeyAlgorithm: String, Sendable, CaseIterable {
        /// ECDSA on P-256.
        case p256 = "ec-p256"
        /// ECDSA on P-384.
        case p384 = "ec-p384"
        /// ECDSA on P-521.
        case p521 = "ec-p521"
        /// RSA from 2048 bits on.
        case rsa
    }

    /// Where keys must be kept.
    package enum Hardware: String, Sendable, CaseIterable {
        /// In the trusted execution environment, or better.
        case trustedEnvironment
        /// In a chip of its own.
        case strongBox

        var level: KeySecurityLevel { self == .strongBox ? .strongBox : .trustedEnvironment }
    }

    /// A state of verified boot that can be allowed.
    package enum BootState: String, Sendable, CaseIterable {
        /// The maker's system.
        case verified
        /// Another system, whose key the policy lists.
        case selfSigned

        var state: VerifiedBootState { self == .verified ? .verified : .selfSigned }
    }

    /// A security patch level.
    package enum PatchLevelName: String, Sendable, CaseIterable {
        /// Of the system, tag 706.
        case os
        /// Of the vendor's image, tag 718.
        case vendor
        /// Of the boot image, tag 719.
        case boot
    }

    /// A use of a key.
    package enum KeyPurpose: String, Sendable, CaseIterable {
        case encrypt, decrypt, sign, verify, wrapKey, agreeKey, attestKey

        var number: UInt64 {
            switch self {
            case .encrypt: 0
            case .decrypt: 1
            case .sign: 2
            case .verify: 3
            case .wrapKey: 5
            case .agreeKey: 6
            case .attestKey: 7
            }
        }
    }

    /// Whether something is demanded.
    package enum Demand: String, Sendable, CaseIterable {
        case any, required
    }

    /// Whether identifiers of the device may be attested.
    package enum DeviceIdentity: String, Sendable, CaseIterable {
        case allowed, forbidden
    }

    /// Which provisioning is allowed.
    package enum Provisioning: String, Sendable, CaseIterable {
        /// From the factory, or from Google's server.
        case any
        /// Only from Google's server.
        case remote
    }

    /// How old security patch levels may be. The age counts from the first day of the month.
    package struct PatchLevelRules: Sendable, Equatable {
        package var maximumAge: Double
        /// How far ahead of the time of judgement a level may be, in seconds: makers ship levels before their month.
        package var maximumAhead: Double
        package var levels: [PatchLevelName]

        /// The default of `maximumAhead`: two months.
        package static let standardAhead = 62 * 86_400.0

        package init(maximumAge: Double, maximumAhead: Double = standardAhead, levels: [PatchLevelName] = [.os]) {
            self.maximumAge = maximumAge
            self.maximumAhead = maximumAhead
            self.levels = levels
        }
    }

    /// How far the time at which the key was made may be from that of judgement, in seconds.
    package struct CreationTimeRules: Sendable, Equatable {
        /// How long ago.
        package var past: Double
        /// How far ahead: the device's clock is another one.
        package var future: Double

        package init(past: Double = 300, future: Double = 60) {
            self.past = past
            self.future = future
        }
    }

    /// What is demanded of the device and the key, for which presets have other values.
    package struct Rules: Sendable {
        package var securityLevel = Hardware.trustedEnvironment
        package var keyAlgorithms = KeyAlgorithm.allCases
        package var bootStates = [BootState.verified]
        package var verifiedBootKeys: [[UInt8]] = []
        /// The lowest version of Android, as tag 705 has it; nil for any.
        package var minimumOSVersion: AndroidVersion?
        /// The requirements for security patch levels; nil for none.
        package var patchLevel: PatchLevelRules?
        /// The uses that a key may have. It must have `sign`.
        package var purposes: [KeyPurpose] = [.sign, .verify]
        /// The lowest version of attestations; nil for any.
        package var minimumAttestationVersion: Int64?
        package var provisioning = Provisioning.any
        /// How many certificates Google's server may have issued to the device in 30 days; nil for any number.
        package var maximumCertificatesIssued: Int64?
        package var userAuthentication = Demand.any
        package var rollbackResistance = Demand.any
        /// When the key must have been made; nil for any time.
        package var creationTime: CreationTimeRules?
        package var deviceIdentity = DeviceIdentity.allowed
        /// How long an attestation holds for requests, in seconds; nil for ever.
        package var maximumAttestationAge: Double?

        /// The rules of a section that names no preset.
        package init() {}
    }

    /// The fields of the section, with their defaults. ``table`` describes them.
    package struct Values: Sendable {
        package var packages: [String] = []
        package var certificateDigests: [[UInt8]] = []
        package var statusList = AttestationStatusRule.none
        /// The preset that was named; nil for none.
        package var preset: AndroidKeyPreset?
        package var rules = Rules()
        package var versions = VersionRules<Int64>()
        package var challenge = ChallengeSource.ledger
        /// What becomes of a further attestation of an enrolled key. Without a challenge of the ledger, a recorded attestation would
        /// pass again: the default is then `refuse`.
        package var reattestation: Reattestation {
            get { statedReattestation ?? (challenge == .ledger ? .refresh : .refuse) }
            set { statedReattestation = newValue }
        }
        private var statedReattestation: Reattestation?
        package var account = AccountBinding.match
        /// How many keys one account may have; nil for any number.
        package var maximumKeys: AccountKeyLimit?
        /// The requirements for requests that attested keys sign; nil if the app sends none.
        package var requests: RequestRules?
        /// Roots of a test authority in place of Google's; empty for Google's.
        package var testRoots: [Certificate] = []
        /// The allowed results of verified boot. Those that a section states replace the keys of its preset, too: without
        /// `selfSigned`, these would be an error in a field that the policy does not contain.
        var bootStates: [BootState] {
            get { rules.bootStates }
            set {
                rules.bootStates = newValue
                if !newValue.contains(.selfSigned) { rules.verifiedBootKeys = [] }
            }
        }
    }

    package let values: Values

    /// A field: `configuration.packages`.
    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    /// Composes a configuration in code. Fields that security depends on have no default; `others` sets the rest. Throws when nothing
    /// is allowed.
    package convenience init(
        packages: [String], certificateDigests: [[UInt8]], challenge: ChallengeSource,
        statusList: AttestationStatusRule, rules: Rules = Rules(), _ others: (inout Values) -> Void = { _ in }
    ) throws(PolicyError) {
        var values = Values()
        values.packages = packages
        values.certificateDigests = certificateDigests
        values.challenge = challenge
        values.statusList = statusList
        values.rules = rules
        others(&values)
        try self.init(values)
    }

    init(_ values: Values) throws(PolicyError) {
        try Self.requireList(values.packages, "packages")
        for name in values.packages {
            if let objection = PackageName.objection(to: name) {
                throw PolicyError(field: "packages", objection)
            }
        }
        try Self.requireList(values.certificateDigests, "certificateDigests")
        for digest in values.certificateDigests where digest.count != 32 {
            throw PolicyError(field: "certificateDigests", "a SHA-256 digest has 32 bytes, found \(digest.count)")
        }
        try Self.validate(values.rules)
        self.values = values
    }

    private static func validate(_ rules: Rules) throws(PolicyError) {
        try Self.requireList(rules.keyAlgorithms, "keyAlgorithms")
        try Self.requireList(rules.bootStates, "bootStates")
        try Self.requireList(rules.purposes, "purposes")
        guard rules.purposes.contains(.sign) else {
            throw PolicyError(field: "purposes", "sign is missing: a key that cannot sign proves nothing later")
        }
        if rules.bootStates.contains(.selfSigned), rules.verifiedBootKeys.isEmpty {
            throw PolicyError(
                field: "bootStates", "selfSigned needs verifiedBootKeys: without them, any system would be allowed")
        }
        if !rules.bootStates.contains(.selfSigned), !rules.verifiedBootKeys.isEmpty {
            throw PolicyError(
                field: "verifiedBootKeys",
                "the keys are for systems of the state selfSigned, which bootStates does not list")
        }
        for key in rules.verifiedBootKeys {
            guard key.count == 32 else {
                throw PolicyError(field: "verifiedBootKeys", "a key's SHA-256 digest has 32 bytes, found \(key.count)")
            }
            guard key.contains(where: { $0 != 0 }) else {
                throw PolicyError(
                    field: "verifiedBootKeys",
                    "a key of zeros stands for none: some devices write it, whatever they booted")
            }
        }
        if let patchLevel = rules.patchLevel { try Self.requireList(patchLevel.levels, "patchLevel.levels") }
    }

    private static func requireList<Element: Hashable>(_ list: [Element], _ field: String) throws(PolicyError) {
        guard !list.isEmpty else { throw PolicyError(field: field, "expected at least one value, found none") }
        guard Set(list).count == list.count else { throw PolicyError(field: field, "a value stands in the list twice") }
    }
}
