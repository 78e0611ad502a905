import ArgumentParser
import Assay
import AssayCore
import Foundation

struct LedgerBlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Blocks a key, a device, an account or an issuer.",
        discussion: """
            Replaces an existing block or allowance. A block on a key is enforced: its enrolment and \
            its assertions are rejected. Blocks on devices and issuers apply if the evidence names one and the policy \
            enforces its check; blocks on accounts, if the backend names the account with the evidence. Without --for and \
            --until a block has no end.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("The reason, which verdicts on the subject show.", valueName: "text"))
    var reason: String

    @OptionGroup var end: StandingEndOptions
    @OptionGroup var change: LedgerChangeOptions
    @OptionGroup var creation: CreateLedgerOption

    func validate() throws {
        try subject.validate(reason: reason)
    }

    func run() async throws {
        subject.noteUnlikelyName()
        let now = Date()
        let block = LedgerBlock(
            subject: subject.subject, reason: reason, since: now, until: end.time(from: now, standard: nil),
            setBy: change.author.name)
        try change.confirm("This blocks \(block.subject) in \(change.url.description)")
        try await Self.set(block, in: change.url, creating: creation.createLedger)
    }

    /// Sets a block, and prints it with what it replaces.
    static func set(_ block: LedgerBlock, in url: LedgerURL, creating: Bool) async throws {
        let before = try await url.withLedger(creating: creating) { open in
            let before = try await open.ledger.standings(of: [block.subject], at: block.since).first
            try await open.ledger.block(block)
            return before
        }
        try Console.print(escaping: "\(block.subject): \(block.sentence)")
        if let before { try Console.print(escaping: "it replaces: \(before.sentence)") }
    }
}

struct LedgerAllowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Allows a key, a device or an account what some policy checks refuse.",
        discussion: """
            For development and penetration tests. While the allowance is in force, failures of the named policy checks are \
            annotated instead of enforced. Evidence that is not authentic stays rejected, and so does a blocked subject: no \
            gate and no block is excused. Without --check an allowance of a device excuses \
            \(LedgerAllowance.deviceChecks[0].name). It ends after 30 days unless --for or --until says otherwise.

            `assay ledger disallow` removes the allowance.

            Exit status: 0, 1 when the subject is blocked, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(
        name: .customLong("check"),
        help: ArgumentHelp("A policy check to excuse; it can be given several times.", valueName: "name"))
    var checks: [String] = []

    @Option(help: ArgumentHelp("The reason of the allowance.", valueName: "text"))
    var reason: String

    @OptionGroup var end: StandingEndOptions
    @OptionGroup var change: LedgerChangeOptions
    @OptionGroup var creation: CreateLedgerOption

    func validate() throws {
        try subject.validate(reason: reason)
        guard subject.subject.kind != .issuer else {
            throw ValidationError("an issuer cannot be allowed: name it in the policy")
        }
        _ = try excused()
    }

    /// The checks to excuse, each a policy check of an engine.
    private func excused() throws -> [CheckID] {
        do {
            return try LedgerAllowance.checks(named: checks, of: subject.subject.kind, among: .current)
        } catch {
            throw ValidationError(error.message(for: "--check"))
        }
    }

    func run() async throws {
        subject.noteUnlikelyName()
        let now = Date()
        let allowance = LedgerAllowance(
            subject: subject.subject, checks: try excused(), reason: reason, since: now,
            until: end.time(from: now, standard: LedgerAllowance.standardLifetime), setBy: change.author.name)
        let names = allowance.checks.map(\.name).joined(separator: ", ")
        try change.confirm("This excuses failures of \(names) for \(allowance.subject) in \(change.url.description)")
        let before = try await change.url.withLedger(creating: creation.createLedger) { open in
            let before = try await open.ledger.standings(of: [allowance.subject], at: now).first
            guard let block = try await open.ledger.allow(allowance) else { return before }
            throw CommandFailure(
                .rejected,
                "\(block.sentence). Run assay ledger unblock first: a subject has a block or an allowance, not both"
            )
        }
        try Console.print(escaping: "\(allowance.subject): \(allowance.sentence)")
        try Console.print(escaping: "excused: \(names)")
        if let before { try Console.print(escaping: "it replaces: \(before.sentence)") }
    }
}

struct LedgerUnblockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock",
        abstract: "Removes the block of a key, a device, an account or an issuer.",
        discussion: """
            An allowance stays: `assay ledger disallow` removes it.

            Exit status: 0, 1 when there was no block, 3 an outage or no ledger.
            """)

    @OptionGroup var removal: StandingRemoval

    func run() async throws { try await removal.run(.block) }
}

struct LedgerDisallowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disallow",
        abstract: "Removes the allowance of a key, a device or an account.",
        discussion: """
            A block stays: `assay ledger unblock` removes it.

            Exit status: 0, 1 when there was no allowance, 3 an outage or no ledger.
            """)

    @OptionGroup var removal: StandingRemoval

    func run() async throws { try await removal.run(.allowance) }
}

/// The options of the commands that remove a block or an allowance.
struct StandingRemoval: ParsableArguments {
    @OptionGroup var subject: SubjectOptions
    @OptionGroup var change: LedgerChangeOptions

    /// Removes the standing of the subject if it is of a kind; otherwise fails, and says what there is.
    func run(_ kind: LedgerStanding.Kind) async throws {
        let subject = subject.subject
        try change.confirm("This removes the \(kind.rawValue) of \(subject) in \(change.url.description)")
        try await change.url.withLedger(creating: false) { open in
            let now = Date()
            let present = try await open.ledger.standings(of: [subject], at: now).first
            if let present, present.kind != kind {
                throw CommandFailure(
                    .rejected,
                    "there was no \(kind.rawValue) of \(subject): \(present.sentence); `assay ledger "
                        + "\(kind == .block ? "disallow" : "unblock")` removes that")
            }
            guard present != nil,
                try await open.ledger.removeStanding(of: subject, only: kind, by: change.author.name, at: now) != nil
            else { throw CommandFailure(.rejected, "there was no block of \(subject), and no allowance in force") }
        }
        try Console.print(
            escaping: kind == .block
                ? "\(subject) is no longer blocked" : "\(subject) is no longer allowed what policy refuses")
    }
}

/// Options that select the subject of a block or an allowance.
struct SubjectOptions: ParsableArguments {
    // Base64url may begin with a hyphen. Names are not unconditional: with an unset variable of a shell, the next option would be one.
    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("A key ID, base64 of either alphabet.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyID: [UInt8]?

    @OptionGroup var named: NamedSubjectOptions

    func validate() throws {
        guard (keyID == nil ? 0 : 1) + named.given.count == 1 else {
            throw ValidationError("exactly one of --key-id, --device, --account and --issuer is needed")
        }
    }

    /// Throws for a subject that can have no standing, or a standing without a reason.
    func validate(reason: String) throws {
        guard !reason.isEmpty else { throw ValidationError("--reason needs a text") }
        for given in named.given {
            if let objection = given.objectionToName { throw ValidationError(objection) }
        }
    }

    /// Warns about a device ID in an unlikely form: a block on a mistyped ID has no effect.
    func noteUnlikelyName() {
        let forms = EngineRegistry.standard.deviceIDs
        guard let device = named.device, !forms.contains(where: { $0.isValid(device) }) else { return }
        let descriptions = forms.map(\.description).joined(separator: "; nor ")
        Console.note(
            "\(device.excerpt) is no device ID \(descriptions); it holds only for evidence that names a device just so")
    }

    /// The selected subject.
    var subject: LedgerSubject {
        if let keyID { return LedgerSubject(keyID: keyID) }
        return named.given.first ?? LedgerSubject(.account, "")
    }

    /// Decodes a key ID of 32 bytes from base64.
    static func keyID(_ text: String) throws -> [UInt8] {
        let bytes = try ValueArgument.base64(text)
        guard bytes.count == 32 else { throw ValidationError("a key ID has 32 bytes, found \(bytes.count)") }
        return bytes
    }
}

struct NamedSubjectOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A device ID, as in the evidence.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("The name of an account in the backend.", valueName: "name"))
    var account: String?

    @Option(help: ArgumentHelp("The issuer of tokens, as in their claim iss.", valueName: "name"))
    var issuer: String?

    func validate() throws {
        guard given.allSatisfy({ !$0.name.isEmpty }) else {
            throw ValidationError("a device, an account or an issuer has a name")
        }
    }

    /// The subjects given by these options.
    var given: [LedgerSubject] {
        [
            device.map { LedgerSubject(.device, $0) }, account.map { LedgerSubject(.account, $0) },
            issuer.map { LedgerSubject(.issuer, $0) },
        ].compactMap { $0 }
    }
}

/// The end of a block or an allowance.
struct StandingEndOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("When it ends (RFC 3339), or never.", valueName: "time"), transform: StandingEnd.init)
    var until: StandingEnd?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The duration, such as 12h, 3d12h or 1y.", valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    func validate() throws {
        guard until == nil || duration == nil else { throw ValidationError("--until and --for exclude each other") }
        guard case .at(let time) = until else { return }
        guard time > Date() else { throw ValidationError("--until has passed already") }
    }

    /// The end; nil for no end.
    ///
    /// - Parameter standard: the default duration in seconds; nil for no end.
    func time(from now: Date, standard: Double?) -> Date? {
        switch until {
        case .at(let time): time
        case .never: nil
        case nil: (duration ?? standard).map(now.addingTimeInterval)
        }
    }
}

/// The value of `--until`.
enum StandingEnd {
    case never
    case at(Date)

    init(_ text: String) throws { self = text == "never" ? .never : .at(try TimeArgument.time(text)) }
}
