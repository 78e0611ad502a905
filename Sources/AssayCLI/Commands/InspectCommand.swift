import ArgumentParser
import Assay
import AssayCore
import AssayInspection
import Foundation

/// `assay inspect`: detects and prints the structure of a blob.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Identifies a blob, and decodes it as far as possible.",
        discussion: """
            FILE may be anything: a record, an attestation, an assertion, a receipt, a token, a certificate or PEM \
            chain, an answer of Google's, JSON or a whole HTTP message with such a blob in it, as bytes or in base64 of \
            either alphabet. Without FILE, or with -, standard input is read:

              assay inspect attestation.b64
              pbpaste | assay inspect

            Nothing is verified and no key is needed. A line that begins with ! shows where strict decoding, as in \
            `assay verify`, stops. The end lists what cannot be known from the blob alone. Private keys are named but \
            never shown.

            With --policy, records are also verified, with a ledger that is empty at first. So are attestations with \
            their receipt, receipts, answers of Google, and tokens and signed requests of Approov, by their own content: \
            an acceptance shows that they are genuine, not that they belong to a request of yours. For other blobs use \
            `assay verify --kind`, which takes the missing values.

            Exit status: 0 decoded, also if broken or unknown; with --policy 0 all accepted, 1 at least one \
            rejected, 2 nothing that could be judged. 2 input or policy that cannot be read, 64 bad arguments.
            """)

    @Argument(help: "The blob, and - for standard input.", completion: .file())
    var file = "-"

    @Flag(help: "Print everything as one JSON object.")
    var json = false

    @Flag(help: "Print the bytes in hexadecimal, with the names beside them.")
    var hex = false

    @Flag(help: "Print long values, lists and byte strings to their end.")
    var full = false

    @Option(help: "Judge what can be judged under this policy.", completion: .file(extensions: ["yaml", "yml"]))
    var policy: String?

    @Option(help: "The policy's app; a record that names another is an error.")
    var app: String?

    @Option(
        help: ArgumentHelp("Judge as of this time (RFC 3339), not now.", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @Flag(help: "Judge each record as of its receivedAt.")
    var asCaptured = false

    func validate() throws {
        guard !json || !hex else { throw ValidationError("--json and --hex exclude each other") }
        guard at == nil || !asCaptured else { throw ValidationError("--at and --as-captured exclude each other") }
        for (option, isGiven) in [("--app", app != nil), ("--at", at != nil), ("--as-captured", asCaptured)] {
            guard policy != nil || !isGiven else { throw ValidationError("\(option) needs --policy") }
        }
    }

    func run() async throws {
        if file == "-", isatty(STDIN_FILENO) == 1 {
            Console.note("paste the blob, and end it with a new line and Ctrl-D")
        }
        let policy = try policy.map(PolicyArgument.read)
        let bytes = try InputFile.read(file, limit: InputLimits.record)
        let layer = EngineRegistry.current.inspector.inspect(bytes, name: InputFile.name(file))
        var judgement = policy.map {
            InspectionJudgement(
                policy: $0, app: app, time: asCaptured ? nil : at ?? Date(), file: file,
                report: VerdictReport(json ? .collected : .table, hasMemoryLedger: true))
        }
        if json {
            try await judgement?.judge(layer)
            try Console.print(InspectionJSON.text(layer, verdicts: judgement?.report.collected))
        } else {
            let terminal = Terminal(STDOUT_FILENO)
            let limits = full ? InspectionLimits.none : .standard
            let lines =
                hex
                ? HexView(terminal: terminal, limits: limits).lines(layer)
                : InspectionText(terminal: terminal, limits: limits).lines(layer)
            try Console.print(lines.joined(separator: "\n"))
            if judgement != nil { try Console.print("") }
            try await judgement?.judge(layer)
        }
        try judgement?.finish()
    }
}
