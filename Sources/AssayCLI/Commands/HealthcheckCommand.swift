import ArgumentParser
import AssayCore
import Foundation

/// The operators' listener of a running service.
package protocol ServiceListener: Sendable {
    /// The address, for messages.
    var address: String { get }

    /// Sends one GET request.
    ///
    /// - Parameters:
    ///   - path: such as `/readyz`.
    ///   - token: the token of an operator; nil to send none.
    ///   - seconds: how long the answer may take.
    /// - Returns: the HTTP status, and the detail of a problem.
    /// - Throws: an error whose description says why there is no answer.
    func get(_ path: String, token: String?, within seconds: Double) async throws -> (status: Int, detail: String?)
}

/// `assay healthcheck`: whether a running service is ready.
struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Asks a running service whether it is ready.",
        discussion: """
            Asks the listener of operators for /readyz, or with --live for /livez. The address comes from the configuration of \
            `assay serve`, or from --address. Probes of containers use this command: an image of the service has no shell and no curl.

              assay healthcheck --config /etc/assay/serve.yaml
              assay healthcheck --address unix:/run/assay/admin/admin.sock --live

            Exit status: 0 the service is ready, 1 it answers that it is not, 2 a configuration or a token that cannot be read, \
            3 no answer, 64 bad arguments.
            """)

    @Option(
        help: "The configuration of the service, YAML.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "A key of the configuration and its value. May be given several times.", valueName: "key=value"))
    var settings: [String] = []

    @Option(
        help: ArgumentHelp(
            "The listener of operators, in place of the configuration: HOST:PORT or unix:PATH.", valueName: "address"))
    var address: String?

    @Flag(help: "Ask only whether the process answers, and not whether its ledger and key stores do.")
    var live = false

    @Option(
        help: ArgumentHelp(
            "The token of an operator who may read, file:PATH or env:NAME, for a listener on another address than loopback.",
            valueName: "source"))
    var token: String?

    @Option(help: ArgumentHelp("How long the answer may take.", valueName: "duration"))
    var timeout = "5s"

    func validate() throws {
        _ = try ServeCommand.pairs(settings)
        try SecretArgument.validate(token, of: "--token")
        _ = try TimeArgument.duration(timeout)
    }

    func run() async throws {
        guard let runner = ServeCommand.runner else {
            throw CommandFailure(.usage, "healthcheck: this program was built without HTTP; `make install` has it")
        }
        let listener: any ServiceListener
        do throws(PolicyError) {
            listener = try runner.listener(
                at: address, file: config, environment: ProcessInfo.processInfo.environment,
                settings: ServeCommand.split(settings))
        } catch {
            throw CommandFailure(error.field == "--address" ? .usage : .unreadable, error.description)
        }
        let bearer = try token.map { source throws(CommandFailure) in
            try SecretArgument.read(source, of: "--token").withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard bearer?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
            throw CommandFailure(
                .unreadable, "--token: expected one token and nothing else, as `assay operators add` prints it")
        }
        let path = live ? "/livez" : "/readyz"
        let answer: (status: Int, detail: String?)
        do {
            answer = try await listener.get(path, token: bearer, within: TimeArgument.duration(timeout))
        } catch {
            throw CommandFailure(.outage, "\(listener.address): \(error)")
        }
        guard answer.status == 200 else {
            let advice = [401, 403].contains(answer.status) ? "; give the token of an operator with --token" : ""
            throw CommandFailure(
                .rejected,
                "\(listener.address): \(path) answered \(answer.status)\(answer.detail.map { ": \($0)" } ?? "")\(advice)"
            )
        }
        try Console.print(live ? "live" : "ready")
    }
}
