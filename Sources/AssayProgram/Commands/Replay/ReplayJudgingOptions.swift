import ArgumentParser
import Assay
import AssayReplay
import Foundation

/// Options for policies, ledger and keys of a replay.
struct ReplayJudgingOptions: ParsableArguments {
    /// Which challenges count as issued.
    enum Challenges: String, ExpressibleByArgument, CaseIterable {
        case presumed
        case none
    }

    @Option(
        help: "The policy. (default: the policy.yaml nearest to each file)",
        completion: .file(extensions: ["yaml", "yml"]))
    var policy: String?

    @Flag(help: "Where a policy.yaml is beside a file or above it, use that and not --policy.")
    var nearestPolicy = false

    @Option(
        help: ArgumentHelp("Compare with this policy.", valueName: "policy"),
        completion: .file(extensions: ["yaml", "yml"]))
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
        transform: { try LedgerURL($0) })
    var ledger: LedgerURL?

    @OptionGroup var masterKey: MasterKeyOption

    @Flag(help: "Begin a new ledger with each file, as test vectors demand.")
    var ledgerPerFile = false

    @Option(help: ArgumentHelp("Open sealed records with this key: file:PATH or env:NAME.", valueName: "source"))
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

    /// Reads the policies.
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
