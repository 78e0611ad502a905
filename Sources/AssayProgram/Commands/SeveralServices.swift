import Assay
import AssayCore
import AssayLedgerPostgreSQL
import AssayService
import CoreMetrics
import Foundation

/// The services of several configurations in one process. Each has its own policy, ledger, keys, operators, listeners, metrics and
/// captures.
struct SeveralServices {
    private let all: [(file: String, service: PreparedService)]

    /// Reads all configurations and their policies, before any of them has an effect.
    ///
    /// - Throws: `CommandFailure` for one that cannot be read, and for two that have in common what one alone may use.
    init(_ files: [String]) throws(CommandFailure) {
        try Self.requireNoSettings(in: ProcessInfo.processInfo.environment)
        var configurations: [(file: String, configuration: ServiceConfiguration)] = []
        for file in files {
            do throws(PolicyError) {
                configurations.append((file, try ServiceConfiguration(file: file, environment: [:], settings: [])))
            } catch {
                throw CommandFailure(.unreadable, error.description)
            }
        }
        try Self.useFormat(of: configurations)
        try Self.requireApart(configurations)
        var all: [(file: String, service: PreparedService)] = []
        for (file, configuration) in configurations {
            do { all.append((file, try PreparedService(configuration))) } catch { throw Self.failure(error, of: file) }
        }
        self.all = all
    }

    /// Serves until all services have ended. One that fails ends the others too.
    func serve(creatingLedgers: Bool) async throws {
        ServiceLog.bootstrap()
        let process = ServiceProcess(services: all.count)
        // Trapped before any service runs: none may miss a signal that ends the others.
        var ends: [EndingSignals] = []
        for _ in all { ends.append(await EndingSignals()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ((file, service), signals) in zip(all, ends) {
                group.addTask {
                    let metrics = MetricsRegistry(MetricName.program)
                    do {
                        // The ledger and the clients of engines count in the metrics of their service.
                        try await withMetricsFactory(metrics) {
                            try await service.serve(
                                metrics, creatingLedger: creatingLedgers, name: file, process: process, until: signals)
                        }
                    } catch {
                        throw Self.failure(error, of: file)
                    }
                }
            }
            // The first failure cancels the others.
            for try await () in group {}
        }
    }

    /// The failure of a service, with its configuration.
    private static func failure(_ error: any Error, of file: String) -> CommandFailure {
        let failure = error as? CommandFailure ?? CommandFailure(.unreadable, "\(error)")
        return CommandFailure(failure.status, failure.message.map { "\(file): \($0)" })
    }

    /// Refuses variables that would set the same key of all configurations.
    private static func requireNoSettings(in environment: [String: String]) throws(CommandFailure) {
        let variables = Set(ServiceKey.all.compactMap(\.variable) + [MasterKeyOption.variable])
        guard let variable = environment.keys.sorted().first(where: variables.contains) else { return }
        throw CommandFailure(
            .unreadable,
            "\(variable): a variable would count for every configuration; with several, set the key in each file, and unset the variable"
        )
    }

    private static func useFormat(
        of configurations: [(file: String, configuration: ServiceConfiguration)]
    ) throws(CommandFailure) {
        let formats = configurations.compactMap { file, configuration in
            configuration.logFormat.map { (file: file, format: $0) }
        }
        guard let first = formats.first else { return }
        if let other = formats.first(where: { $0.format != first.format }) {
            throw CommandFailure(
                .unreadable,
                "\(other.file): logFormat is \(other.format.rawValue), and \(first.format.rawValue) in \(first.file); one process writes one log: set the same format in both"
            )
        }
        ServiceLog.use(first.format)
    }

    /// Refuses what two configurations have in common and one alone may use: an address, a ledger, a master key or a folder of captures.
    private static func requireApart(
        _ configurations: [(file: String, configuration: ServiceConfiguration)]
    ) throws(CommandFailure) {
        var users: [String: (file: String, key: String)] = [:]
        for (file, configuration) in configurations {
            for (key, value, identity) in try uses(of: configuration, file) {
                if let user = users[identity], user.file != file || user.key == key {
                    throw CommandFailure(
                        .unreadable,
                        "\(file): \(key): \(value) is already \(user.key) of \(user.file); set another one: configurations of one process have nothing in common"
                    )
                }
                users[identity] = (file, key)
            }
        }
    }

    private static func uses(
        of configuration: ServiceConfiguration, _ file: String
    ) throws(CommandFailure) -> [(key: String, value: String, identity: String)] {
        var uses: [(key: String, value: String, identity: String)] = []
        let addresses: [(String, ListenAddress?)] = [
            ("listen", configuration.listen), ("admin", configuration.admin), ("metrics", configuration.metrics),
        ]
        for case (let key, let address?) in addresses where !address.isAnyPort {
            uses.append((key, address.description, "address \(address.path.map(place) ?? address.description)"))
        }
        let url: LedgerURL
        do { url = try configuration.ledger.map { try LedgerURL($0) } ?? .standard() } catch {
            throw failure(error, of: file)
        }
        let ledger =
            switch url {
            case .memory: url.description
            case .sqlite(let path): place(path)
            case .postgresql(let url): PostgreSQLLedger.identity(of: url)
            }
        uses.append(("ledger", url.description, "ledger \(ledger)"))
        if let source = configuration.masterKey {
            let path = source.hasPrefix("file:") ? place(String(source.dropFirst("file:".count))) : source
            uses.append(("masterKey", source, "masterKey \(path)"))
        }
        if let folder = configuration.capture.folder {
            uses.append(("capture.folder", folder, "capture \(place(folder))"))
        }
        return uses
    }

    /// The same text for all paths of one file: its inode, or that of its folder for a file that does not exist.
    private static func place(_ path: String) -> String {
        func inode(_ path: String) -> String? {
            var status = stat()
            return stat(path, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
        }
        if let known = inode(path) { return known }
        let url = URL(fileURLWithPath: path)
        guard let folder = inode(url.deletingLastPathComponent().path) else { return url.standardizedFileURL.path }
        return "\(folder)/\(url.lastPathComponent)"
    }
}
