package import FoundationEssentials

/// The account of the backend that evidence came with, and the standings in force on it and on further subjects.
package struct AccountStandings: Sendable {
    /// The account; nil if the caller names none.
    package let account: String?
    /// The blocks and allowances in force.
    package let standings: [LedgerStanding]
    /// The account that the key of the evidence belongs to, if the caller names no account.
    package let owner: String?
    /// The block on `owner`.
    package let ownerBlock: LedgerBlock?

    /// No account, and no standing.
    package static let none = AccountStandings(account: nil, standings: [])

    /// Collects the account and the standings.
    package init(
        account: String?, standings: [LedgerStanding], owner: String? = nil, ownerBlock: LedgerBlock? = nil
    ) {
        (self.account, self.standings, self.owner, self.ownerBlock) = (account, standings, owner, ownerBlock)
    }

    /// The account that the check of an account is about; nil if there is none.
    package var subject: LedgerSubject? { (account ?? owner).map { LedgerSubject(.account, $0) } }

    /// The answer of the check of an account: the account is not blocked. Without a named account, that of the key counts.
    package func answer() throws(CheckFailure) -> PolicyAnswer {
        if let ownerBlock { throw CheckFailure(.accountBlocked, ownerBlock) }
        guard let account else { return .notRequired }
        if let block = standings.block(on: LedgerSubject(.account, account)) {
            throw CheckFailure(.accountBlocked, block)
        }
        return .passed
    }

    /// The answer of the check of an account that the policy may demand.
    ///
    /// - Parameter missing: the code if the policy demands an account and the caller names none.
    package func answer(_ binding: AccountBinding, missing: CheckCode) throws(CheckFailure) -> PolicyAnswer {
        guard binding != .required || account != nil else {
            throw CheckFailure(missing, "the policy says account: required, and the request names none")
        }
        return try answer()
    }

    /// The answer of the check of an account that is compared with that of a key, as far as the policy demands it.
    ///
    /// - Parameter unowned: the code of a key that was enrolled without an account.
    package func answer(
        _ binding: AccountBinding, of key: EnrolledKey?, missing: CheckCode, unowned: CheckCode
    ) throws(CheckFailure) -> PolicyAnswer {
        let answer = try answer(binding, missing: missing)
        guard binding != .none, let account, let key else { return answer }
        guard let owner = key.account else {
            guard binding != .required else {
                throw CheckFailure(
                    unowned, "the key was enrolled without an account; assay ledger move gives it to one")
            }
            return .notRequiredWithRemark(
                Finding(unowned, "the key was enrolled without an account, so that none is compared"))
        }
        guard owner.isByteEqual(to: account) else {
            throw CheckFailure(
                .keyOfAnotherAccount, "the key is enrolled for another account than the one that the request names")
        }
        return answer
    }

    /// That a key still belongs to the account when the ledger commits: an operator may move it meanwhile. Nil if the policy does not
    /// demand it.
    ///
    /// - Parameter check: the check that has compared the accounts.
    package func use(
        of key: EnrolledKey?, _ identifier: KeyIdentifier, app: String, _ binding: AccountBinding, _ modes: CheckModes,
        _ check: CheckID
    ) -> LedgerEffect? {
        guard binding != .none, key?.account != nil, let account, modes[check] == .enforce,
            !standings.contains(where: { $0.allowance?.checks.contains(check) == true })
        else { return nil }
        return LedgerEffect(check, .useKey(KeyUse(key: identifier, app: app, account: account)))
    }
}

extension [LedgerStanding] {
    package func block(on subject: LedgerSubject) -> LedgerBlock? {
        isEmpty ? nil : first { $0.subject == subject }?.block
    }
}

extension Ledger {
    /// Looks up the standings of an account and of further subjects.
    ///
    /// - Parameter subjects: evaluated only if the ledger may have standings, because it encodes names in base64.
    package func standings(
        ofAccount account: String?, and subjects: @autoclosure () -> [LedgerSubject], at now: Date
    ) async throws(LedgerOutage) -> AccountStandings {
        guard !isWithoutStandings else { return AccountStandings(account: account, standings: []) }
        let all = subjects() + (account.map { [LedgerSubject(.account, $0)] } ?? [])
        guard !all.isEmpty else { return .none }
        return AccountStandings(account: account, standings: try await standings(of: all, at: now))
    }
}

extension Ledger {
    /// Adds the account of the evidence's key, and the block on it, if the caller names no account.
    ///
    /// - Parameter key: the enrolled key; nil if there is none.
    package func standings(
        _ standings: AccountStandings, withOwnerOf key: EnrolledKey?, at now: Date
    ) async throws(LedgerOutage) -> AccountStandings {
        guard standings.account == nil, let owner = key?.account else { return standings }
        var block: LedgerBlock?
        if !isWithoutStandings {
            let subject = LedgerSubject(.account, owner)
            block = try await self.standings(of: [subject], at: now).block(on: subject)
        }
        return AccountStandings(account: nil, standings: standings.standings, owner: owner, ownerBlock: block)
    }

    /// Looks up the standings of an account and a key. The account that the key is enrolled for counts if the caller names none.
    package func standings(
        ofAccount account: String?, orOwnerOf key: KeyIdentifier?, at now: Date
    ) async throws(VerificationError) -> AccountStandings {
        if account != nil, isWithoutStandings { return AccountStandings(account: account, standings: []) }
        do {
            let named = try await standings(ofAccount: account, and: key.map { [$0.subject] } ?? [], at: now)
            guard account == nil, let key else { return named }
            return try await standings(named, withOwnerOf: enrolledKey(key), at: now)
        } catch {
            throw .outage(error)
        }
    }

    /// Looks up the key of a request, the block on it, and the standings of the account as above.
    package func use(
        of key: KeyIdentifier, account: String?, at now: Date
    ) async throws(VerificationError) -> (enrolled: EnrolledKey?, block: LedgerBlock?, standings: AccountStandings) {
        do {
            let named =
                isWithoutStandings
                ? AccountStandings(account: account, standings: [])
                : try await standings(ofAccount: account, and: [key.subject], at: now)
            let enrolled = try await enrolledKey(key)
            return (
                enrolled, named.standings.isEmpty ? nil : named.standings.block(on: key.subject),
                try await standings(named, withOwnerOf: enrolled, at: now)
            )
        } catch {
            throw .outage(error)
        }
    }
}

extension CheckDefinition {
    /// Declares the check of an account, with additional codes for an engine that binds keys to accounts.
    package static func account(
        _ id: CheckID, proves: String = "The account that the backend names for the request is not blocked.",
        stops: String = "Evidence of accounts that were found to do harm, from any device.",
        codes: [CheckCode] = []
    ) -> CheckDefinition {
        CheckDefinition(
            id, .policy(default: .enforce), proves: proves, stops: stops,
            lookAt: "`assay ledger show --account NAME`; whether the backend names the account of the right session.",
            source: "Assay, accounts of the backend", remedy: .contactSupport, codes: [.accountBlocked] + codes)
    }
}

extension CheckCode {
    /// An operator blocked the account.
    public static let accountBlocked = CheckCode(
        "account-blocked",
        "An operator blocked the account in the ledger: `assay ledger show --account NAME` has the reason.")
}
