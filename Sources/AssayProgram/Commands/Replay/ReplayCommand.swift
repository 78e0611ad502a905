import ArgumentParser
import AssayCore
import AssayPlatforms
import AssayReplay
import Foundation

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Verifies captured evidence in bulk, and compares policies.",
        discussion: """
            CORPUS is a file of records, a folder with *.json, *.ndjson and *.jsonl in it, each also with .gz or .zst, or \
            - for standard input. Each record is judged as of its receivedAt, with a ledger that begins empty and ends with \
            the replay: attestations enrol their keys and counters advance, in the order of the corpus. A challenge counts \
            as issued at its first use, because the ledger that issued it is not available.

              assay replay captures/ --policy policy.yaml
              assay replay captures/ --policy policy.yaml --rejected
              assay replay captures/ --against stricter.yaml --report report.html
              assay replay captures/ --json | jq -c 'select(.outcome == "reject")'

            Without --policy, the policy of a file is the policy.yaml nearest to it: in its folder, or in one above it up \
            to CORPUS. --against judges each record under a second policy as well, with a ledger of its own. Keys that were \
            enrolled before stay enrolled there, also where the second policy refuses their attestation: a device does not \
            attest again when a rule changes. With --enrol-anew every device must; a request that then falls because the \
            attestation of its key was refused counts under the check that refused it.

            A record whose expect differs from its verdict is a mismatch. Records that cannot be read or judged are \
            reported on standard error, the first ten of each file, and stop the replay only with --strict.

            Exit status: 0 done, whether accepted or rejected, 1 a verdict that its record does not expect, 2 something \
            that could not be read or judged, under either policy, 3 an outage of the ledger or the key store, 64 bad \
            arguments, 74 the output cannot be written, 130 interrupted. The greatest wins. An interrupted replay, or one \
            that an outage or a failed write ends, still writes the summary and the report of what it has judged.
            """)

    @Argument(help: "Files, folders, and - for standard input.", completion: .file())
    var corpus: [String]

    @Flag(help: "Every line is a record, even if a file begins like a JSON document; a file may be empty.")
    var lines = false

    @Flag(
        help:
            "The input is a part of a file, such as that of a worker: the number at the end of sealed records is not compared."
    )
    var part = false

    @OptionGroup(title: "Judging") var judging: ReplayJudgingOptions
    @OptionGroup(title: "Output") var output: ReplayOutputOptions

    func validate() throws {
        guard judging.policy != nil || corpus.contains(where: { $0 != "-" }) else {
            throw ValidationError("standard input has no policy.yaml beside it; give --policy")
        }
        guard judging.against != nil || !output.changed else {
            throw ValidationError("--changed needs --against, the policy to compare with")
        }
        guard judging.against != nil || !judging.enrolAnew else {
            throw ValidationError("--enrol-anew needs --against, the policy under which devices enrol")
        }
    }

    func run() async throws {
        // Otherwise a misspelt path would look like a record that cannot be judged.
        let missing = corpus.filter { $0 != "-" && access($0, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno) }
        guard missing.isEmpty else {
            throw CommandFailure(
                .unreadable, "\(missing.joined(separator: ", ")): there is no such file or folder; nothing was judged")
        }
        let policies = try judging.readPolicies()
        try await judging.withLedger { base in try await replay(policies, on: base) }
    }

    private func replay(_ policies: ReplayPolicies, on base: OpenLedger?) async throws {
        var options = try await judging.options(on: base, corpus: corpus)
        let status: AttestationStatusClient?
        if judging.statusList == .service || judging.againstStatusList == .service {
            status = try judging.statusServer.connection(sharing: base?.ledger ?? MemoryLedger())
        } else {
            status = nil
        }
        if let status, judging.statusList == .service { options.services.append(status) }
        if let status, judging.againstStatusList == .service { options.againstServices?.append(status) }
        options.isMeasured = output.measure
        options.stopsAtFailure = output.strict
        var reading = CorpusOptions()
        reading.isLines = lines
        reading.isPart = part
        let session = ReplaySession(
            replay: Replay(policies, options), reading: reading, output: output, policyName: judging.policyName,
            againstName: judging.against ?? "the other policy")
        try await finishing(with: { await status?.shutdown() }) { try await session.run(corpus) }
    }
}

/// Options for policies, ledger and keys of a replay.
struct ReplayJudgingOptions: ParsableArguments {
    /// Which challenges count as issued.
    enum Challenges: String, ExpressibleByArgument, CaseIterable {
        case presumed
        case none
    }

    @Option(
        help: "The policy. (default: the policy.yaml nearest to each file)",
        completion: .yaml)
    var policy: String?

    @Flag(help: "Where a policy.yaml is beside a file or above it, use that and not --policy.")
    var nearestPolicy = false

    @Option(
        help: ArgumentHelp("Compare with this policy.", valueName: "policy"),
        completion: .yaml)
    var against: String?

    @Flag(help: "Judge each record as of its receivedAt, which is the default.")
    var asCaptured = false

    @Option(
        help: ArgumentHelp("Judge as of this time (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var at: Date?

    @Flag(help: "Judge as of now.")
    var now = false

    @Option(help: "Which challenges count as issued: each at its first use, or none.")
    var challenges = Challenges.presumed

    @Option(
        help: ArgumentHelp(
            "Begin with the keys and blocks of this ledger, which stay as they are: \(LedgerURL.durableForm).",
            valueName: "url"),
        completion: .durableLedger, transform: { try LedgerURL($0) })
    var ledger: LedgerURL?

    @OptionGroup var masterKey: MasterKeyOption

    @Flag(help: "Begin a new ledger with each file, as test vectors demand.")
    var ledgerPerFile = false

    @Option(
        help: ArgumentHelp("Open sealed records with this key: file:PATH or env:NAME.", valueName: "source"),
        completion: .source)
    var captureKey: String?

    @Option(
        help: ArgumentHelp(
            "Judge Android's key attestations by this list of revoked certificates: \(StatusListChoice.forms).",
            valueName: "source"),
        transform: { try StatusListChoice($0) })
    var statusList: StatusListChoice?

    @Option(
        help: ArgumentHelp(
            "The same for --against, such as today's list for tomorrow's policy. (default: that of --status-list)",
            valueName: "source"),
        transform: { try StatusListChoice($0) })
    var againstStatusList: StatusListChoice?

    @OptionGroup var statusServer: StatusListServerOption

    @Flag(help: "Judge by --against as if every device had to enrol anew: no key is kept, not even one of --ledger.")
    var enrolAnew = false

    @Option(help: "How many records are judged at a time. (default: the number of processors)")
    var jobs: Int?

    func validate() throws {
        guard [at != nil, now, asCaptured].filter({ $0 }).count <= 1 else {
            throw ValidationError("--at, --now and --as-captured exclude each other")
        }
        guard !nearestPolicy || policy != nil else {
            throw ValidationError(
                "--nearest-policy makes --policy second; without --policy the nearest is used anyway")
        }
        guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("--jobs takes a number from 1 to 1024") }
        guard againstStatusList == nil || against != nil else {
            throw ValidationError("--against-status-list needs --against, the policy to compare with")
        }
        guard hasBase || masterKey.masterKey == nil else {
            throw ValidationError("--master-key needs --ledger \(LedgerURL.durableForm), in which the key store is")
        }
        try SecretArgument.validate(captureKey, of: "--capture-key")
    }

    private var hasBase: Bool { ledger.map { $0 != .memory } ?? false }

    /// The policy's name in reports.
    var policyName: String {
        guard let policy else { return "the policy beside each file" }
        return nearestPolicy ? "\(policy), or the policy beside each file" : policy
    }

    func readPolicies() throws(CommandFailure) -> ReplayPolicies {
        ReplayPolicies(
            try policy.map(PolicyArgument.read), isNearestFirst: nearestPolicy,
            against: try against.map(PolicyArgument.read))
    }

    /// Runs `body` with the base ledger; nil if none is given.
    func withLedger(_ body: (OpenLedger?) async throws -> Void) async throws {
        guard let ledger, hasBase else { return try await body(nil) }
        try await ledger.withLedger(creating: false, body)
    }

    /// The options of the replay.
    ///
    /// - Parameters:
    ///   - base: the base ledger; nil for none.
    ///   - corpus: the files and folders with the records.
    func options(on base: OpenLedger?, corpus: [String]) async throws(CommandFailure) -> ReplayOptions {
        var options = ReplayOptions()
        options.engines = .current
        options.time = at.map { .fixed($0) } ?? (now ? .fixed(Date()) : .asCaptured)
        options.challenges = challenges == .presumed ? .presumed : .none
        options.baseLedger = base?.ledger
        options.isLedgerPerFile = ledgerPerFile
        options.keepsEnrolledKeys = !enrolAnew
        options.captureKey = try captureKey.map { source throws(CommandFailure) in
            try CaptureKeyArgument.privateKey(source, of: "--capture-key")
        }
        if let archive = try statusList?.archive(beside: corpus) { options.services = [archive] }
        if let choice = againstStatusList {
            options.againstServices = try choice.archive(beside: corpus).map { [$0] } ?? []
        }
        options.isInterrupted = { Interruption.isRequested }
        options.jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        if let base, let key = try masterKey.readIfAny() { options.keyStores = [try base.keyStore(key)] }
        return options
    }
}

struct ReplayOutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON verdict per record and line, in the order of the corpus.")
    var json = false

    @Flag(help: "Print the tables of the summary as CSV.")
    var csv = false

    @Flag(help: "Print the checks of each record that is rejected.")
    var rejected = false

    @Flag(help: "Print each record whose outcome differs under --against, and why; with --json as a line of JSON.")
    var changed = false

    @Flag(help: "Stop at the first record that cannot be read or judged.")
    var strict = false

    @Option(help: "Write the report, an HTML page that needs nothing else.", completion: .file(extensions: ["html"]))
    var report: String?

    @Flag(help: "Measure how long each record takes, for the report.")
    var measure = false

    func validate() throws {
        guard !json || !rejected else {
            throw ValidationError("--rejected prints text; with --json every verdict is printed")
        }
        guard !csv || !(json || rejected || changed) else {
            throw ValidationError("--csv prints the summary; --json, --rejected and --changed print records")
        }
        guard report != "-" else { throw ValidationError("--report takes a file; standard output is /dev/stdout") }
    }

    var needsSummary: Bool { !json || report != nil }
}
