import ArgumentParser
import Assay
import AssayPlatforms
import AssayPrimitives
import Foundation

struct PinsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks that what every server presents fits the pins: for cron and probes.",
        discussion: """
            Asks every address of every domain at once. A domain passes if each of its addresses presents a certificate with one of \
            its pins, and a leaf that is valid now. A domain without pins, and without those of *, passes if it is reachable.

              assay pins check pins.json
              assay pins check --ledger sqlite:ledger.sqlite --days 14

            Without a file, the pins come from the ledger. A ledger that cannot be reached is no failure, because the check is \
            about the servers: a note says so, and assay_pins_ledger_up is 0. Check every two minutes at most.

            --json prints one object for each domain: host, ok, pinned, daysLeft, and addresses with address, ok, finding, pin, \
            daysLeft, chain and message. --metrics writes the same in the text format of Prometheus, for the textfile \
            collector of node_exporter; name the file *.prom.

            Exit status: 0, 1 at least one domain does not pass, 2 a file that cannot be read, 64 bad arguments, 74 the metrics cannot \
            be written.
            """)

    @Argument(
        help: "The pins: a file like pins.json. Without it, those of the ledger.",
        completion: .file(extensions: ["json"]))
    var file: String?

    @Option(help: ArgumentHelp("Fail also where fewer days than these are left.", valueName: "number"))
    var days: Int?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: ArgumentHelp("Write metrics to this file, as a whole.", valueName: "file"), completion: .file())
    var metrics: String?

    @OptionGroup var probe: ProbeOptions
    @OptionGroup var options: LedgerOptions

    func validate() throws {
        guard file == nil || options.ledger == nil else {
            throw ValidationError("the pins come from a file or from a ledger, and not from both")
        }
        guard days.map({ $0 >= 0 }) ?? true else { throw ValidationError("--days takes 0 or more") }
    }

    func run() async throws {
        let now = Date()
        var set: PinSet?
        if let file { set = try PinSet(file: file) } else { set = try await stored() }
        let hosts = try await Self.check(set ?? PinSet(), names: nil, with: probe, at: now)
        for host in hosts {
            if json {
                try Console.print(host.json(at: now))
            } else {
                for line in host.lines(at: now) { try Console.print(escaping: line) }
            }
        }
        if let metrics {
            let text = PinMetrics.text(hosts, isLedgerUp: file == nil ? set != nil : nil, at: now)
            try NewFile.replace(metrics, with: SecretBytes(Array(text.utf8)), mode: 0o644)
        }
        if set?.domains.isEmpty ?? false { Console.note("there are no domains to check") }
        let bad = hosts.filter { host in !host.isGood || days.map { host.daysLeft ?? 0 < $0 } ?? false }
        guard bad.isEmpty else {
            let names = bad.map { host in
                host.isGood ? "\(host.name) (\(CheckedHost.days(host.daysLeft ?? 0)) left)" : host.name
            }
            throw CommandFailure(
                .rejected, "\(bad.count) of \(hosts.count) domains did not pass: \(names.joined(separator: ", "))")
        }
    }

    /// The pins of the ledger; nil if it cannot be reached.
    private func stored() async throws -> PinSet? {
        do {
            return try await options.url.pins()
        } catch let failure as CommandFailure where failure.status == .outage {
            Console.note("no domain was checked, because the pins cannot be read: \(failure.message ?? "")")
            return nil
        }
    }

    /// Asks the domains of a set.
    ///
    /// - Parameter names: which; nil for all.
    static func check(
        _ set: PinSet, names: [String]?, with probe: ProbeOptions, others: [String] = [], at now: Date
    ) async throws -> [CheckedHost] {
        let names = (names ?? set.domains.map(\.name)).filter { $0 != PinSet.everyDomain }
        let views = try await probe.ask(
            names.map { HostQuestion(name: $0, port: probe.port, others: others) })
        return zip(names, views).map { name, views in
            CheckedHost(name: name, pins: set.pins(of: name), views: views, at: now)
        }
    }
}

extension PinSet {
    /// Reads a file of pins.
    init(file: String) throws(CommandFailure) {
        let bytes = try InputFile.read(file, limit: PinSet.maximumSize, expected: "expected {\"DOMAIN\": [\"PIN\"]}")
        do throws(DecodeError) { try self.init(json: bytes) } catch {
            let line = LineIndex(bytes).line(of: error.offset)
            let field = error.field.isEmpty ? "" : "\(error.field): "
            throw CommandFailure(.unreadable, "\(InputFile.name(file)), line \(line): \(field)\(error.message)")
        }
    }
}
