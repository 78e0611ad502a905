public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The app that made the key.
    public static let androidKeyAttestationApplication = CheckID("android-key.attestation.application")
    /// Where the key comes from.
    public static let androidKeyAttestationOrigin = CheckID("android-key.attestation.origin")
    /// What the key may be used for.
    public static let androidKeyAttestationPurpose = CheckID("android-key.attestation.purpose")
    /// Who may use the key.
    public static let androidKeyAttestationKeyScope = CheckID("android-key.attestation.key-scope")
    /// Whether the user must authenticate.
    public static let androidKeyAttestationUserAuthentication = CheckID("android-key.attestation.user-authentication")
    /// Whether deleting the key is final.
    public static let androidKeyAttestationRollbackResistance = CheckID("android-key.attestation.rollback-resistance")
    /// When the key was made.
    public static let androidKeyAttestationCreationTime = CheckID("android-key.attestation.creation-time")
    /// No certificate is revoked or suspended.
    public static let androidKeyAttestationRevocation = CheckID("android-key.attestation.revocation")
}

extension KeyAttestationCheck {
    // What the policy demands of the app and the key.

    static let applicationEntry = CheckDefinition(
        .androidKeyAttestationApplication, .policy(default: .enforce),
        proves: """
            One of the policy's packages made the key, in a version that it allows, and all signing certificates are the \
            policy's. Of several of its packages that share a user ID, each has such a version: the attestation does not \
            say which one asked. The operating system says so, which is worth as much as its verified boot.
            """,
        stops: "Keys of other apps, of repackaged copies, and of versions with known vulnerabilities.",
        lookAt: """
            packages, certificateDigests (the app signing key of the Play Console, not the upload key), minimumVersionCode and \
            versions in the policy.
            """,
        source: "\(schema), AttestationApplicationId", remedy: .updateApp,
        codes: [.applicationMissing, .packageNotAllowed, .certificateNone, .certificateNotAllowed]
            + VersionCodes.androidKey.all)

    func application(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard let application = description.applicationID else {
            throw CheckFailure(.applicationMissing, "the system does not say which app made the key")
        }
        let ours = application.packages.filter { package in
            configuration.packages.contains { package.name.isByteEqual(to: $0) }
        }
        guard !ours.isEmpty else {
            let found = application.packages.prefix(8)
                .map { String(decoding: $0.name.prefix(256), as: UTF8.self).excerpt }.joined(separator: ", ")
            throw CheckFailure(
                .packageNotAllowed,
                "the key is that of \(found.isEmpty ? "no package" : found), allowed are "
                    + configuration.packages.joined(separator: ", "))
        }
        guard !application.certificateDigests.isEmpty else {
            throw CheckFailure(.certificateNone, "the system names no signing certificate of the app")
        }
        for digest in application.certificateDigests
        where !configuration.certificateDigests.contains(where: { digest.isByteEqual(to: $0) }) {
            throw CheckFailure(
                .certificateNotAllowed,
                "the app is signed with a certificate whose SHA-256 is \(Array(digest.prefix(64)).hexadecimal), which "
                    + "certificateDigests does not list")
        }
        for package in ours {
            let version = Int64(clamping: package.version)
            if let refusal = configuration.versions.refusal(of: version) {
                throw configuration.versions.failure(refusal, of: version, "version code", .androidKey)
            }
        }
        return .passed
    }

    static let originEntry = CheckDefinition(
        .androidKeyAttestationOrigin, .policy(default: .enforce),
        proves: "The secure hardware made the key, so that it exists nowhere else.",
        stops: "Imported keys, of which an attacker has copies.",
        lookAt: "The origin in the detail: only generated counts, and only the hardware's word.",
        source: "\(schema), tag 702", remedy: .newAttestation, codes: [.originMissing, .originNotGenerated])

    func origin(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard let number = description.hardwareEnforced.integer(AuthorizationTag.origin) else {
            throw CheckFailure(.originMissing, "the hardware does not say where the key comes from")
        }
        guard KeyOrigin(number: number) == .generated else {
            let found = KeyOrigin(number: number)?.rawValue ?? "\(number)"
            throw CheckFailure(.originNotGenerated, "the origin of the key is \(found), expected generated")
        }
        return .passed
    }

    static let purposeEntry = CheckDefinition(
        .androidKeyAttestationPurpose, .policy(default: .enforce),
        proves: "The hardware lets the key sign, and do nothing that the policy does not list.",
        stops: "Keys that an app can be brought to use for another protocol, and keys that attest other keys.",
        lookAt: "purposes in the policy, and what the app gives to KeyGenParameterSpec.Builder.",
        source: "\(schema), tag 1", remedy: .updateApp, codes: [.purposeSignMissing, .purposeNotAllowed])

    func purpose(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        let found = description.hardwareEnforced.integers(AuthorizationTag.purpose) ?? []
        let sign = AndroidKeyConfiguration.KeyPurpose.sign.number
        guard found.contains(sign) else {
            throw CheckFailure(.purposeSignMissing, "the hardware does not let the key sign")
        }
        if let other = found.first(where: { number in !rules.purposes.contains { $0.number == number } }) {
            let name = AndroidKeyConfiguration.KeyPurpose.allCases.first { $0.number == other }?.rawValue ?? "\(other)"
            let allowed = rules.purposes.map(\.rawValue).joined(separator: ", ")
            throw CheckFailure(.purposeNotAllowed, "the key has the purpose \(name), allowed are \(allowed)")
        }
        return .passed
    }

    static let keyScopeEntry = CheckDefinition(
        .androidKeyAttestationKeyScope, .policy(default: .enforce),
        proves: "The key is that of one app.",
        stops: "Keys that every app on the device may use.",
        lookAt: "Tag 600, allApplications, in either list.",
        source: "\(schema), tag 600", remedy: .nothing, codes: [.keyOfAllApplications])

    func keyScope(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        let tag = AuthorizationTag.allApplications
        guard !description.hardwareEnforced.contains(tag), !description.softwareEnforced.contains(tag) else {
            throw CheckFailure(.keyOfAllApplications, "every app on the device may use the key")
        }
        return .passed
    }

    static let userAuthenticationEntry = CheckDefinition(
        .androidKeyAttestationUserAuthentication, .policy(default: .enforce),
        proves: "The hardware lets the key be used only after the user has authenticated, where the policy demands it.",
        stops: "Use of the key by someone who found the phone, or by malware in the background.",
        lookAt: "userAuthentication in the policy, and setUserAuthenticationRequired in the app.",
        source: "\(schema), tags 503 and 504", remedy: .updateApp, codes: [.userAuthenticationMissing])

    func userAuthentication(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard rules.userAuthentication == .required else { return .notRequired }
        let (hardware, software) = (description.hardwareEnforced, description.softwareEnforced)
        guard !hardware.contains(AuthorizationTag.noAuthRequired), !software.contains(AuthorizationTag.noAuthRequired),
            let type = hardware.integer(AuthorizationTag.userAuthType), type != 0
        else {
            throw CheckFailure(
                .userAuthenticationMissing, "the hardware lets the key be used without an authentication of the user")
        }
        return .passed
    }

    static let rollbackResistanceEntry = CheckDefinition(
        .androidKeyAttestationRollbackResistance, .policy(default: .enforce),
        proves: "A deleted key cannot be brought back with an old copy of the storage, where the policy demands it.",
        stops: "Restoring a key that was deleted.",
        lookAt: "rollbackResistance in the policy. Few devices have it, and apps cannot ask for it.",
        source: "\(schema), tags 303 and 703", remedy: .contactSupport, codes: [.rollbackResistanceMissing])

    func rollbackResistance(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard rules.rollbackResistance == .required else { return .notRequired }
        let list = description.hardwareEnforced
        guard list.contains(AuthorizationTag.rollbackResistance) || list.contains(AuthorizationTag.rollbackResistant)
        else {
            throw CheckFailure(.rollbackResistanceMissing, "the hardware does not say that deleting the key is final")
        }
        return .passed
    }

    static let creationTimeEntry = CheckDefinition(
        .androidKeyAttestationCreationTime, .policy(default: .enforce),
        proves: "The key was made recently, as the operating system says.",
        stops: "Keys that an attacker made while the device was in other hands.",
        lookAt: "creationTime in the policy; the clock of the device, which the time comes from.",
        source: "\(schema), tag 701", remedy: .newAttestation,
        codes: [.creationTimeMissing, .creationTimePast, .creationTimeFuture])

    func creationTime(_ description: KeyDescription) throws(CheckFailure) -> PolicyAnswer {
        guard let window = rules.creationTime else { return .notRequired }
        guard let milliseconds = description.creationTime else {
            throw CheckFailure(.creationTimeMissing, "the attestation does not say when the key was made")
        }
        let age = now.timeIntervalSince1970 - Double(milliseconds) / 1000
        guard age <= window.past else {
            throw CheckFailure(
                .creationTimePast,
                "the key was made \(Self.text(age)) ago, at most \(PolicyNode.text(ofSeconds: window.past)) are allowed"
            )
        }
        guard -age <= window.future else {
            throw CheckFailure(
                .creationTimeFuture,
                "the key was made \(Self.text(-age)) ahead, at most \(PolicyNode.text(ofSeconds: window.future)) are allowed"
            )
        }
        return .passed
    }

    /// A length of time that hostile input may make huge.
    private static func text(_ seconds: Double) -> String {
        seconds < 1e12 ? PolicyNode.text(ofSeconds: seconds) : "\(seconds) seconds"
    }

    static let revocationEntry = CheckDefinition(
        .androidKeyAttestationRevocation, .policy(default: .enforce),
        proves: "The status list revokes or suspends no certificate of the chain but the leaf, which it cannot have.",
        stops: "Attestation keys that were extracted from devices, as modules that spoof attestations use them.",
        lookAt: "The certificate that the detail names, and the list: the verdict names it by its SHA-256.",
        source: "\(android), certificate revocation status list", remedy: .contactSupport,
        codes: [.certificateRevoked, .certificateSuspended])

    /// The list has no certificate above the leaf, by its serial number or that of its subject.
    func revocation(
        _ chain: AttestationChain, _ list: AttestationStatusList?
    ) throws(CheckFailure) -> PolicyAnswer {
        guard let list else { return .notRequired }
        for (index, certificate) in chain.certificates.enumerated() {
            let serials =
                chain.issuers.indices.contains(index)
                ? chain.issuers[index].subjectSerialNumbers : AttestationIssuer.subjectSerialNumbers(certificate)
            let status =
                list.status(ofSerial: Array(certificate.serialNumber))
                ?? serials.lazy.compactMap { list.status(ofSubjectSerialNumber: $0) }.first
            guard let status else { continue }
            let reason = status.reason.map { ", \($0)" } ?? ""
            throw CheckFailure(
                status.state == .revoked ? .certificateRevoked : .certificateSuspended,
                "certificate \(index + 1) is \(status.word) in the list as \(status.serial.excerpt)\(reason)")
        }
        return .passed
    }
}

extension VersionCodes {
    fileprivate static let androidKey = VersionCodes(
        tooLow: .androidKeyVersionCodeTooLow, tooHigh: .versionCodeTooHigh, withdrawn: .versionCodeWithdrawn)
}

extension CheckCode {
    fileprivate static let applicationMissing = CheckCode(
        "application-missing", "The system does not say which app made the key, as on Android 7.",
        remedy: .contactSupport)
    fileprivate static let packageNotAllowed = CheckCode(
        "package-not-allowed", "Another app made the key: one that `packages` in the policy does not list.")
    fileprivate static let certificateNone = CheckCode(
        "certificate-none", "The system names no signing certificate of the app: it is a part of the system.")
    fileprivate static let certificateNotAllowed = CheckCode(
        "certificate-not-allowed",
        "A certificate outside certificateDigests signed the app that made the key: a repackaged app, or the upload key in the policy."
    )
    /// The app is older than `minimumVersionCode`.
    public static let androidKeyVersionCodeTooLow = CheckCode(
        "version-code-too-low", "The app that made the key is older than minimumVersionCode: the user updates the app.")
    fileprivate static let versionCodeTooHigh = CheckCode(
        "version-code-too-high", "The app that made the key is newer than `versions.maximum` in the policy allows.")
    fileprivate static let versionCodeWithdrawn = CheckCode(
        "version-code-withdrawn",
        "The version of the app that made the key is one of `versions.withdrawn` in the policy: the user updates the app."
    )
    fileprivate static let originMissing = CheckCode(
        "origin-missing", "The hardware does not say that it made the key: the claim of the system does not count.")
    fileprivate static let originNotGenerated = CheckCode(
        "origin-not-generated", "The key was imported or derived, so that there may be copies of it.")
    fileprivate static let purposeSignMissing = CheckCode(
        "purpose-sign-missing", "The key may not sign: make it with PURPOSE_SIGN.")
    fileprivate static let purposeNotAllowed = CheckCode(
        "purpose-not-allowed", "The key may be used for something that purposes in the policy does not list.")
    fileprivate static let keyOfAllApplications = CheckCode(
        "key-of-all-applications", "Every app on the device may use the key, so that its signatures prove no app.")
    fileprivate static let userAuthenticationMissing = CheckCode(
        "user-authentication-missing",
        "The key works without the user: make it with setUserAuthenticationRequired(true).")
    fileprivate static let rollbackResistanceMissing = CheckCode(
        "rollback-resistance-missing", "Deleting the key is not final, and the policy demands it.")
    fileprivate static let creationTimeMissing = CheckCode(
        "creation-time-missing", "The attestation does not say when the key was made.", remedy: .contactSupport)
    fileprivate static let creationTimePast = CheckCode(
        "creation-time-past", "The key is older than creationTime allows: the app makes a new one.")
    fileprivate static let creationTimeFuture = CheckCode(
        "creation-time-future", "The key was made later than now: the device's clock is ahead.", remedy: .retry)
    fileprivate static let certificateRevoked = CheckCode(
        "certificate-revoked",
        "Google revoked a certificate of the chain: the attestation key has leaked, or has a flaw.")
    fileprivate static let certificateSuspended = CheckCode(
        "certificate-suspended",
        "Google suspended a certificate of the chain while it examines an incident, or lists it in a state that Assay does not know."
    )
}
