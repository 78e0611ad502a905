public import AssayCore
import FoundationEssentials

extension CheckID {
    /// What was attested is still allowed.
    public static let androidKeyRequestKeyState = CheckID("android-key.request.key-state")
    /// The key belongs to the account of the request.
    public static let androidKeyRequestAccount = CheckID("android-key.request.account")
    /// The nonce is a challenge that was issued, and is used once.
    public static let androidKeyRequestChallenge = CheckID("android-key.request.challenge")
    /// The request is used once.
    public static let androidKeyRequestReplay = CheckID("android-key.request.replay")
}

extension AndroidKeyRequestCheck {
    // The state of the key, the account, and what the ledger decides.

    static let keyStateEntry = CheckDefinition(
        .androidKeyRequestKeyState, .policy(default: .enforce),
        proves: """
            The key was attested within maximumAttestationAge, and the policy still allows its algorithm, its app, where it is \
            kept and what its device had booted; nothing that its attestation failed was only noted then and is enforced now.
            """,
        stops:
            "Further use of keys of devices whose system was changed since, and of keys that a laxer policy had let in.",
        lookAt: """
            `assay ledger show` for the key; maximumAttestationAge, securityLevel, bootStates and the modes of the checks of \
            attestations in the policy.
            """,
        source: "Assay, ledger", remedy: .newAttestation,
        codes: [
            .androidKeyAttestationTooOld, .keyAlgorithmNotAllowed, .packageNotAllowed, .securityLevelNotAllowed,
            .bootStateNotAllowed, .attestationTolerated,
        ])

    func keyState(_ key: SigningKey?, _ account: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        let rules = configuration.rules
        if let key, !rules.keyAlgorithms.contains(key.key.algorithm) {
            throw CheckFailure(
                .keyAlgorithmNotAllowed, "the key is an \(key.key.description) key, which keyAlgorithms does not list")
        }
        guard let enrolled = keys.enrolled else { return .passed }
        if let maximum = rules.maximumAttestationAge, let attestedAt = keys.attestedAt {
            let age = now.timeIntervalSince(attestedAt)
            guard age <= maximum else {
                throw CheckFailure(
                    .androidKeyAttestationTooOld,
                    "the key was attested at \(RFC3339.format(attestedAt)), \(PolicyNode.text(ofSeconds: age)) ago; "
                        + "maximumAttestationAge is \(PolicyNode.text(ofSeconds: maximum))")
            }
        }
        return try requireStillAllowed(enrolled.properties, account)
    }

    private func requireStillAllowed(
        _ properties: [String: String], _ account: AccountStandings
    ) throws(CheckFailure) -> PolicyAnswer {
        typealias Property = EnrolledAndroidProperty
        try requireSecurityLevel(properties[Property.securityLevel])
        var noted: [any CheckFinding] = []
        try assess(CheckID.androidKeyAttestationApplication, account, &noted) { () throws(CheckFailure) in
            let name = properties[Property.packageName]
            guard let name, configuration.packages.containsBytes(of: name) else {
                throw CheckFailure(
                    .packageNotAllowed,
                    "the key was enrolled by \(name?.excerpt ?? "another app"), which packages does not list")
            }
        }
        try assess(CheckID.androidKeyAttestationRootOfTrust, account, &noted) { () throws(CheckFailure) in
            try requireSystem(properties)
        }
        for name in (properties[Property.unproven] ?? "").split(separator: Property.separator) {
            // A check that this version does not know counts as enforced.
            let check = KeyAttestationCheck.catalogue.first { $0.id.name.isByteEqual(to: String(name)) }?.id
            // Judged by its facts, which the policy may allow by now.
            guard check != CheckID.androidKeyAttestationRootOfTrust else { continue }
            try assess(check, account, &noted) { () throws(CheckFailure) in
                throw CheckFailure(
                    .attestationTolerated,
                    "the attestation of the key failed \(String(name).excerpt), which the policy or an allowance tolerated then"
                )
            }
        }
        return noted.first.map { .annotated($0) } ?? .passed
    }

    /// Repeats an attestation check on the stored facts, under that check's mode. Failures that the mode or an allowance
    /// tolerates are noted. Without a check, the failure counts.
    private func assess(
        _ check: CheckID?, _ account: AccountStandings, _ noted: inout [any CheckFinding],
        _ body: () throws(CheckFailure) -> Void
    ) throws(CheckFailure) {
        guard let check else { return try body() }
        let mode = expectations.modes[check]
        guard mode != .off else { return }
        do throws(CheckFailure) { try body() } catch {
            guard
                mode == .annotate || account.standings.contains(where: { $0.allowance?.checks.contains(check) == true })
            else { throw error }
            noted.append(error.finding)
        }
    }

    private func requireSecurityLevel(_ name: String?) throws(CheckFailure) {
        let demanded = configuration.rules.securityLevel
        guard let level = name.flatMap(KeySecurityLevel.init), level >= demanded.level else {
            throw CheckFailure(
                .securityLevelNotAllowed,
                "the key is kept in \(name?.excerpt ?? "an unknown place"), the policy demands \(demanded.rawValue)")
        }
    }

    /// The same rules as those of the attestation's check, for the stored facts.
    private func requireSystem(_ properties: [String: String]) throws(CheckFailure) {
        typealias Property = EnrolledAndroidProperty
        guard properties[Property.deviceLocked] == "true" else {
            throw CheckFailure(
                .bootStateNotAllowed,
                properties[Property.deviceLocked] == nil
                    ? "the ledger does not have whether the device's boot loader was locked"
                    : "the boot loader of the device was unlocked")
        }
        let name = properties[Property.verifiedBootState]
        guard configuration.rules.bootStates.contains(where: { $0.state.rawValue == name }) else {
            throw CheckFailure(
                .bootStateNotAllowed,
                "the device had booted a system of the state \(name?.excerpt ?? "unknown"), which bootStates does not list"
            )
        }
        guard name == VerifiedBootState.selfSigned.rawValue else { return }
        let key = properties[Property.verifiedBootKey]
        guard configuration.rules.verifiedBootKeys.contains(where: { $0.hexadecimal == key }) else {
            throw CheckFailure(
                .bootStateNotAllowed,
                "the device had booted a system of the key \(key?.excerpt ?? "none"), which verifiedBootKeys does not list"
            )
        }
    }

    static let accountEntry = CheckDefinition.account(
        .androidKeyRequestAccount,
        proves: "The key belongs to the account that the backend names for the request, which is not blocked.",
        stops: """
            Requests in the session of one account that the device of another has signed; evidence of accounts that were \
            found to do harm.
            """,
        codes: [.requestAccountMissing, .keyOfAnotherAccount, .keyWithoutAccount])

    func accountOfRequest(_ account: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        try account.answer(
            configuration.account, of: keys.enrolled, missing: .requestAccountMissing, unowned: .keyWithoutAccount)
    }

    // MARK: challenge and replay: decided by the ledger

    static let challengeEntry = CheckDefinition(
        .androidKeyRequestChallenge, .ledger,
        proves:
            "The nonce of the signature was issued for this app and purpose, has not expired, and is used for the first time.",
        stops: "Replay of a recorded request, and requests that were signed ahead of time.",
        lookAt: "`requests.nonce` in the policy, the challenge's lifetime, and whether the request was retried.",
        source: "RFC 9421 section 7.2.2", remedy: .newChallenge, codes: [.nonceMissing] + CheckCode.ofChallenge)

    static let replayEntry = CheckDefinition(
        .androidKeyRequestReplay, .ledger,
        proves: "The signed request is accepted for the first time inside its window.",
        stops: "Replay of a recorded request, also with the other form that an ECDSA signature has.",
        lookAt: """
            Whether the request was sent twice. Identical requests within one second count as one: a random nonce makes \
            them differ.
            """,
        source: "RFC 9421 section 7.2.2", remedy: .retry, codes: CheckCode.ofDigest)

    /// What must still hold of an enrolled key when the ledger commits: an operator may block, move or retire it after the checks
    /// above have looked it up.
    static func uses(
        of keys: AndroidRequestKeys, _ identifier: [UInt8], _ account: AccountStandings,
        _ expectations: AndroidKeyExpectations
    ) -> [LedgerEffect] {
        guard let enrolled = keys.enrolled else { return [] }
        let identifier = KeyIdentifier.androidKey(identifier)
        var effects = [LedgerEffect(.androidKeyRequestKey, .useKey(KeyUse(key: identifier, app: expectations.app)))]
        let use = account.use(
            of: enrolled, identifier, app: expectations.app, expectations.configuration.account, expectations.modes,
            .androidKeyRequestAccount)
        if let use { effects.append(use) }
        return effects
    }

    func subject(_ key: SigningKey) -> AndroidKeySubject {
        typealias Property = EnrolledAndroidProperty
        var subject = AndroidKeySubject(publicKey: key.info, algorithm: key.key.description)
        let properties = keys.enrolled?.properties ?? [:]
        subject.keyMintSecurityLevel = properties[Property.securityLevel].flatMap(KeySecurityLevel.init)
        subject.osVersion = properties[Property.osVersion].flatMap { Int64($0) }
        subject.osPatchLevel = properties[Property.osPatchLevel].flatMap { Int64($0) }
        subject.provisioning = properties[Property.provisioning].flatMap(KeyProvisioning.init)
        subject.attestedAt = keys.attestedAt
        subject.account = keys.enrolled?.account
        subject.request = signed.facts
        return subject
    }
}

extension CheckCode {
    /// The key was attested longer ago than `maximumAttestationAge`.
    public static let androidKeyAttestationTooOld = CheckCode(
        "attestation-too-old",
        "The key was attested longer ago than `maximumAttestationAge` allows: the app makes a new key and attests it.")
    fileprivate static let keyAlgorithmNotAllowed = CheckCode(
        "key-algorithm-not-allowed", "The policy no longer lists the algorithm of the key: the app makes a new key.")
    fileprivate static let packageNotAllowed = CheckCode(
        "package-not-allowed", "The key was enrolled by an app that the policy no longer lists.")
    fileprivate static let securityLevelNotAllowed = CheckCode(
        "security-level-not-allowed", "The key is kept in a weaker place than the policy now demands.")
    fileprivate static let bootStateNotAllowed = CheckCode(
        "boot-state-not-allowed",
        "The system that the device had booted when the key was attested is no longer allowed.")
    fileprivate static let attestationTolerated = CheckCode(
        "attestation-tolerated",
        """
        The key was enrolled although its attestation failed a check, whose mode was `annotate` or which an allowance excused, \
        and the policy enforces that check now: the app makes a new key and attests it.
        """)
    fileprivate static let requestAccountMissing = CheckCode(
        "account-missing",
        "The policy says `account: required`, and the backend named no account for the signed request: give that of the session.",
        remedy: .nothing)
    fileprivate static let keyWithoutAccount = CheckCode(
        "key-without-account",
        "The key was enrolled without an account: the app attests a new one in a session, or `assay ledger move` gives it to one.",
        remedy: .newAttestation)
    static let nonceMissing = CheckCode(
        "nonce-missing",
        "The policy says `requests.nonce: ledger`, and the signature has no `nonce`: the app writes the challenge.")
}
