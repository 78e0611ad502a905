import ArgumentParser
import Assay
import AssayCore
import AssayTokens
import Foundation

struct PinsForceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "force",
        abstract: "Has all apps take over the present pins before they connect.",
        discussion: """
            For the case that a key of a server has leaked: change the pins, then force them. An app that receives the configuration \
            closes the connections that it has, and an app with an older one connects to no pinned host before it has taken over \
            the present one. An app that does not reach its backend goes on with what it has.

            Configurations have versions, which only grow. After a backup of the ledger was restored, apps may have a greater one, \
            and take over nothing; --above continues after it. `assay pins modes` prints the version of the ledger, and `assay inspect` \
            that of a configuration.

            Exit status: 0, 1 no app has a configuration, 3 an outage or no ledger, 64 bad arguments, or the answer was not yes.
            """)

    @Option(
        help: ArgumentHelp("A version that apps have: the present one becomes greater.", valueName: "version"))
    var above: Int64?

    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions

    func validate() throws {
        guard let above else { return }
        guard (0..<HeldConfiguration.largestVersion).contains(above) else {
            throw ValidationError(
                "--above takes a version, 0 to \(HeldConfiguration.largestVersion - 1), found \(above)")
        }
    }

    func run() async throws {
        try confirmation.require(
            "This keeps all apps from their servers until they have the present pins, as \(options.url.description) says"
        )
        let (now, former, author, place) = (Date(), above ?? 0, author.name, options.url.description)
        let version = try await options.url.withLedger(creating: false) { open in
            let pins = try await open.ledger.document(named: PinSet.documentName)?.revision ?? 0
            return try await LedgerRegister<AppConfigurationState>(in: open.ledger).change(at: now) {
                (state) throws(CommandFailure) in
                guard state.version > 0 || former > 0 else {
                    throw CommandFailure(
                        .rejected,
                        "nothing was changed: \(place) has no configuration; assay pins configuration makes it")
                }
                state.force(pins: pins, above: former)
                let entry = LedgerChange(
                    at: now, operatorName: author, action: .forcePins, subject: "pins",
                    detail: "version \(state.version)")
                return (state.version, [entry])
            }.get()
        }
        try Console.print(escaping: "apps must have version \(version) of their configuration before they connect")
    }
}
