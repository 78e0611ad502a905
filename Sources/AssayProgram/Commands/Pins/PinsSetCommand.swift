import ArgumentParser
import Assay

struct PinsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Replaces all domains and pins of the ledger by those of a file.",
        discussion: """
            Shows what changes, and asks the changed domains what they present. If one does not fit its new pins, a warning says \
            so; without a terminal, only --yes goes on. Then asks for confirmation. If another operator changes the pins \
            meanwhile, nothing is changed.

            Exit status: 0, 1 nothing was changed: a domain does not fit, or another change came first, 2 a file that cannot be \
            read, 3 an outage, 64 bad arguments, or the answer was not yes.
            """)

    @Argument(
        help: "The pins: a file like pins.json, or - for standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var change: PinChange

    func run() async throws {
        let new = try PinSet(file: file)
        var seen: PinSet?
        try await change.make { (set) throws(CommandFailure) in
            guard set == seen ?? set else {
                throw CommandFailure(
                    .rejected,
                    "nothing was changed: another operator has changed the pins meanwhile; see `pins list`, and repeat")
            }
            seen = set
            set = new
        }
    }
}
