public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The version of the attestation.
    public static let androidKeyAttestationVersion = CheckID("android-key.attestation.version")
    /// The device booted a system that is allowed.
    public static let androidKeyAttestationRootOfTrust = CheckID("android-key.attestation.root-of-trust")
    /// The version of Android.
    public static let androidKeyAttestationOSVersion = CheckID("android-key.attestation.os-version")
    /// The security patch levels.
    public static let androidKeyAttestationPatchLevel = CheckID("android-key.attestation.patch-level")
    /// Identifiers of the device.
    public static let androidKeyAttestationDeviceIdentity = CheckID("android-key.attestation.device-identity")
    /// How the attestation key came into the device.
    public static let androidKeyAttestationProvisioning = CheckID("android-key.attestation.provisioning")
}

extension KeyAttestationCheck {
    // What the policy demands of the device.

    static let versionEntry = CheckDefinition(
        .androidKeyAttestationVersion, .policy(default: .enforce),
        proves: "The attestation is of a version that the policy allows.",
        stops: "Old keystores, whose attestations say less and which have known flaws.",
        lookAt:
            "minimumAttestationVersion in the policy: 3 came with Android 9, 100 with 12, 200 with 13, 300 with 14.",
        source: "\(schema), attestationVersion", remedy: .contactSupport, codes: [.versionTooLow])

    func version(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard let minimum = rules.minimumAttestationVersion else { return .notRequired }
        let found = description.attestationVersion
        guard found >= UInt64(clamping: minimum) else {
            throw CheckFailure(.versionTooLow, "attestation version \(found), at least \(minimum) is demanded")
        }
        return .passed
    }

    static let rootOfTrustEntry = CheckDefinition(
        .androidKeyAttestationRootOfTrust, .policy(default: .enforce),
        proves: "The boot loader is locked and verified the system, with the maker's key or one that the policy lists.",
        stops: "Rooted phones and modified systems, which can lie about apps and times.",
        lookAt: "bootStates and verifiedBootKeys in the policy; the state and the key in the detail.",
        source: "\(schema), RootOfTrust; Android, Verified Boot", remedy: .contactSupport,
        codes: [.rootOfTrustMissing, .deviceUnlocked, .bootStateNotAllowed, .bootKeyNotAllowed])

    func rootOfTrust(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard let root = description.hardwareEnforced.rootOfTrust else {
            throw CheckFailure(.rootOfTrustMissing, "the hardware says nothing about what the device booted")
        }
        let state = root.verifiedBootState
        guard root.deviceLocked else {
            throw CheckFailure(.deviceUnlocked, "the boot loader is unlocked, verified boot says \(state.rawValue)")
        }
        guard rules.bootStates.contains(where: { $0.state == state }) else {
            let allowed = rules.bootStates.map(\.rawValue).joined(separator: ", ")
            throw CheckFailure(.bootStateNotAllowed, "verified boot says \(state.rawValue), allowed is \(allowed)")
        }
        if state == .selfSigned, !rules.verifiedBootKeys.contains(where: { root.verifiedBootKey.isByteEqual(to: $0) }) {
            let key = Array(root.verifiedBootKey.prefix(64)).hexadecimal
            throw CheckFailure(.bootKeyNotAllowed, "verifiedBootKeys does not list the key of the system, \(key)")
        }
        return .passed
    }

    static let osVersionEntry = CheckDefinition(
        .androidKeyAttestationOSVersion, .policy(default: .enforce),
        proves: "The version of Android that the boot loader told the hardware is at least the policy's minimum.",
        stops: "Systems with published exploits.",
        lookAt: "minimumOSVersion in the policy, and the version in the detail. Development boards say 0.",
        source: "\(schema), tag 705", remedy: .updateSystem, codes: [.osVersionMissing, .androidKeyOSVersionTooLow])

    func osVersion(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard let minimum = rules.minimumOSVersion else { return .notRequired }
        guard let number = description.hardwareEnforced.integer(AuthorizationTag.osVersion) else {
            throw CheckFailure(.osVersionMissing, "the hardware does not say the version of Android")
        }
        let version = AndroidVersion(number: number)
        guard version >= minimum else {
            throw CheckFailure(.androidKeyOSVersionTooLow, "Android \(version), at least \(minimum) is demanded")
        }
        return .passed
    }

    static let patchLevelEntry = CheckDefinition(
        .androidKeyAttestationPatchLevel, .policy(default: .enforce),
        proves:
            "The security patch levels that the policy names are recent, counted from the first day of their month.",
        stops: "Devices that miss the fixes of published vulnerabilities.",
        lookAt: """
            patchLevel in the policy, and the level in the detail. Levels of vendor and boot image exist since version 3; some \
            devices write 0 there.
            """,
        source: "\(schema), tags 706, 718 and 719; Android Security Bulletins", remedy: .updateSystem,
        codes: [.patchLevelMissing, .patchLevelMalformed, .patchLevelTooOld, .patchLevelAhead])

    func patchLevel(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard let limits = rules.patchLevel else { return .notRequired }
        var isJudged = false
        for name in limits.levels {
            guard let value = description.hardwareEnforced.integer(name.tag) else {
                // Versions 1 and 2 have the level of the system alone.
                if name != .os, description.attestationVersion < 3 { continue }
                throw CheckFailure(.patchLevelMissing, "the hardware does not say the patch level \(name.rawValue)")
            }
            guard value != 0 else {
                throw CheckFailure(.patchLevelMissing, "the patch level \(name.rawValue) is 0, which says nothing")
            }
            guard let month = Self.month(of: value) else {
                throw CheckFailure(
                    .patchLevelMalformed, "the patch level \(name.rawValue) is \(value), expected YYYYMM or YYYYMMDD")
            }
            isJudged = true
            let age = now.timeIntervalSince1970 - month
            guard age <= limits.maximumAge else {
                throw CheckFailure(
                    .patchLevelTooOld,
                    "the patch level \(name.rawValue) is \(value), at most \(PolicyNode.text(ofSeconds: limits.maximumAge)) old "
                        + "is allowed")
            }
            guard -age <= limits.maximumAhead else {
                throw CheckFailure(
                    .patchLevelAhead,
                    "the patch level \(name.rawValue) is \(value), at most "
                        + "\(PolicyNode.text(ofSeconds: limits.maximumAhead)) ahead is allowed")
            }
        }
        guard isJudged else {
            throw CheckFailure(
                .patchLevelMissing,
                "attestation version \(description.attestationVersion) has no patch level of those that the policy names, "
                    + limits.levels.map(\.rawValue).joined(separator: ", "))
        }
        return .passed
    }

    /// The first second of the month of a level, in seconds since 1970; nil for another form than YYYYMM or YYYYMMDD.
    static func month(of level: UInt64) -> Double? {
        let month: UInt64
        switch level {
        case 190_001...999_912: month = level
        case 19_000_100...99_991_231:
            guard level % 100 <= 31 else { return nil }
            month = level / 100
        default: return nil
        }
        guard (1...12).contains(month % 100),
            let days = RFC3339.daysSince1970(year: Int(month / 100), month: Int(month % 100), day: 1)
        else { return nil }
        return Double(days) * 86_400
    }

    static let deviceIdentityEntry = CheckDefinition(
        .androidKeyAttestationDeviceIdentity, .policy(default: .enforce),
        proves: "The attestation carries no identifier of the device, where the policy forbids them.",
        stops: "Identifiers such as the IMEI in the records of a service that must not have them.",
        lookAt: "deviceIdentity in the policy. Only system apps and device owners can have identifiers attested.",
        source: "\(schema), tags 710 to 717 and 723", remedy: .updateApp, codes: [.deviceIdentified])

    func deviceIdentity(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard rules.deviceIdentity == .forbidden else { return .notRequired }
        for tag in AuthorizationTag.deviceIdentity
        where description.hardwareEnforced.contains(tag) || description.softwareEnforced.contains(tag) {
            let name = AuthorizationTag.known(tag)?.name ?? "\(tag)"
            throw CheckFailure(.deviceIdentified, "the attestation has \(name), which the policy forbids")
        }
        return .passed
    }

    static let provisioningEntry = CheckDefinition(
        .androidKeyAttestationProvisioning, .policy(default: .enforce),
        proves: """
            The attestation key was provisioned in a way that the policy allows, and Google's server gave the device no more \
            certificates than it allows.
            """,
        stops: "Factory keys, which leak in batches, and devices that attest for many others.",
        lookAt: """
            provisioning and maximumCertificatesIssued in the policy. Devices since Android 12 can have remote keys; one of four \
            chains of them does not say how many certificates were issued.
            """,
        source: "Android, Remote Key Provisioning; \(verifier), ProvisioningInfoMap", remedy: .contactSupport,
        codes: CheckCode.ofDecoding + [.provisioningNotRemote, .certificatesIssuedMissing, .certificatesIssuedTooMany])

    func provisioning(
        _ chain: AttestationChain, _ info: Result<ProvisioningInfo?, DecodeError>
    ) throws(CheckFailure) -> PolicyAnswer {
        let found: ProvisioningInfo?
        switch info {
        case .success(let info): found = info
        case .failure(let error): throw CheckFailure(error.within("provisioningInfo"))
        }
        if rules.provisioning == .remote, chain.provisioning != .remote {
            throw CheckFailure(.provisioningNotRemote, "the attestation key is from the factory, remote is demanded")
        }
        guard let maximum = rules.maximumCertificatesIssued, chain.provisioning == .remote else { return .passed }
        guard let issued = found?.certificatesIssued else {
            throw CheckFailure(
                .certificatesIssuedMissing,
                "the certificate does not say how many were issued, at most \(maximum) are allowed")
        }
        guard issued <= UInt64(clamping: maximum) else {
            throw CheckFailure(
                .certificatesIssuedTooMany,
                "the device was given \(issued) certificates in 30 days, at most \(maximum) are allowed")
        }
        return .passed
    }

    /// Reads the provisioning info of the attestation certificate; nil if it has none.
    static func provisioningInfo(_ chain: AttestationChain) -> Result<ProvisioningInfo?, DecodeError> {
        guard let value = chain.issuers[0].certificate.extension(ProvisioningInfo.oid)?.value else {
            return .success(nil)
        }
        do throws(DecodeError) { return .success(try ProvisioningInfo(value)) } catch { return .failure(error) }
    }
}

extension AndroidKeyConfiguration.PatchLevelName {
    fileprivate var tag: UInt32 {
        switch self {
        case .os: AuthorizationTag.osPatchLevel
        case .vendor: AuthorizationTag.vendorPatchLevel
        case .boot: AuthorizationTag.bootPatchLevel
        }
    }
}

extension CheckCode {
    fileprivate static let versionTooLow = CheckCode(
        "version-too-low", "The keystore is older than minimumAttestationVersion: such devices are not admitted.")
    fileprivate static let rootOfTrustMissing = CheckCode(
        "root-of-trust-missing", "The hardware does not say what the device booted: no certified device omits it.",
        remedy: .nothing)
    fileprivate static let deviceUnlocked = CheckCode(
        "device-unlocked", "The boot loader is unlocked, so that any system may run: the user locks it again.")
    fileprivate static let bootStateNotAllowed = CheckCode(
        "boot-state-not-allowed", "Verified boot ended in a state that bootStates in the policy does not list.")
    fileprivate static let bootKeyNotAllowed = CheckCode(
        "boot-key-not-allowed",
        "The system is signed with a key that verifiedBootKeys does not list: a modified system, or one to add.")
    fileprivate static let osVersionMissing = CheckCode(
        "os-version-missing", "The hardware does not say the version of Android.", remedy: .contactSupport)
    /// The system is older than `minimumOSVersion`.
    public static let androidKeyOSVersionTooLow = CheckCode(
        "os-version-too-low", "Android is older than minimumOSVersion: the user updates the device.")
    fileprivate static let patchLevelMissing = CheckCode(
        "patch-level-missing", "The hardware does not say a patch level that the policy names, or says 0.",
        remedy: .contactSupport)
    fileprivate static let patchLevelMalformed = CheckCode(
        "patch-level-malformed", "A patch level is no month of a year: no genuine system has it.", remedy: .nothing)
    fileprivate static let patchLevelTooOld = CheckCode(
        "patch-level-too-old", "The device misses security fixes: the user updates it, or its maker ended the support.")
    fileprivate static let patchLevelAhead = CheckCode(
        "patch-level-ahead", "A patch level is further in the future than makers ship them: check the server's clock.",
        remedy: .nothing)
    fileprivate static let deviceIdentified = CheckCode(
        "device-identified", "The attestation names the device, and deviceIdentity in the policy is forbidden.")
    fileprivate static let provisioningNotRemote = CheckCode(
        "provisioning-not-remote", "The attestation key is from the factory, and provisioning in the policy is remote.")
    fileprivate static let certificatesIssuedMissing = CheckCode(
        "certificates-issued-missing",
        "The certificate does not say how many the device was given, and the policy limits it.")
    fileprivate static let certificatesIssuedTooMany = CheckCode(
        "certificates-issued-too-many",
        "The device was given more certificates than genuine use needs: it attests for others.")
}
