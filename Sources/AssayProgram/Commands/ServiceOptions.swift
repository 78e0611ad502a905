import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import AssayPrimitives
import AssayService
import Foundation

/// The options of commands that ask a running service.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: "The configuration of the service, YAML.", completion: .yaml)
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "A key of the configuration and its value. May be given several times.", valueName: "key=value"),
        completion: ServeCommand.keys)
    var settings: [String] = []

    @Option(
        help: ArgumentHelp(
            "The listener of operators, in place of the configuration: HOST:PORT or unix:PATH.", valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "The name by which the listener of operators is reached, in place of an address: https://NAME[:PORT]. The authorities of "
                + "this machine must vouch for the name.", valueName: "url"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "With --address: the certificate that the listener presents, PEM; without it there is no TLS. With --service: the "
                + "authorities that may vouch for the name, PEM, in place of this machine's.",
            valueName: "file"), completion: .file())
    var certificate: String?

    @Option(
        help: ArgumentHelp(
            "The token of an operator, file:PATH or env:NAME, where the listener demands one.", valueName: "source"),
        completion: .source)
    var token: String?

    func validate() throws {
        _ = try ServeCommand.pairs(settings)
        try SecretArgument.validate(token, of: "--token")
        guard certificate == nil || address != nil || service != nil else {
            throw ValidationError(
                "--certificate is for --address and --service; a configuration names that of its listener")
        }
        guard let service else { return }
        guard config == nil, settings.isEmpty, address == nil else {
            throw ValidationError("--service excludes --address, --config and --set: it says where the service is")
        }
        guard url != nil else {
            throw ValidationError("--service takes https://NAME[:PORT], found \(service.excerpt)")
        }
    }

    /// The URL of `--service`; nil for none, or another form.
    private var url: ServerURL? { service.flatMap { $0.hasPrefix("https://") ? try? ServerURL($0) : nil } }

    /// Sends a request to the listener of operators.
    ///
    /// - Parameter body: JSON; nil for none.
    /// - Parameter size: the longest answer that is read, in bytes.
    func send(
        _ method: String, _ path: String, body: String? = nil, within seconds: Double,
        atMost size: Int = ServiceProbe.maximumAnswer
    ) async throws -> (address: String, status: Int, detail: String?, body: [UInt8]) {
        if let url {
            let answer = try await ask(url.text, method, path, body: body, within: seconds, atMost: size)
            return (url.text, answer.status, answer.detail, answer.body)
        }
        let probe: ServiceProbe
        do throws(PolicyError) { probe = try self.probe() } catch {
            throw CommandFailure(error.field == "--address" ? .usage : .unreadable, error.description)
        }
        let bearer = try bearer()
        do {
            let answer = try await probe.send(method, path, body: body, token: bearer, within: seconds, atMost: size)
            return (probe.address.description, answer.status, answer.detail, answer.body)
        } catch {
            throw CommandFailure(.outage, "\(probe.address.description): \(error)")
        }
    }

    /// The token; nil for none.
    private func bearer() throws(CommandFailure) -> String? {
        let bearer = try token.map { source throws(CommandFailure) in
            try SecretArgument.read(source, of: "--token").withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard bearer?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
            throw CommandFailure(
                .unreadable, "--token: expected one token and nothing else, as `assay operators add` prints it")
        }
        return bearer
    }

    /// Asks by name, through TLS that verifies it.
    private func ask(
        _ url: String, _ method: String, _ path: String, body: String?, within seconds: Double, atMost size: Int
    ) async throws -> ServiceProbe.Answer {
        let (limit, bearer) = (Duration.seconds(seconds), try bearer())
        let exchange = HTTPExchange(
            answerLimit: size, connectTimeout: limit, time: .system, authorities: try authorities())
        var fields: [(String, String)] = []
        if let bearer { fields.append(("Authorization", "Bearer \(bearer)")) }
        if body != nil { fields.append(("Content-Type", "application/json")) }
        return try await finishing(with: { await exchange.shutdown() }) {
            do throws(HTTPFailure) {
                let answer =
                    method == "GET"
                    ? try await exchange.get(url + path, fields: fields, within: limit)
                    : try await exchange.post(
                        url + path, fields: fields, body: Array((body ?? "").utf8), within: limit)
                return ServiceProbe.Answer(status: answer.status, body: answer.body)
            } catch {
                let isSent = if case .notConnected = error { false } else { method != "GET" }
                throw CommandFailure(
                    .outage,
                    "\(url): \(error.outage().message)"
                        + (isSent
                            ? "; the request may have taken effect, or may still: see the log of the service" : ""))
            }
        }
    }

    /// The authorities of `--certificate`; nil for those of this machine.
    private func authorities() throws(CommandFailure) -> ServerAuthorities? {
        guard let certificate else { return nil }
        let pem: [UInt8]
        do throws(SecretSourceError) {
            pem = try TrustedFile.read(certificate, limit: InputLimits.policy).withUnsafeBytes { Array($0) }
        } catch {
            throw CommandFailure(.unreadable, "--certificate: \(certificate): \(error.message)")
        }
        if let authorities = ServerAuthorities(pem: pem) { return authorities }
        throw CommandFailure(.unreadable, "--certificate: \(certificate): no certificate in PEM can be read from it")
    }

    /// The listener of operators, at the given address or from the configuration.
    private func probe() throws(PolicyError) -> ServiceProbe {
        if let address {
            guard let known = ListenAddress(address) else {
                throw PolicyError(
                    field: "--address",
                    "expected \(ListenAddress.forms), found \(address.excerpt)\(ListenAddress.advice(on: address))")
            }
            let probe = try ServiceProbe(known, certificate: certificate)
            guard probe.address.isLocal || certificate != nil || token == nil else {
                throw PolicyError(
                    field: "--address",
                    "\(address.excerpt) is on the network, where a token needs TLS: give --certificate, the file of "
                        + "adminTLS.certificate")
            }
            return probe
        }
        let configuration = try ServiceConfiguration(
            file: config, environment: ProcessInfo.processInfo.environment, settings: ServeCommand.split(settings),
            isPartial: true)
        guard let listener = configuration.admin ?? configuration.metrics else {
            throw PolicyError(
                field: "admin",
                "the configuration has neither a listener of operators nor one of metrics, which answer about health")
        }
        return try ServiceProbe(listener, certificate: configuration.adminCertificate)
    }

    /// What to do about a status.
    static func advice(for status: Int) -> String {
        [401, 403].contains(status) ? "; give the token of an operator with --token" : ""
    }
}
