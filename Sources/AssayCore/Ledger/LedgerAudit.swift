import AssayPrimitives
public import FoundationEssentials

/// A change of a ledger by an operator's hand, not by a verification, or the use of a debug token.
public struct LedgerChange: Sendable, Equatable {
    /// What was changed.
    @nonexhaustive
    public enum Action: String, Sendable, CaseIterable {
        /// A subject was blocked.
        case block
        /// Failures of some policy checks were allowed for a subject.
        case allow
        /// The block or the allowance of a subject was removed.
        case unblock
        /// An enrolled key was moved to another account.
        case moveKey = "move-key"
        /// A key of the key store was added.
        case addKey = "add-key"
        /// A key of the key store was retired.
        case retireKey = "retire-key"
        /// A key of the key store was sealed under another master key.
        case resealKey = "reseal-key"
        /// A key of the key store was removed.
        case removeKey = "remove-key"
        /// An operator of a service was added.
        case addOperator = "add-operator"
        /// The token of an operator was revoked.
        case revokeOperator = "revoke-operator"
        /// A debug token of the policy was exchanged for a token.
        case useDebugToken = "use-debug-token"
        /// A server brought another policy into force.
        case changePolicy = "change-policy"
        /// The pins of a domain were changed.
        case changePins = "change-pins"
        /// All apps were to take over the present pins before they connect.
        case forcePins = "force-pins"
        /// A device was to use no pins, or to connect to nothing, for a time; or that was ended.
        case setPinMode = "set-pin-mode"
        /// The enforcement of an app was switched while a server ran.
        case switchEnforcement = "switch-enforcement"
        /// The ledger was put in quarantine, or its quarantine was ended.
        case quarantine
        /// A build of an app was admitted, or its admission was renewed.
        case admitBuild = "admit-build"
        /// The admission of a build was removed.
        case removeBuild = "remove-build"
    }

    /// When, rounded to milliseconds.
    public let at: Date
    /// The operator; empty if the change names none.
    public let operatorName: String
    /// What was changed.
    public let action: Action
    /// The kind and the name of what was changed, such as `device AbC=`.
    public let subject: String
    /// The reason and the terms of the change, in words.
    public let detail: String

    /// Describes a change.
    public init(at: Date, operatorName: String?, action: Action, subject: String, detail: String) {
        // By way of the stored microseconds: the entry of a stored row is the same as that of the row before it was stored.
        self.at = Date(timeIntervalSince1970: (Double(at.microseconds) / 1000).rounded() / 1000)
        self.operatorName = operatorName ?? ""
        (self.action, self.subject, self.detail) = (action, subject, detail)
    }

    /// The change that sets a block or an allowance.
    public init(setting standing: LedgerStanding) {
        let (action, checks): (Action, [CheckID]) =
            switch standing {
            case .blocked: (.block, [])
            case .allowed(let allowance): (.allow, allowance.checks)
            }
        let scope = checks.isEmpty ? "" : "checks \(checks.map(\.name).joined(separator: ", ")); "
        let end = standing.until.map { "until \(Self.text(of: $0))" } ?? "without an end"
        self.init(
            at: standing.since, operatorName: standing.setBy, action: action, subject: standing.subject.description,
            detail: "\(scope)\(end): \(standing.reason)")
    }

    /// The change that removes a block or an allowance.
    public init(removing standing: LedgerStanding, by operatorName: String?, at now: Date) {
        self.init(
            at: now, operatorName: operatorName, action: .unblock, subject: standing.subject.description,
            detail: "it was \(standing.block == nil ? "allowed" : "blocked"): \(standing.reason)")
    }

    /// The change that puts the ledger in quarantine until a time; one that is not later than `now` ends its quarantine.
    public init(quarantineUntil end: Date, by operatorName: String?, at now: Date) {
        self.init(
            at: now, operatorName: operatorName, action: .quarantine, subject: "ledger",
            detail: end > now ? "until \(Self.text(of: end))" : "ended")
    }

    /// The change that moves an enrolled key to another account, or removes its account.
    public init(moving key: EnrolledKey, to account: String?, by operatorName: String?, at now: Date) {
        func name(_ account: String?) -> String { account.map { "account \($0)" } ?? "no account" }
        self.init(
            at: now, operatorName: operatorName, action: .moveKey, subject: key.identifier.subject.description,
            detail: "from \(name(key.account)) to \(name(account))")
    }

    /// The change that adds an operator of a service.
    ///
    /// - Parameter tokenHash: SHA-256 of the token. Its first 16 bytes are in the detail, so that another token under this name is
    ///   noticed. Nobody can find a token by its hash: a token has 256 random bits.
    public init(adding new: LedgerOperator, tokenHash: [UInt8]) {
        self.init(
            at: new.addedAt, operatorName: new.addedBy, action: .addOperator, subject: "operator \(new.name)",
            detail: "role \(new.role.rawValue), until \(Self.text(of: new.until)), "
                + "token hash \(Array(tokenHash.prefix(16)).hexadecimal)")
    }

    /// The exchange of a debug token for a token, with which a caller asked.
    package init(usingDebugToken name: String, app: String, audience: String, by operatorName: String?, at now: Date) {
        self.init(
            at: now, operatorName: operatorName, action: .useDebugToken, subject: "debug-token \(name)",
            detail: "app \(app), audience \(audience)")
    }

    /// The change that revokes an operator of a service.
    ///
    /// - Parameter ancestor: the operator with whom it is revoked as a descendant; nil if it is revoked by its own name.
    public init(
        revoking stored: LedgerOperator, asDescendantOf ancestor: String? = nil, by operatorName: String?, at now: Date
    ) {
        let reason = ancestor.map { "; revoked with operator \($0), as one of its descendants" } ?? ""
        self.init(
            at: now, operatorName: operatorName, action: .revokeOperator, subject: "operator \(stored.name)",
            detail: "it had the role \(stored.role.rawValue) until \(Self.text(of: stored.until))\(reason)")
    }

    /// A time as the ledger stores it.
    private static func text(of time: Date) -> String { RFC3339.format(Date(microseconds: time.microseconds)) }
}

/// An entry of a ledger's audit trail: a change by hand, in a chain of hashes.
///
/// A durable ledger appends the entry in the transaction of the change, and never changes or deletes one. The hash of
/// an entry covers the hash of the previous entry. Keep a hash outside the ledger: it reveals every change of the
/// entries up to it, and their removal. Without such a copy, the removal of the last entries goes unnoticed.
public struct LedgerAuditEntry: Sendable, Equatable {
    /// The position in the trail, from 1 on without gaps.
    public let number: Int
    /// The change.
    public let change: LedgerChange
    /// The hash of the previous entry; 32 zeros for the first one. Empty in an ephemeral ledger.
    public let previousHash: [UInt8]
    /// SHA-256 of ``text`` in UTF-8. Empty in an ephemeral ledger.
    public let hash: [UInt8]

    /// The hash before the first entry.
    public static let noHash = [UInt8](repeating: 0, count: 32)

    /// Describes an entry.
    public init(number: Int, change: LedgerChange, previousHash: [UInt8], hash: [UInt8]) {
        (self.number, self.change, self.previousHash, self.hash) = (number, change, previousHash, hash)
    }

    /// What the hash covers: a JSON object (RFC 8259) without white space, its fields `number`, `at` (RFC 3339),
    /// `operator`, `action`, `subject`, `detail` and `previous` (hexadecimal, in lower case) in this order.
    public var text: String {
        let fields: [(String, RecordValue.Content)] = [
            ("number", .number("\(number)")), ("at", .text(RFC3339.format(change.at))),
            ("operator", .text(change.operatorName)), ("action", .text(change.action.rawValue)),
            ("subject", .text(change.subject)), ("detail", .text(change.detail)),
            ("previous", .text(previousHash.hexadecimal)),
        ]
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(fields)), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
