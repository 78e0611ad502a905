import ArgumentParser
import Assay
import AssayCore
import AssayService
import AssayTokens
import Foundation

struct PinsConfigurationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration",
        abstract: "Prints the signed configuration of an app, for embedding in the app.",
        discussion: """
            The app starts with it, and takes over a newer one only if a key of it has signed that. Build the app with the present \
            one, and print it again for each release:

              assay pins configuration --app shop --policy policy.yaml >shop.jwt

            The policy says `tokens.configuration: pins`. If the ledger has no key for configurations, the command makes it; keep \
            the ledger and the master key: without the key no installed app takes over new pins.

            Exit status: 0, 1 the app gets no configuration, 2 a policy or master key that cannot be read, 3 an outage or no \
            ledger, 64 bad arguments.
            """)

    @Option(help: "The name of the app in the policy; the only one that gets a configuration without it.")
    var app: String?

    @Option(help: "The policy.", completion: .yaml)
    var policy: String

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption

    func run() async throws {
        let policy = try PolicyArgument.read(policy)
        let masterKey = try masterKey.read()
        let now = Date()
        let text = try await options.url.withLedger(creating: false) { open in
            let store = try open.keyStore(masterKey)
            let verifier = Verifier(policy: policy, ledger: open.ledger, keyStores: [store])
            let name = try name(among: verifier.configuredApps)
            if let key = try await TokenKeyRotation(store).makeConfigurationKey(by: author.name, at: now) {
                Console.note("the key \(key) is made: keep it, and the master key")
            }
            do throws(AppConfigurationError) { return try await verifier.configuration(of: name, at: now) } catch {
                switch error {
                case .outage(let outage): throw CommandFailure(outage)
                case .refused(let message): throw CommandFailure(.rejected, message)
                }
            }
        }
        try Console.print(text)
    }

    private func name(among apps: [String]) throws(CommandFailure) -> String {
        guard !apps.isEmpty else {
            throw CommandFailure(.rejected, "the policy gives no app a configuration: set tokens.configuration: pins")
        }
        guard let app else {
            guard apps.count == 1 else {
                throw CommandFailure(.usage, "--app: one of \(apps.map(\.excerpt).joined(separator: ", "))")
            }
            return apps[0]
        }
        guard apps.containsBytes(of: app) else {
            throw CommandFailure(
                .rejected,
                "the policy gives app \(app.excerpt) no configuration\(Nearest.advice(for: app, among: apps)): set "
                    + "tokens.configuration: pins")
        }
        return app
    }
}
