import ArgumentParser
import AssayCore
import AssayTesting
import Foundation

/// The options for evidence of a test device.
struct TestDeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file that `assay mint ... device` made.", valueName: "file"), completion: .file())
    var device: String

    @Option(help: ArgumentHelp("The app of the policy, for the record; none without it.", valueName: "name"))
    var app: String?

    @Option(
        help: ArgumentHelp("When it is made (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    /// The time, in whole seconds.
    var time: Date { Date(timeIntervalSince1970: (at ?? Date()).timeIntervalSince1970.rounded(.down)) }

    func read() throws -> TestDevice { try TestDevice(path: device) }

    /// Prints a record on one line.
    func print(_ record: EvidenceRecord) throws { try Console.print(record.jsonLine) }

    /// Runs `body` and converts its error to one about the arguments.
    static func minting<Minted>(_ body: () throws(MintingError) -> Minted) throws(CommandFailure) -> Minted {
        do { return try body() } catch { throw CommandFailure(.usage, "the evidence cannot be made: \(error)") }
    }
}
