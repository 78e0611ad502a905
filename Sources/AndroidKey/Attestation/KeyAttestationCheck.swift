public import AssayCore
import FoundationEssentials

/// The checks of an Android key attestation: their names, catalogue entries, rules and codes. The rules are those of Android's
/// documentation, "Verify hardware-backed key pairs with key attestation", and of android/keyattestation.
package struct KeyAttestationCheck: Sendable {
    /// The entries of all checks, in the order in which they run.
    package static let catalogue: [CheckDefinition] = [
        decodeEntry, chainEntry, targetEntry, extensionEntry, publicKeyEntry, challengeBindingEntry, securityLevelEntry,
        versionEntry, rootOfTrustEntry, osVersionEntry, patchLevelEntry, applicationEntry, originEntry, purposeEntry,
        keyScopeEntry, userAuthenticationEntry, rollbackResistanceEntry, creationTimeEntry, deviceIdentityEntry,
        provisioningEntry, consistencyEntry, revocationEntry, accountEntry, challengeEntry, enrolmentEntry,
    ]

    static let android = "Android, Verify hardware-backed key pairs with key attestation"
    static let schema = "\(android), schema"
    static let verifier = "android/keyattestation"

    let input: KeyAttestationInput
    let expectations: AndroidKeyExpectations
    let now: Date

    var configuration: AndroidKeyConfiguration { expectations.configuration }
    var rules: AndroidKeyConfiguration.Rules { expectations.configuration.rules }
}

extension CheckID {
    /// The certificates can be read.
    public static let androidKeyAttestationDecode = CheckID("android-key.attestation.decode")
    /// The certificates lead to a pinned key.
    public static let androidKeyAttestationChain = CheckID("android-key.attestation.chain")
    /// The first certificate is the attested one.
    public static let androidKeyAttestationTarget = CheckID("android-key.attestation.target")
    /// The key attestation extension can be read.
    public static let androidKeyAttestationExtension = CheckID("android-key.attestation.extension")
    /// The attested key is usable, and the one that the app claims.
    public static let androidKeyAttestationPublicKey = CheckID("android-key.attestation.public-key")
    /// The key was attested for this challenge.
    public static let androidKeyAttestationChallengeBinding = CheckID("android-key.attestation.challenge-binding")
    /// Secure hardware holds the key.
    public static let androidKeyAttestationSecurityLevel = CheckID("android-key.attestation.security-level")
}

extension KeyAttestationCheck {
    private static let decodeEntry = CheckDefinition(
        .androidKeyAttestationDecode, .gate,
        proves: "The evidence has 1 to 10 certificates in DER, each of them whole and of at most 16 KiB.",
        stops: "Input that two parsers read differently: BER, trailing bytes, one certificate behind another.",
        lookAt: """
            The certificate and the byte that the detail names. The usual causes are PEM in place of DER, and a chain that was \
            joined to one text.
            """,
        source: "\(android); RFC 5280 section 4.1", remedy: .nothing, codes: CheckCode.ofDecoding)

    private static let chainEntry = CheckDefinition(
        .androidKeyAttestationChain, .gate,
        proves: """
            Each certificate is signed with the key of the next one, and the last one with a key of Google; issuers may issue, \
            and those of remote provisioning are valid at the time of judgement.
            """,
        stops: "Certificates of the attacker's own, of emulators, and of roots that only look like Google's.",
        lookAt: """
            The certificate that the detail names. For `expired`, the time of judgement: certificates of remote provisioning live \
            for weeks, so captured evidence is judged at the time of its receipt (--as-captured). The leaf's dates are the \
            device's own, and never judged.
            """,
        source: "\(android); \(verifier); Google's roots of 2016 to 2025", remedy: .nothing, codes: CheckCode.ofChain)

    private static let targetEntry = CheckDefinition(
        .androidKeyAttestationTarget, .gate,
        proves: "Certificate 0 alone has the key attestation extension, and certificate 1 is one that issues.",
        stops: """
            An extended chain: an app lets its genuine attested key sign a certificate with a forged extension for another key. \
            All signatures of such a chain hold.
            """,
        lookAt: "Which certificates have extension 1.3.6.1.4.1.11129.2.1.17, with `assay inspect`.",
        source: "\(verifier), CHAIN_EXTENDED_FOR_KEY", remedy: .nothing,
        codes: [.extensionMissing, .chainExtended, .issuerMayNotIssue])

    func target(_ evidence: KeyAttestationEvidence, _ chain: AttestationChain) throws(CheckFailure) {
        if let index = evidence.issuers.firstIndex(where: { $0.extension(KeyDescription.oid) != nil }) {
            throw CheckFailure(
                .chainExtended,
                "certificate \(index + 1) is that of an attested key, and issued certificate \(index): an app has extended the "
                    + "chain with its own key")
        }
        guard evidence.leaf.extension(KeyDescription.oid) != nil else {
            throw CheckFailure(
                .extensionMissing, "certificate 0 has no key attestation extension: it attests nothing about its key")
        }
        let issuer = chain.issuers[0]
        let mayIssue =
            switch chain.provisioning {
            case .remote: issuer.isAuthority
            // Many factory certificates of 2016 say CA:FALSE and digitalSignature, some of them with FALSE written out, which DER
            // forbids: the extension need only be there. Certificates of attested keys have none.
            case .factory: issuer.isAuthority || issuer.certificate.extension(.basicConstraints) != nil
            }
        guard mayIssue else {
            throw CheckFailure(.issuerMayNotIssue, "certificate 1 may not issue certificates, and issued certificate 0")
        }
    }

    private static let extensionEntry = CheckDefinition(
        .androidKeyAttestationExtension, .gate,
        proves: "The extension is a KeyDescription in strict DER, with each tag once and in ascending order.",
        stops: "Descriptions that two parsers read differently, so that one of them sees another key.",
        lookAt: "The tag and the byte that the detail names. Unknown tags are no error, and are reported.",
        source: schema, remedy: .nothing, codes: CheckCode.ofDecoding + [.unknownTags])

    /// A remark on tags that Assay does not know; nil for none.
    static func remark(on description: KeyDescription) -> Finding? {
        let tags =
            description.softwareEnforced.unknownTags.map { "softwareEnforced \($0)" }
            + description.hardwareEnforced.unknownTags.map { "hardwareEnforced \($0)" }
        guard !tags.isEmpty else { return nil }
        return Finding(.unknownTags, "tags that Assay does not know: \(tags.prefix(16).joined(separator: ", "))")
    }

    func description(_ evidence: KeyAttestationEvidence) throws(CheckFailure) -> KeyDescription {
        guard let value = evidence.leaf.extension(KeyDescription.oid)?.value else {
            throw CheckFailure(DecodeError(.missing, at: 0, "certificate 0 has no key attestation extension"))
        }
        do throws(DecodeError) { return try KeyDescription(value) } catch { throw CheckFailure(error) }
    }

    private static let publicKeyEntry = CheckDefinition(
        .androidKeyAttestationPublicKey, .gate,
        proves:
            "The key is of an allowed algorithm, as the extension describes it, and the one that the app claims to have.",
        stops: "Weak keys, and a genuine attestation of one key that is sent for another.",
        lookAt: "`publicKey` of the evidence, if it has one: SubjectPublicKeyInfo in DER. keyAlgorithms in the policy.",
        source: "\(schema), tags 2, 3 and 10", remedy: .newAttestation,
        codes: [.keyUnusable, .keyUnsupported, .algorithmNotAllowed, .descriptionDiffers, .publicKeyDiffers])

    func publicKey(
        _ evidence: KeyAttestationEvidence, _ description: KeyDescription?
    ) throws(CheckFailure) -> AttestedKey {
        let info = evidence.leaf.subjectPublicKeyInfo
        let key = try AttestedKey(info)
        guard rules.keyAlgorithms.contains(key.algorithm) else {
            throw CheckFailure(
                .algorithmNotAllowed,
                "the key is \(key.description), allowed are \(rules.keyAlgorithms.map(\.rawValue).joined(separator: ", "))"
            )
        }
        try require(description?.hardwareEnforced, key)
        try require(description?.softwareEnforced, key)
        if let claimed = input.publicKey, !info.isByteEqual(to: RSAPublicKey.canonical(claimed[...])) {
            throw CheckFailure(.publicKeyDiffers, "the attested key is not the publicKey of the evidence")
        }
        return key
    }

    /// The list describes no other key.
    private func require(_ list: AuthorizationList?, _ key: AttestedKey) throws(CheckFailure) {
        try require(list, AuthorizationTag.algorithm, key.algorithmNumber, key)
        try require(list, AuthorizationTag.keySize, UInt64(key.bits), key)
        try require(list, AuthorizationTag.ecCurve, key.curveNumber, key)
    }

    private func require(
        _ list: AuthorizationList?, _ tag: UInt32, _ expected: UInt64?, _ key: AttestedKey
    ) throws(CheckFailure) {
        guard let found = list?.integer(tag), found != expected else { return }
        let name = AuthorizationTag.known(tag)?.name ?? "\(tag)"
        throw CheckFailure(
            .descriptionDiffers,
            "the extension says \(name) \(found), and the certificate has the key \(key.description)")
    }

    private static let challengeBindingEntry = CheckDefinition(
        .androidKeyAttestationChallengeBinding, .gate,
        proves: "The app gave exactly this challenge to the keystore when it made the key.",
        stops: "Replay of a genuine attestation that was made for another request.",
        lookAt: """
            The exact bytes that the app gives to setAttestationChallenge: text and decoded bytes of a base64 challenge are two \
            different challenges.
            """,
        source: "\(schema), attestationChallenge", remedy: .newChallenge, codes: [.challengeEmpty, .challengeDiffers])

    func challengeBinding(_ description: KeyDescription?) throws(CheckFailure) {
        guard !input.challenge.isEmpty else { throw CheckFailure(.challengeEmpty, "an empty challenge binds nothing") }
        guard let certified = description?.challenge, certified.isByteEqual(to: input.challenge) else {
            let certified = description?.challenge ?? []
            throw CheckFailure(
                .challengeDiffers,
                "the certified challenge \(certified.shown), of \(certified.count) bytes, is not the one of the evidence, of "
                    + "\(input.challenge.count) bytes")
        }
    }

    private static let securityLevelEntry = CheckDefinition(
        .androidKeyAttestationSecurityLevel, .gate,
        proves: "Secure hardware, at least the policy's, made the attestation and keeps the key.",
        stops: "Keys in the operating system, which malware can copy, and emulators.",
        lookAt: """
            securityLevel in the policy. For strongBox, whether the app asks for it with setIsStrongBoxBacked, and whether the \
            device has it.
            """,
        source: "\(schema), SecurityLevel", remedy: .contactSupport,
        codes: [.levelsDiffer, .levelSoftware, .levelTooLow, .levelContradicted])

    /// Both levels are equal and at least the policy's, and the issuers do not contradict them.
    func securityLevel(
        _ description: KeyDescription?, _ chain: AttestationChain?
    ) throws(CheckFailure) {
        guard let description, let chain else { return }
        let (attestation, key) = (description.attestationSecurityLevel, description.keyMintSecurityLevel)
        guard attestation != .software, key != .software else {
            throw CheckFailure(.levelSoftware, "the attestation was made in \(attestation), the key is kept in \(key)")
        }
        guard attestation == key else {
            throw CheckFailure(.levelsDiffer, "the attestation was made in \(attestation), the key is kept in \(key)")
        }
        guard key >= rules.securityLevel.level else {
            throw CheckFailure(
                .levelTooLow, "the key is kept in \(key), at least \(rules.securityLevel.rawValue) is demanded")
        }
        if key == .strongBox, chain.issuers.prefix(2).contains(where: { $0.names("TEE") }),
            !chain.issuers.prefix(2).contains(where: { $0.names("StrongBox") })
        {
            throw CheckFailure(
                .levelContradicted, "the extension says strongBox, and the attestation key is that of a TEE")
        }
    }
}

extension CheckCode {
    fileprivate static let extensionMissing = CheckCode(
        "extension-missing",
        "The first certificate attests nothing: send the chain of a key that was made with a challenge, leaf first.",
        remedy: .newAttestation)
    fileprivate static let chainExtended = CheckCode(
        "chain-extended",
        "The certificate of an attested key issued another one: an app forged the extension of a key of its own.")
    fileprivate static let issuerMayNotIssue = CheckCode(
        "issuer-may-not-issue",
        "The certificate that issued the leaf may not issue: an attempt to extend a genuine chain.")
    fileprivate static let unknownTags = CheckCode(
        "unknown-tags", "The extension has tags that Assay does not know, as later versions may: no action.")
    fileprivate static let algorithmNotAllowed = CheckCode(
        "algorithm-not-allowed", "The key has an algorithm that keyAlgorithms in the policy does not list.",
        remedy: .updateApp)
    fileprivate static let descriptionDiffers = CheckCode(
        "description-differs", "The extension describes another key than the certificate has: a forgery.",
        remedy: .nothing)
    fileprivate static let publicKeyDiffers = CheckCode(
        "public-key-differs", "The attested key is another one than `publicKey`: the attestation of another key.")
    fileprivate static let challengeEmpty = CheckCode(
        "challenge-empty", "The challenge is empty and binds nothing: send the one that the app used.")
    fileprivate static let challengeDiffers = CheckCode(
        "challenge-differs", "The key was attested for another challenge: compare what the app gives to the keystore.")
    fileprivate static let levelsDiffer = CheckCode(
        "levels-differ", "Attestation and key are of different places: no genuine device makes this.", remedy: .nothing)
    fileprivate static let levelSoftware = CheckCode(
        "level-software", "The operating system keeps the key or made the attestation, which proves nothing.")
    fileprivate static let levelTooLow = CheckCode(
        "level-too-low", "The key is kept in weaker hardware than securityLevel in the policy demands.")
    fileprivate static let levelContradicted = CheckCode(
        "level-contradicted", "The extension says StrongBox, and the attestation key is that of another place.",
        remedy: .nothing)
}
