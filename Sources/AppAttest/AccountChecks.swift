public import AssayCore

extension CheckID {
    /// The account may enrol the key.
    public static let appAttestAttestationAccount = CheckID("app-attest.attestation.account")
    /// The key belongs to the account of the request.
    public static let appAttestAssertionAccount = CheckID("app-attest.assertion.account")
}

extension AttestationCheck {
    static let accountEntry = CheckDefinition.account(
        .appAttestAttestationAccount,
        proves: "The account that the backend names for the attestation is not blocked; the key will belong to it.",
        codes: [.accountMissing])

    func accountOfRequest(_ account: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        try account.answer(configuration.account, missing: .accountMissing)
    }
}

extension AssertionCheck {
    static let accountEntry = CheckDefinition.account(
        .appAttestAssertionAccount,
        proves: "The key belongs to the account that the backend names for the request, which is not blocked.",
        stops: """
            Requests in the session of one account that the device of another has signed; evidence of accounts that were \
            found to do harm.
            """,
        codes: [.accountMissing, .keyOfAnotherAccount, .keyWithoutAccount])

    func accountOfRequest(_ account: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        try account.answer(
            configuration.account, of: keys.enrolled, missing: .accountMissing, unowned: .keyWithoutAccount)
    }
}

extension CheckCode {
    fileprivate static let accountMissing = CheckCode(
        "account-missing",
        "The policy says `account: required`, and the backend named no account: give the one of the session.",
        remedy: .nothing)
    fileprivate static let keyWithoutAccount = CheckCode(
        "key-without-account",
        "The key was enrolled without an account: the app attests it again in a session, or `assay ledger move` gives it to one.",
        remedy: .newAttestation)
}
