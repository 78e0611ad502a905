import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import Foundation

struct OperatorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operators",
        abstract: "Adds, lists and revokes the operators of a service, each with a token.",
        discussion: """
            An operator sends its token to the service in the header "Authorization: Bearer TOKEN". By role, an operator may:

              caller    issue challenges and have evidence judged: for backends
              pipeline  admit builds, and nothing else: for pipelines that build apps
              viewer    read the ledger, the policy, the names of keys and the audit trail
              operator  read, admit and remove builds, block, allow and unblock subjects, move keys between accounts, retire keys
              admin     everything

            A ledger has no operator until one is added. It stores the SHA-256 hash of each token and never the token.
            """,
        subcommands: [OperatorsAddCommand.self, OperatorsListCommand.self, OperatorsRevokeCommand.self])
}

struct OperatorsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds an operator, and prints its token once.",
        discussion: """
            Standard output is the token alone: assay_ and 43 characters of base64url. It cannot be printed again. Write it to \
            a file that only its bearer can read:

              (umask 077; assay operators add shop --role caller >shop.token)

            To renew a token without a gap, add an operator of another name, give its token to the bearer, and revoke the old \
            one. A ledger that does not exist is created.

            Exit status: 0, 1 when an active operator has this name, 3 an outage.
            """)

    @Argument(help: "The name of the operator, which the audit trail shows. 1 to 255 bytes.")
    var name: String

    @Option(
        help: "What the operator may do: \(OperatorsAddCommand.roles.joined(separator: ", ")).",
        completion: .list(OperatorsAddCommand.roles), transform: OperatorsAddCommand.role)
    var role: OperatorRole

    @Option(
        help: ArgumentHelp("When the token ends (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var until: Date?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long the token counts, such as 12h, 90d or 1y. (default: \(OperatorsAddCommand.standardDays)d)",
            valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    @OptionGroup var author: OperatorOption
    @OptionGroup var options: LedgerOptions

    private static let roles = OperatorRole.allCases.map(\.rawValue)
    /// The lifetime of a token without --until and --for, in days.
    private static let standardDays = Int(LedgerRules.operatorLifetime / 86_400)

    func validate() throws {
        if let objection = LedgerRules.objection(toOperatorName: name) {
            throw ValidationError("no operator can have this name: \(objection)")
        }
        guard until == nil || duration == nil else { throw ValidationError("--until and --for exclude each other") }
        guard until.map({ $0 > Date() }) ?? true else { throw ValidationError("--until has passed already") }
    }

    func run() async throws {
        let now = Date()
        let token = OperatorToken.random()
        let added = LedgerOperator(
            name: name, role: role, addedAt: now, addedBy: author.name,
            until: until ?? now.addingTimeInterval(duration ?? LedgerRules.operatorLifetime))
        try await options.url.withLedger(creating: true) { open in
            if let refusal = try await open.ledger.addOperator(added, tokenHash: token.hash) {
                throw CommandFailure(.rejected, refusal.description)
            }
        }
        do throws(CommandFailure) {
            try Console.print(token.text)
        } catch {
            Console.note("operator \(name) was added, and its token is lost; revoke it and add it again")
            throw error
        }
        Console.note(
            "this is the token of operator \(name), role \(role.rawValue), until \(RFC3339.format(added.until)); it is a "
                + "secret, and cannot be printed again")
    }

    private static func role(_ text: String) throws -> OperatorRole {
        guard let role = OperatorRole(rawValue: text) else {
            throw ValidationError(
                "allowed are \(roles.joined(separator: ", "))\(Nearest.advice(for: text, among: roles))")
        }
        return role
    }
}

struct OperatorsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the operators whose tokens count, without anything secret.",
        discussion: """
            The objects of --json have the fields name, role, addedAt, addedBy if known, until, revokedAt and revokedBy if it \
            was revoked, and state: live, ended or revoked.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @Flag(help: "List also those that have ended or are revoked.")
    var all = false

    @Flag(help: "Print one JSON object per operator.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let stored = try await options.url.operators()
        let now = Date()
        let operators = stored.filter { all || $0.state(at: now) == .live }
        if json { return try operators.forEach { try Console.print($0.json(at: now)) } }
        guard !operators.isEmpty else {
            let others = stored.isEmpty ? "" : "; --all lists \(stored.count) that ended or were revoked"
            return Console.note("\(options.url.description) has no \(all ? "" : "active ")operators\(others)")
        }
        let rows =
            [["name", "role", "until", "state", "added", "by"]] + operators.map { $0.cells(at: now) }
        try Console.print(table: rows)
    }
}

struct OperatorsRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes the token of an operator: it no longer counts from the next request on.",
        discussion: """
            A revocation cannot be taken back. The name can be used again for a new operator with a new token.

            A thief of an admin's token may have added operators with it, whose tokens go on counting. --with-descendants \
            also revokes every operator that this one added, those that they added, and so on, by the names in the column "by" of \
            `assay operators list`. It finds them also if the operator itself was revoked before.

            Exit status: 0, 1 when there is no operator to revoke: none of this name, or one that is revoked, 3 an outage or no ledger.
            """)

    @Argument(help: "The name of the operator.")
    var name: String

    @Flag(help: "Also revoke the operators that it added, those that they added, and so on.")
    var withDescendants = false

    @OptionGroup var change: LedgerChangeOptions

    func run() async throws {
        let url = change.url
        let others = withDescendants ? " and of all operators that it added" : ""
        try change.confirm("This revokes the token of operator \(name)\(others) in \(url.description)")
        let now = Date()
        let revoked = try await url.withLedger(creating: false) { open in
            return try await open.ledger.revokeOperator(
                named: name, withDescendants: withDescendants, by: change.author.name, at: now)
        }
        guard !revoked.isEmpty else {
            let stored = try await url.operators()
            let live = stored.filter { $0.state(at: now) == .live }.map(\.name)
            let isKnown = stored.contains { $0.name.isByteEqual(to: name) }
            throw CommandFailure(
                .rejected,
                isKnown
                    ? "operator \(name.excerpt) was revoked before"
                        + (withDescendants ? ", and so was every operator that it added" : "")
                    : "\(url.description) has no operator \(name.excerpt)\(Nearest.advice(for: name, among: live))")
        }
        for stored in revoked {
            let end = stored.state(at: now) == .ended ? "; it had ended at \(RFC3339.format(stored.until))" : ""
            try Console.print(escaping: "operator \(stored.name), role \(stored.role.rawValue), is revoked\(end)")
        }
    }
}

extension LedgerURL {
    /// The operators of the ledger, in any state.
    fileprivate func operators() async throws -> [LedgerOperator] {
        try await withLedger(creating: false) { open in
            return try await open.ledger.operators()
        }
    }
}

extension LedgerOperator {
    fileprivate func cells(at now: Date) -> [String] {
        [
            name, role.rawValue, RFC3339.format(until), stateText(at: now), RFC3339.format(addedAt), addedBy ?? "-",
        ]
    }

    private func stateText(at now: Date) -> String {
        let time = revokedAt.map { " at \(RFC3339.format($0))" } ?? ""
        let author = revokedBy.map { " by \($0)" } ?? ""
        return state(at: now).rawValue + time + author
    }
}
