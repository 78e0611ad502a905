import ArgumentParser
import AssayCore
import Foundation

/// The operators' listener of a running service.
package protocol ServiceListener: Sendable {
    /// The address, for messages.
    var address: String { get }

    /// Sends one request without a body.
    ///
    /// - Parameters:
    ///   - method: `GET` or `POST`.
    ///   - path: such as `/readyz`.
    ///   - token: the token of an operator; nil to send none.
    ///   - seconds: how long the answer may take.
    /// - Returns: the HTTP status, and the detail of a problem.
    /// - Throws: an error whose description says why there is no answer.
    func send(
        _ method: String, _ path: String, token: String?, within seconds: Double
    ) async throws -> (status: Int, detail: String?)
}

/// The options of commands that ask a running service.
struct ServiceOptions: ParsableArguments {
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

    @Option(
        help: ArgumentHelp(
            "The token of an operator, file:PATH or env:NAME, where the listener demands one.", valueName: "source"))
    var token: String?

    func validate() throws {
        _ = try ServeCommand.pairs(settings)
        try SecretArgument.validate(token, of: "--token")
    }

    /// Sends a request without a body to the listener of operators.
    ///
    /// - Parameter command: the name of the command, for errors.
    func send(
        _ method: String, _ path: String, within seconds: Double, for command: String
    ) async throws -> (address: String, status: Int, detail: String?) {
        guard let runner = ServeCommand.runner else {
            throw CommandFailure(.usage, "\(command): this program was built without HTTP; `make install` has it")
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
        do {
            let answer = try await listener.send(method, path, token: bearer, within: seconds)
            return (listener.address, answer.status, answer.detail)
        } catch {
            throw CommandFailure(.outage, "\(listener.address): \(error)")
        }
    }

    /// What to do about a status.
    static func advice(for status: Int) -> String {
        [401, 403].contains(status) ? "; give the token of an operator with --token" : ""
    }
}
