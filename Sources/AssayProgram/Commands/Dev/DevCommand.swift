import ArgumentParser
import AssayPrimitives
import AssayService
import AssayTokens
import Foundation

/// A service with test phones on this machine, for the first minute with Assay and for the tests of a backend.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Starts a service with test phones on this machine, and prints commands to try.",
        discussion: """
            The service has a policy, a ledger, an operator, keys for tokens, and a test phone for each kind of evidence: App Attest, \
            Play Integrity, Android Key Attestation and Approov. `assay mint` makes their evidence. Test authorities stand behind all of \
            it: no other policy accepts what the phones make, nor the tokens of the service, unless it is told to trust them.

            Everything is in one folder, which only its user can read. Without --folder it is a temporary one, and is removed when the \
            command ends by Ctrl-C or SIGTERM. A folder of --folder stays, and the next start uses what is in it: phones, ledger, policy \
            and address. Programs that run at the same time need folders of their own.

            The token of the operator, role admin, is in the files operator.token and curl.conf, and is printed nowhere. Each start makes \
            a new one. Requests that are rejected are in the log, on standard error.

              assay dev
              assay dev --folder ~/assay-dev --listen 127.0.0.1:8080

            Exit status: 0 stopped, 2 an address that cannot be listened on, or files of the folder that cannot be read, 3 an outage of \
            its ledger, 64 bad arguments, 74 a folder that cannot be written.
            """)

    @Option(
        help: ArgumentHelp("A folder that stays: new, empty, or of `assay dev`.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "The address: 127.0.0.1:PORT, [::1]:PORT or localhost:PORT. (default: that of the folder, or any free port of 127.0.0.1)",
            valueName: "address"),
        transform: DevCommand.loopback)
    var listen: ListenAddress?

    private static func loopback(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(text), address.path == nil, address.isLocal else {
            throw ValidationError(
                "--listen: expected 127.0.0.1:PORT, [::1]:PORT or localhost:PORT, found \"\(text.excerpt)\": the keys of test phones are "
                    + "no secrets, so that the service is for this machine alone\(ListenAddress.advice(on: text))")
        }
        return address
    }

    func run() async throws {
        // Otherwise an entry of the log ends the process when the reader of its logs has ended, and the folder stays.
        signal(SIGPIPE, SIG_IGN)
        // SQLite makes files with the mode of the umask. A umask that denies files to their owner does not count.
        umask(0o077)
        // Before the folder is made: a signal must not end the process and leave it.
        let signals = await EndingSignals(endsWithTerminal: true)
        let folder = try folder.map { path throws(CommandFailure) in try DevFolder(keeping: path) } ?? DevFolder()
        try await finishing(with: { folder.close() }) {
            do {
                try await serve(folder, until: signals)
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                throw CommandFailure(.unreadable, "\(error)")
            }
        }
    }

    private func serve(_ folder: DevFolder, until signals: EndingSignals) async throws {
        let socket = try LoopbackSocket(try folder.address(listen))
        try folder.prepare(for: socket.address)
        let ledger = LedgerURL.sqlite(path: folder.path(.ledger))
        // Nothing of the environment: variables of another service must not count here.
        let configuration = try ServiceConfiguration(
            file: nil, environment: [:],
            settings: [
                ("policy", folder.path(.policy)), ("listen", socket.address.description), ("admin", "127.0.0.1:0"),
                ("masterKey", "file:\(folder.path(.masterKey))"),
            ])
        let metrics = ServeCommand.metrics
        guard let masterKey = try MasterKeyOption.read(configuration.masterKey, of: "masterKey") else { return }
        try await ledger.withLedger(creating: true) { open in
            let store = try open.keyStore(masterKey)
            let now = Date()
            try await folder.renewOperator(in: open.ledger, at: now)
            // Before the first request, which could come before the service makes them.
            try await TokenKeyRotation(store).run(at: now)
            let service = try HTTPService(
                configuration,
                dependencies: ServiceDependencies(
                    ledger: open.ledger, keyStores: [store], services: [], sealedKeys: open.keys, metrics: metrics),
                socket: socket
            ) { addresses in
                let guide = DevGuide(folder: folder, url: "http://\(socket.address.description)", addresses: addresses)
                do { try Console.print(guide.text) } catch {
                    Console.note("the commands to try cannot be printed: \(error)")
                }
            }
            try await service.run(until: signals)
        }
    }
}
