import ArgumentParser
import AssayCore
import AssayPrimitives
import Foundation

struct LedgerQuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "After a backup was restored: refuses evidence without one of the ledger's challenges for a time.",
        discussion: """
            A restored ledger does not know what was used after the backup. Run this before the services start again. It removes the \
            challenges that were not consumed, and until the end, evidence without a challenge of this ledger is an outage \
            (quarantine, HTTP 503): assertions, enrolments, signed requests and tokens that count once. Evidence with a challenge \
            that the ledger issues from now on is judged as ever. Running services learn it within a second.

            Choose an end at which everything used after the backup is too old for the policy: the longest maximumAge and clock skew. \
            Assertions without a challenge and without a time of their own never become too old: block or enrol their keys anew. \
            Blocks, allowances and operators that were changed after the backup are to be changed again.

            A quarantine is made longer by another call, and shorter only by --end.

            Exit status: 0, 1 for --end when there is no quarantine, 3 an outage or no ledger, 64 an end before that of the quarantine.
            """)

    @Option(help: ArgumentHelp("When it ends (RFC 3339).", valueName: "time"), transform: StandingEnd.init)
    var until: StandingEnd?

    @Option(
        name: .customLong("for"), help: ArgumentHelp("The duration, such as 12h or 3d.", valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    @Flag(help: "End the quarantine now.")
    var end = false

    @OptionGroup var author: OperatorOption
    @OptionGroup var options: LedgerOptions

    func validate() throws {
        guard (until == nil ? 0 : 1) + (duration == nil ? 0 : 1) + (end ? 1 : 0) == 1 else {
            throw ValidationError("exactly one of --for, --until and --end is needed")
        }
        guard let until else { return }
        guard case .at(let time) = until, time > Date() else {
            throw ValidationError("--until takes a time that has not passed: a quarantine has an end")
        }
    }

    func run() async throws {
        let now = Date()
        var time = now
        if let duration { time = now + duration }
        if case .at(let given) = until { time = given }
        let end = time
        let place = options.url.description
        try await options.url.withLedger(creating: false) { open in
            let former = try await open.ledger.quarantineEnd().flatMap { $0 > now ? $0 : nil }
            if self.end, former == nil { throw CommandFailure(.rejected, "\(place) is in no quarantine") }
            if !self.end, let former, former > end {
                throw CommandFailure(
                    .usage,
                    "\(place) is in quarantine until \(RFC3339.format(former)), which is later: end that with --end first"
                )
            }
            try await open.ledger.quarantine(until: end, by: author.name, at: now)
        }
        try Console.print(
            escaping: end > now
                ? "\(place) is in quarantine until \(RFC3339.format(end))" : "\(place) is in quarantine no more")
    }
}
