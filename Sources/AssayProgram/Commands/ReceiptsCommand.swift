import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import AssayPrimitives
import Foundation

struct ReceiptsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts", abstract: "Lists and exchanges the receipts of App Attest keys.",
        subcommands: [ReceiptsListCommand.self, ReceiptsRefreshCommand.self])
}

struct ReceiptsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the kept receipts: when each was issued, its risk metric, and when it is exchanged next.",
        discussion: """
            Receipts are kept where the policy says `receipt.keep`. `assay serve` exchanges them at Apple's server. This prints no \
            receipt, and needs no master key.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @Option(help: "Only receipts of this app of the policy.")
    var app: String?

    @Flag(help: "Print one JSON object per receipt.")
    var json = false

    @OptionGroup var options: LedgerOptions

    private static let page = 200

    func run() async throws {
        try await options.url.withLedger(creating: false) { open in try await list(open.ledger) }
    }

    private func list(_ ledger: any LedgerAdministration) async throws {
        var (last, count): ([UInt8]?, Int) = (nil, 0)
        while true {
            let tasks = try await ledger.tasks(in: KeptReceipt.queue, after: last, atMost: Self.page)
            guard let next = tasks.last?.key else { break }
            last = next
            var rows: [[String]] = []
            for task in tasks {
                let kept = Self.kept(task)
                guard app == nil || kept?.receipt.app == app else { continue }
                count += 1
                if json { try Console.print(Self.json(task, kept)) } else { rows.append(Self.cells(task, kept)) }
            }
            let head = ["key ID", "app", "issued", "risk metric", "exchanged next", "last outcome", "kept"]
            if !rows.isEmpty { try Console.print(table: [head] + rows) }
        }
        if count == 0 { Console.note("no receipts are kept in \(options.url.description)") }
    }

    private typealias Kept = (receipt: KeptReceipt, times: (createdAt: Date, expiresAt: Date))

    /// The receipt of a task; nil if it cannot be read.
    private static func kept(_ task: LedgerTask) -> Kept? {
        guard let receipt = try? KeptReceipt(task: task), let times = try? receipt.times() else { return nil }
        return (receipt, times)
    }

    private static func cells(_ task: LedgerTask, _ kept: Kept?) -> [String] {
        [
            Base64.encode(task.key, .standard), kept?.receipt.app ?? "-",
            kept.map { RFC3339.format($0.times.createdAt) } ?? "cannot be read",
            kept?.receipt.riskMetric.map { "\($0)" } ?? "-", RFC3339.format(task.dueAt),
            kept?.receipt.outcome?.rawValue ?? "-", kept.map { $0.receipt.isSealed ? "sealed" : "plain" } ?? "-",
        ]
    }

    private static func json(_ task: LedgerTask, _ kept: Kept?) -> String {
        JSONObject([
            "keyId": Base64.encode(task.key, .standard), "app": kept?.receipt.app, "createdAt": kept?.times.createdAt,
            "expiresAt": kept?.times.expiresAt, "riskMetric": kept?.receipt.riskMetric,
            "outcome": kept?.receipt.outcome?.rawValue, "sealed": kept?.receipt.isSealed, "dueAt": task.dueAt,
            "holder": task.holder,
        ]).text
    }
}

struct ReceiptsRefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Exchanges the receipt of a key at Apple's server now, or all receipts that are due.",
        discussion: """
            It needs a key of Apple's services: `assay keys add NAME --use apple-services`. `assay serve` does this by itself.

            Exit status: 0 exchanged, 1 no receipt of the key is kept or Apple has no new one, 2 a policy that cannot be read, 3 an \
            outage of the ledger, the key store or Apple, 64 bad arguments.
            """)

    @Argument(
        help: ArgumentHelp("A key ID, base64 of either alphabet. Without it: all that are due.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyID: [UInt8]?

    @Option(help: "The policy.", completion: .yaml)
    var policy: String

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption

    func run() async throws {
        let policy = try PolicyArgument.read(policy)
        let master = try masterKey.readIfAny()
        try await options.url.withLedger(creating: false) { open in
            let stores: [any KeyStore] = try master.map { [try open.keyStore($0)] } ?? []
            let apple = try AppleServers().connection(ledger: open.ledger, masterKey: master)
            let verifier = Verifier(
                policy: policy, ledger: open.ledger, keyStores: stores, services: [apple], engines: .current)
            try await finishing(with: apple.shutdown) { try await refresh(apple, verifier) }
        }
    }

    private func refresh(_ apple: AppleServices, _ verifier: Verifier) async throws {
        if let keyID {
            guard let result = try await apple.refresh(keyID: keyID, verifier) else {
                throw CommandFailure(.rejected, "no receipt of the key is kept, or another process exchanges it now")
            }
            if let outage = result.outage { throw CommandFailure(outage) }
            try Console.print(result.outcome.rawValue)
            guard result.outcome == .refreshed else { throw CommandFailure(.rejected, nil) }
            return
        }
        var total = 0
        while true {
            let round = try await apple.refreshDue(verifier)
            total += round.count
            if let outage = round.outage { throw CommandFailure(outage) }
            if round.count == 0 { break }
        }
        try Console.print("\(total) \(total == 1 ? "receipt was" : "receipts were") due")
    }
}
