public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The receipt is Apple's, and about this key and app.
    public static let appAttestAttestationReceipt = CheckID("app-attest.attestation.receipt")
    /// How the app was installed, since iOS 27.
    public static let appAttestAttestationValidationCategory = CheckID("app-attest.attestation.validation-category")
    /// The app's build, since iOS 27.
    public static let appAttestAttestationBundleVersion = CheckID("app-attest.attestation.bundle-version")
    /// The device's operating system.
    public static let appAttestAttestationOSVersion = CheckID("app-attest.attestation.os-version")
    /// The certificate of the key was issued recently.
    public static let appAttestAttestationCertificateAge = CheckID("app-attest.attestation.certificate-age")
    /// The additional requirements for macOS.
    public static let appAttestAttestationPlatform = CheckID("app-attest.attestation.platform")
    /// The challenge was issued and is used once.
    public static let appAttestAttestationChallenge = CheckID("app-attest.attestation.challenge")
    /// The key is enrolled, or the facts of an enrolled key are refreshed.
    public static let appAttestAttestationEnrolment = CheckID("app-attest.attestation.enrolment")
}

extension AttestationCheck {
    /// The entries of the policy checks, in the order in which they run.
    static let policyCatalogue: [CheckDefinition] = [
        receiptEntry, .validationCategory(.appAttestAttestationValidationCategory),
        .bundleVersion(.appAttestAttestationBundleVersion), osVersionEntry, certificateAgeEntry, platformEntry,
        accountEntry,
    ]

    /// Runs the policy checks; returns the receipt if it verifies.
    func runPolicyChecks(
        _ certificate: AttestedCertificate, _ account: AccountStandings, _ run: inout CheckRun
    ) -> Receipt? {
        let extensions = evidence.authenticatorData.extensions
        let support = SharedRules.ExtensionSupport(osVersion: certificate.osVersion)
        var receipt: Receipt?
        run.policy(.appAttestAttestationReceipt) { () throws(CheckFailure) in
            receipt = try self.receipt()
            return .passed
        }
        run.policy(
            .appAttestAttestationValidationCategory,
            try SharedRules.validationCategory(extensions, support: support, in: configuration))
        run.policy(
            .appAttestAttestationBundleVersion,
            try SharedRules.bundleVersion(extensions, support: support, in: configuration))
        run.policy(.appAttestAttestationOSVersion, try osVersion(certificate))
        run.policy(.appAttestAttestationCertificateAge, try certificateAge())
        run.policy(.appAttestAttestationPlatform, try platform(certificate))
        run.policy(.appAttestAttestationAccount, try accountOfRequest(account))
        run.confirm(account)
        return receipt
    }

    static let receiptEntry = CheckDefinition(
        .appAttestAttestationReceipt, .policy(default: .annotate),
        proves: "Apple signed the receipt, and it is about this key, this app and this environment.",
        stops: "Another device's receipt, which would fetch the risk metric of the wrong device.",
        lookAt: """
            The detail. Receipts of August and September 2020 do not verify; the attestation is good without one, but \
            Apple gives no risk metric for it.
            """,
        source: "Apple, Assessing fraud risk, Verify the receipt",
        remedy: .newAttestation,
        codes: CheckCode.ofDecoding + SignedReceipt.signatureCodes + SignedReceipt.chainCodes + [
            .receiptMissing, .receiptType, .receiptOfAnotherKey, .receiptOfAnotherChallenge, .receiptOfAnotherApp,
            .receiptOfAnotherEnvironment,
        ])

    func receipt() throws(CheckFailure) -> Receipt {
        guard let bytes = evidence.receipt else {
            throw CheckFailure(.receiptMissing, "the attestation statement has no receipt")
        }
        let receipt = try Receipt.verified(bytes, trust: expectations.trust)
        guard receipt.type == .attest else {
            throw CheckFailure(.receiptType, "expected a receipt of type ATTEST, found \(receipt.type.rawValue)")
        }
        guard receipt.attestedCertificate.isByteEqual(to: evidence.leaf.der) else {
            throw CheckFailure(.receiptOfAnotherKey, "field 3 of the receipt is not the attested certificate")
        }
        guard receipt.clientDataHash.map({ $0.isByteEqual(to: input.clientData.hash) }) ?? true else {
            throw CheckFailure(
                .receiptOfAnotherChallenge, "field 4 of the receipt is not the client data hash of the attestation")
        }
        guard evidence.authenticatorData.rpIDHash.isByteEqual(to: Digest.sha256(Array(receipt.appID.utf8))) else {
            throw CheckFailure(
                .receiptOfAnotherApp,
                "field 2 of the receipt is \(receipt.appID.excerpt(atMost: 255)), which is not the attestation's App ID"
            )
        }
        guard receipt.environment.map({ evidence.credential.aaguid.isByteEqual(to: $0.aaguid) }) ?? true else {
            throw CheckFailure(
                .receiptOfAnotherEnvironment, "field 7 of the receipt is not the environment of the attestation")
        }
        return receipt
    }

    // MARK: validation-category and bundle-version: see SharedRules

    static let osVersionEntry = CheckDefinition(
        .appAttestAttestationOSVersion, .policy(default: .enforce),
        proves: "The operating system that Apple certified is at least the policy's minimum.",
        stops: "Devices on systems with known jailbreaks.",
        lookAt: "minimumOSVersion in the policy, and the version in the detail.",
        source: "Leaf extension 1.2.840.113635.100.8.7, as issued since 2020",
        remedy: .updateSystem,
        codes: [.platformNotAllowed, .osVersionMissing, .osVersionMalformed, .appAttestOSVersionTooLow])

    func osVersion(_ certificate: AttestedCertificate) throws(CheckFailure) -> PolicyAnswer {
        guard let minimum = configuration.minimumOSVersion else { return .notRequired }
        let platform = certificate.platform
        guard let lowest = minimum.any ?? platform.flatMap({ minimum.byPlatform[$0] }) else {
            throw CheckFailure(
                .platformNotAllowed,
                "minimumOSVersion names no version for \(platform?.rawValue ?? "a platform that is not certified")")
        }
        guard let text = certificate.osVersion else {
            throw CheckFailure(
                .osVersionMissing, "the certificate does not say the OS version, at least \(lowest) is demanded")
        }
        guard let version = DottedVersion(text) else {
            throw CheckFailure(.osVersionMalformed, "OS version \"\(text)\" cannot be compared with \(lowest)")
        }
        guard version >= lowest else {
            throw CheckFailure(.appAttestOSVersionTooLow, "OS version \(text), at least \(lowest) is demanded")
        }
        return .passed
    }

    static let certificateAgeEntry = CheckDefinition(
        .appAttestAttestationCertificateAge, .policy(default: .enforce),
        proves: "Apple certified the key at most maximumCertificateAge before the time of judgement.",
        stops: """
            Attestations that were made in advance, collected, and are enrolled later: some leaves are valid for a year.
            """,
        lookAt: """
            maximumCertificateAge in the policy, and the age in the detail. It counts from notBefore of the leaf, which Apple \
            sets to one day before it issues the certificate. Captured evidence is judged at the time of its receipt.
            """,
        source: "RFC 5280 section 4.1.2.5", remedy: .newAttestation, codes: [.appAttestCertificateTooOld])

    func certificateAge() throws(CheckFailure) -> PolicyAnswer {
        guard let maximum = configuration.maximumCertificateAge else { return .notRequired }
        let age = now.timeIntervalSince(evidence.leaf.notBefore)
        guard age <= maximum else {
            throw CheckFailure(
                .appAttestCertificateTooOld,
                "the certificate is \(PolicyNode.text(ofSeconds: age.rounded(.up))) old, at most "
                    + "\(PolicyNode.text(ofSeconds: maximum)) is allowed")
        }
        return .passed
    }

    static let platformEntry = CheckDefinition(
        .appAttestAttestationPlatform, .policy(default: .enforce),
        proves: "On macOS the key's access control list is the one that Apple documents.",
        stops: "Keys on a Mac that software without the app's identity may use.",
        lookAt: "Leaf extension 1.2.840.113635.100.8.6. On iOS nothing is demanded.",
        source: "Apple, Validating apps that connect to your server, macOS",
        remedy: .nothing, codes: [.platformUnknown, .accessControlListMissing, .accessControlListDiffers])

    /// On macOS, the key has the documented access control list. Without a named platform, any list must be this one.
    func platform(_ certificate: AttestedCertificate) throws(CheckFailure) -> PolicyAnswer {
        guard certificate.platform == .macOS || !certificate.namesPlatform else { return .passed }
        guard let list = certificate.accessControlList else {
            guard certificate.platform == .macOS else {
                return .notApplicable(
                    Finding(.platformUnknown, "the certificate says neither platform nor access control list"))
            }
            throw CheckFailure(
                .accessControlListMissing, "on macOS the certificate must have extension 1.2.840.113635.100.8.6")
        }
        guard list.isByteEqual(to: AttestedCertificate.macOSAccessControlList) else {
            throw CheckFailure(
                .accessControlListDiffers,
                "the key's access control list is not the one that Apple documents for macOS")
        }
        return .passed
    }

    static let challengeEntry = CheckDefinition.challenge(
        .appAttestAttestationChallenge, stops: "Replay of a recorded attestation.", source: "\(apple), step 2",
        codes: [.challengeHashOnly])

    /// The failure of an attestation with a challenge that the ledger cannot look up.
    static var challengeMissing: CheckFailure {
        CheckFailure(
            .challengeHashOnly,
            "the ledger finds a challenge by its bytes, and the evidence has only a client data hash")
    }

    static let enrolmentEntry = CheckDefinition(
        .appAttestAttestationEnrolment, .ledger,
        proves: """
            The key is not blocked, and is enrolled for the first time; or, with reattestation: refresh, it is enrolled for \
            this app, and this attestation brings its facts up to date.
            """,
        stops: "Replacement of an enrolled key's entry, which would reset its counter or lift its block.",
        lookAt: """
            `assay ledger show` for the key, and reattestation in the policy: with refuse, a retry after a lost answer needs \
            a new key.
            """, source: "Apple, Validating apps that connect to your server, Store the attested key",
        remedy: .newAttestation, codes: CheckCode.ofEnrolment)
}

extension CheckCode {
    fileprivate static let receiptMissing = CheckCode(
        "receipt-missing", "The attestation has no receipt, so that no risk metric can be fetched for the device.")
    fileprivate static let receiptType = CheckCode(
        "receipt-type", "The receipt in the attestation is a refreshed one: the attestation was reassembled.")
    fileprivate static let receiptOfAnotherKey = CheckCode(
        "receipt-of-another-key", "The receipt is about another attested certificate: parts of two attestations.")
    fileprivate static let receiptOfAnotherChallenge = CheckCode(
        "receipt-of-another-challenge", "The receipt has another client data hash: parts of two attestations.")
    fileprivate static let receiptOfAnotherApp = CheckCode(
        "receipt-of-another-app", "The receipt is about another App ID than the attestation.")
    fileprivate static let receiptOfAnotherEnvironment = CheckCode(
        "receipt-of-another-environment", "The receipt is of another environment than the attestation.")
    fileprivate static let platformNotAllowed = CheckCode(
        "platform-not-allowed",
        "minimumOSVersion has no entry for the device's platform: add one to allow the platform.",
        remedy: .contactSupport)
    fileprivate static let osVersionMissing = CheckCode(
        "os-version-missing", "The certificate has no OS version, as those issued before 2020: attest a new key.",
        remedy: .newAttestation)
    fileprivate static let osVersionMalformed = CheckCode(
        "os-version-malformed", "The certified OS version is no dotted number, so that it cannot be compared.",
        remedy: .nothing)
    /// The system is older than `minimumOSVersion`.
    public static let appAttestOSVersionTooLow = CheckCode(
        "os-version-too-low", "The OS is older than the policy's minimum: the user updates the device.")
    /// The certificate is older than `maximumCertificateAge`.
    public static let appAttestCertificateTooOld = CheckCode(
        "certificate-too-old",
        "Apple certified the key longer ago than maximumCertificateAge allows: the app attests a new key.")
    fileprivate static let platformUnknown = CheckCode(
        "platform-unknown",
        "The certificate names neither a platform nor an access control list, as older ones: no action.")
    fileprivate static let accessControlListMissing = CheckCode(
        "acl-missing", "The certificate of a Mac has no access control list, so that any software may use the key.")
    fileprivate static let accessControlListDiffers = CheckCode(
        "acl-differs", "The key's access control list is not Apple's documented one: other software may use the key.")
    fileprivate static let challengeHashOnly = CheckCode(
        "challenge-missing",
        "The ledger needs the bytes of the challenge, and the evidence has only their hash: send `challenge`.")
}
