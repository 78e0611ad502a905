import ArgumentParser
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import AssayReplay
import Foundation

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Identifies a blob, and decodes it as far as possible.",
        discussion: """
            FILE may be anything: a record, an attestation, an assertion, a receipt, a token, a key, a certificate or PEM \
            chain, an answer of Google's, JSON or a whole HTTP message with such a blob in it, as bytes, in base64 of \
            either alphabet, in hexadecimal digits, as a dump of xxd, hexdump -C or od -tx1, and each of these compressed \
            with gzip. Encoded blobs are found in other text too, such as log lines, commands, YAML and lists of bytes as \
            languages print them. Several files are each headed by their name. Without FILE, or with -, standard input is read:

              assay inspect attestation.b64
              pbpaste | assay inspect

            A summary comes first: what it is, whose app, which system, key and device, when, and whether it is sound. \
            Nothing is verified and no key is needed. A line that begins with ! shows where strict decoding, as in \
            `assay verify`, stops. The end lists what cannot be known from the blob alone. Private keys are named but \
            never shown.

            With --policy, records are also verified, with a ledger that is empty at first. So are attestations with \
            their receipt, receipts, answers of Google, and tokens and signed requests of Approov, by their own content: \
            an acceptance shows that they are genuine, not that they belong to a request of yours. For other blobs use \
            `assay verify --kind`, which takes the missing values.

            Exit status: 0 decoded, also if broken or unknown; with --policy 0 all accepted, 1 at least one \
            rejected, 2 nothing that could be judged. 2 input or policy that cannot be read, 64 bad arguments, 74 the \
            output cannot be written. Of several files, the greatest wins.
            """)

    @Argument(help: "The blobs, and - for standard input.", completion: .file())
    var files = ["-"]

    @Flag(help: "Print everything as one JSON object per file.")
    var json = false

    @Flag(help: "Print the bytes in hexadecimal, with the names beside them.")
    var hex = false

    @Flag(help: "Print long values, lists and byte strings to their end.")
    var full = false

    @Option(help: "Verify what can be verified, under this policy.", completion: .yaml)
    var policy: String?

    @Option(help: "The name of an app of the policy; a record that names another is an error.")
    var app: String?

    @Option(
        help: ArgumentHelp("Judge as of this time (RFC 3339), not now.", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @Flag(help: "Judge each record as of its receivedAt.")
    var asCaptured = false

    func validate() throws {
        guard files.filter({ $0 == "-" }).count <= 1 else { throw ValidationError("standard input can be read once") }
        guard !json || !hex else { throw ValidationError("--json and --hex exclude each other") }
        guard at == nil || !asCaptured else { throw ValidationError("--at and --as-captured exclude each other") }
        for (option, isGiven) in [("--app", app != nil), ("--at", at != nil), ("--as-captured", asCaptured)] {
            guard policy != nil || !isGiven else { throw ValidationError("\(option) needs --policy") }
        }
    }

    func run() async throws {
        let verifier = try policy.map {
            Verifier(
                policy: try PolicyArgument.read($0), ledger: MemoryLedger(), engines: .current, use: .analysis)
        }
        var status = ExitStatus.success
        for (index, file) in files.enumerated() {
            do {
                try await inspect(file, isFirst: index == 0, verifier)
            } catch let failure as CommandFailure where [.rejected, .unreadable, .outage].contains(failure.status) {
                if let message = failure.message { Console.complain("error: \(message)") }
                status = max(status, failure.status)
            }
        }
        if status != .success { throw CommandFailure(status) }
    }

    private func inspect(_ file: String, isFirst: Bool, _ verifier: Verifier?) async throws {
        let terminal = Terminal(STDOUT_FILENO)
        let layer = try layer(of: file)
        var judgement = verifier.map {
            InspectionJudgement(
                verifier: $0, app: app, time: asCaptured ? nil : at ?? Date(), file: file,
                report: VerdictReport(json ? .collected : .table, hasMemoryLedger: true))
        }
        if json {
            try await judgement?.judge(layer)
            try Console.print(InspectionJSON.text(layer, verdicts: judgement?.report.collected))
        } else {
            if files.count > 1 {
                try Console.print((isFirst ? "" : "\n") + "==> \(terminal.printable(layer.name)) <==")
            }
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

    /// Reads and decodes a file, which may be compressed.
    private func layer(of file: String) throws(CommandFailure) -> InspectionLayer {
        if file == "-", isatty(STDIN_FILENO) == 1 {
            Console.note("paste the blob, and end it with a new line and Ctrl-D")
        }
        let inspector = EngineRegistry.current.inspector
        let name = InputFile.name(file)
        let bytes = try InputFile.read(file, limit: InputLimits.record, expected: Inspector.lookedFor)
        guard Gzip.isBeginning(of: bytes) else { return inspector.inspect(bytes, name: name) }
        guard let unpacked = Gzip.decompress(bytes, limit: InputLimits.record) else {
            throw CommandFailure(
                .unreadable, "\(name) decompresses to more than the \(InputLimits.record) bytes that are allowed")
        }
        guard let failure = unpacked.failure else {
            guard !unpacked.bytes.isEmpty else { throw CommandFailure(.unreadable, "\(name) decompresses to nothing") }
            return inspector.inspect(unpacked.bytes, name: name, encoding: "gzip")
        }
        // Bytes that only look like the start of gzip are inspected unchanged.
        guard !unpacked.bytes.isEmpty else { return inspector.inspect(bytes, name: name) }
        Console.note("\(name): \(failure.message); the \(unpacked.bytes.count) bytes before that are inspected")
        return inspector.inspect(unpacked.bytes, name: name, encoding: "gzip")
    }
}
