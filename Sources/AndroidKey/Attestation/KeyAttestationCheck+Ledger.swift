public import AssayCore

// The account, and what the ledger decides.

extension CheckID {
    /// The account may enrol the key.
    public static let androidKeyAttestationAccount = CheckID("android-key.attestation.account")
    /// The challenge was issued and is used once.
    public static let androidKeyAttestationChallenge = CheckID("android-key.attestation.challenge")
    /// The key is enrolled, or the facts of an enrolled key are refreshed.
    public static let androidKeyAttestationEnrolment = CheckID("android-key.attestation.enrolment")
}

extension KeyAttestationCheck {
    static let accountEntry = CheckDefinition.account(
        .androidKeyAttestationAccount,
        proves: "The account that the backend names for the attestation is not blocked; the key will belong to it.",
        codes: [.accountMissing])

    func accountOfRequest(_ account: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        try account.answer(configuration.account, missing: .accountMissing)
    }

    static let challengeEntry = CheckDefinition(
        .androidKeyAttestationChallenge, .ledger,
        proves: "The challenge was issued for this app and purpose, has not expired, and is used for the first time.",
        stops: "Replay of a recorded attestation.",
        lookAt: "`challenge` in the policy, the challenge's lifetime, and whether the request was retried.",
        source: "\(android), attestationChallenge", remedy: .newChallenge, codes: CheckCode.ofChallenge)

    static let enrolmentEntry = CheckDefinition(
        .androidKeyAttestationEnrolment, .ledger,
        proves: """
            The key is not blocked, and is enrolled for the first time; or, with reattestation: refresh, it is enrolled for \
            this app, and this attestation brings its facts up to date.
            """,
        stops: "Replacement of an enrolled key's entry, which would lift its block or move it to another account.",
        lookAt: """
            `assay ledger show` for the key, SHA-256 of its SubjectPublicKeyInfo, and reattestation in the policy. A keystore \
            attests a key once, so a new challenge means a new key.
            """,
        source: "Assay, ledger", remedy: .newAttestation, codes: CheckCode.ofEnrolment)
}

extension CheckCode {
    fileprivate static let accountMissing = CheckCode(
        "account-missing",
        "The policy says `account: required`, and the backend named no account for the attestation: give that of the session.",
        remedy: .nothing)
}
