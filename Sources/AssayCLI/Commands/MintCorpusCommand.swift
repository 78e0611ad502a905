import ArgumentParser
import AssayMinting
import AssayTesting
import Foundation

/// `assay mint corpus`: makes a corpus to try policies with, and to test under load.
struct MintCorpusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract: "Makes the evidence of many devices over many days, with policies to replay it under.",
        discussion: """
            Writes corpus.ndjson in the order of reception, policy.yaml under which every record is judged as it expects, \
            stricter.yaml to compare it with, the test root and keys that both name, and a README.md.

            The devices behave as people do: they attest a key and make assertions at the hours of their owners, update \
            app by app, and reinstall; some of what they send is to be refused. With the same seed, time and options the \
            files are the same, byte for byte.
            """)

    @OptionGroup var options: MintOptions

    @Option(help: ArgumentHelp("How many devices there are.", valueName: "number"))
    var devices = 200

    @Option(help: ArgumentHelp("How many days, of which the last ends at --at.", valueName: "number"))
    var days = 14

    @Option(help: ArgumentHelp("How many requests a device makes on a day, on average.", valueName: "number"))
    var requestsPerDeviceDay: Double?

    @Option(
        help: ArgumentHelp("How many records there are, instead of how many requests.", valueName: "number"))
    var records: Int?

    @Option(
        help: ArgumentHelp("How many of the devices are of Apple's platforms.", valueName: "percentage"),
        transform: MintCorpusCommand.share)
    var iosShare: CorpusShare?

    @Option(
        help: ArgumentHelp(
            """
            How many of the records of a kind fail this check first, such as \
            app-attest.assertion.counter=0.5%; 0% for none. May be given several times; checks without one \
            fail in a usual share.
            """, valueName: "check=percentage"))
    var share: [String] = []

    @Flag(help: "Refuse nothing but what --share says.")
    var onlyGivenShares = false

    func validate() throws {
        guard records == nil || requestsPerDeviceDay == nil else {
            throw ValidationError("--records and --requests-per-device-day exclude each other")
        }
    }

    func run() async throws {
        let mint: CorpusMint
        do {
            let blueprint = try blueprint()
            try options.demandFolder()
            mint = try CorpusMint(blueprint)
        } catch let error as MintingError {
            throw CommandFailure(.usage, error.description)
        }
        let folder = try options.prepare(mint.files)
        let count = try await write(mint, to: folder.appendingPathComponent("corpus.ndjson"))
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print(terminal.printable("\(count) records in \(options.output)/corpus.ndjson"))
    }

    private func blueprint() throws(MintingError) -> CorpusBlueprint {
        var blueprint = CorpusBlueprint(seed: options.seed ?? UUID().uuidString, end: options.at ?? Date())
        blueprint.devices = devices
        blueprint.days = days
        blueprint.records = records
        if let requestsPerDeviceDay { blueprint.requestsPerDeviceDay = requestsPerDeviceDay }
        if let iosShare { blueprint.appleShare = iosShare }
        if onlyGivenShares { blueprint.shares = [:] }
        var given: Set<String> = []
        for text in share {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw MintingError("--share takes a check and a percentage, such as app-attest.assertion.counter=0.5%")
            }
            guard given.insert(String(parts[0])).inserted else {
                throw MintingError("--share is given twice for \(parts[0])")
            }
            blueprint.shares[String(parts[0])] = try CorpusShare(String(parts[1]))
        }
        return blueprint
    }

    private static func share(_ text: String) throws -> CorpusShare {
        do { return try CorpusShare(text) } catch { throw ValidationError(error.description) }
    }

    /// Writes the records as they are minted, and gives how many they are.
    private func write(_ corpus: CorpusMint, to url: URL) async throws -> Int {
        var mint = corpus
        var count = 0
        do {
            try Data().write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            while let lines = try await mint.nextLines() {
                try handle.write(contentsOf: Data(lines))
                count += lines.count { $0 == UInt8(ascii: "\n") }
            }
            try handle.close()
        } catch let error as MintingError {
            throw CommandFailure(.output, "the test evidence cannot be minted: \(error)")
        } catch {
            throw CommandFailure(.output, "\(options.output) cannot be written to: \(error.localizedDescription)")
        }
        return count
    }
}
