public import AssayCore

extension CheckID {
    /// The account may enrol the key.
    public static let appAttestAttestationAccount = CheckID("app-attest.attestation.account")
}

extension AttestationCheck {
    static let accountEntry = CheckDefinition.account(
        .appAttestAttestationAccount,
        proves: "The account that the backend names for the attestation is not blocked; the key will belong to it.",
        codes: [.accountMissing])

    /// The account is not blocked. The backend has named it if the policy demands that.
    func accountOfRequest(_ account: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        try AccountRule.requireNamed(account, configuration.account)
        return try account.answer()
    }
}

extension CheckID {
    /// The key belongs to the account of the request.
    public static let appAttestAssertionAccount = CheckID("app-attest.assertion.account")
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

    /// The account is not blocked, and equals that of the key, as far as the policy compares them.
    func accountOfRequest(_ account: AccountStandings) throws(CheckFailure) -> PolicyAnswer {
        try AccountRule.requireNamed(account, configuration.account)
        let answer = try account.answer()
        guard configuration.account != .none, let named = account.account, let enrolled = keys.enrolled else {
            return answer
        }
        guard let owner = enrolled.account else {
            guard configuration.account != .required else {
                throw CheckFailure(
                    .keyWithoutAccount, "the key was enrolled without an account; assay ledger move gives it to one")
            }
            return .notRequiredWithRemark(
                Finding(.keyWithoutAccount, "the key was enrolled without an account, so that none is compared"))
        }
        guard owner.isByteEqual(to: named) else {
            throw CheckFailure(
                .keyOfAnotherAccount, "the key is enrolled for another account than the one that the request names")
        }
        return answer
    }

    /// That the key still belongs to the account of the request when the ledger commits: an operator may move it meanwhile. Nil if
    /// the policy does not demand it.
    static func use(
        of keys: AssertionKeys, _ key: KeyIdentifier, _ account: AccountStandings, _ expectations: AppAttestExpectations
    ) -> LedgerEffect? {
        guard expectations.configuration.account != .none, keys.enrolled?.account != nil, let named = account.account,
            expectations.modes[.appAttestAssertionAccount] == .enforce,
            !account.standings.contains(where: { $0.allowance?.checks.contains(.appAttestAssertionAccount) == true })
        else { return nil }
        return LedgerEffect(
            .appAttestAssertionAccount, .useKey(KeyUse(key: key, app: expectations.app, account: named)))
    }
}

private enum AccountRule {
    static func requireNamed(
        _ account: AccountStandings, _ rule: AppAttestConfiguration.AccountBinding
    ) throws(CheckFailure) {
        guard rule == .required, account.account == nil else { return }
        throw CheckFailure(.accountMissing, "the policy says account: required, and the request names none")
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
