import ArgumentParser

struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Asks a running service whether it is ready.",
        discussion: """
            Asks the listener of operators for /readyz, or with --live for /livez. The address comes from the configuration of \
            `assay serve`, from --address, or from --service. Probes of containers use this command: an image of the \
            service has no shell and no curl.

              assay healthcheck --config /etc/assay/serve.yaml
              assay healthcheck --address unix:/run/assay/admin/admin.sock --live

            --json prints one object for an answer: address, path, status, ok, and detail if the answer has one.

            Exit status: 0 the service is ready, 1 it answers that it is not, 2 a configuration or a token that cannot be read, \
            3 no answer, 64 bad arguments.
            """)

    @OptionGroup var service: ServiceOptions

    @Flag(help: "Ask only whether the process answers, and not whether its ledger and key stores do.")
    var live = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(help: ArgumentHelp("How long the answer may take.", valueName: "duration"))
    var timeout = "5s"

    func validate() throws { _ = try TimeArgument.duration(timeout) }

    func run() async throws {
        let path = live ? "/livez" : "/readyz"
        let answer = try await service.send("GET", path, within: TimeArgument.duration(timeout))
        if json {
            try Console.print(json: [
                "address": answer.address, "path": path, "status": answer.status, "ok": answer.status == 200,
                "detail": answer.detail,
            ])
        }
        guard answer.status == 200 else {
            throw CommandFailure(
                .rejected,
                "\(answer.address): \(path) answered \(answer.status)\(answer.detail.map { ": \($0)" } ?? "")"
                    + ServiceOptions.advice(for: answer.status))
        }
        if !json { try Console.print(live ? "live" : "ready") }
    }
}
