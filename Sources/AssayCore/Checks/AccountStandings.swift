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
        self.account = account
        self.standings = standings
        self.owner = owner
        self.ownerBlock = ownerBlock
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
}

extension [LedgerStanding] {
    /// The block on a subject.
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
