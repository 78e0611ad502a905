import ArgumentParser

/// `assay policy reload`: lets a running service read its policy again.
struct PolicyReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Lets a running service read its policy and TLS files again, and says whether they are in force.",
        discussion: """
            Asks the listener of operators, whose address comes from the configuration of `assay serve`, or from --address. A policy \
            that cannot be used, or that policy.guard refuses, changes nothing: the command prints why, and fails. `systemctl reload \
            assay` runs it.

              assay policy reload --config /etc/assay/serve.yaml
              assay policy reload --address 127.0.0.1:8081 --token file:admin.token

            Without an answer the reload may still happen: the log of the service says `reloaded` or `reload failed`.

            Exit status: 0 the files are in force, 2 they are not, or a configuration or a token cannot be read, 3 no answer of the service, \
            64 bad arguments.
            """)

    @OptionGroup var service: ServiceOptions

    @Flag(help: "Print nothing if the files are in force.")
    var quiet = false

    @Option(help: ArgumentHelp("How long the answer may take.", valueName: "duration"))
    var timeout = "60s"

    func validate() throws { _ = try TimeArgument.duration(timeout) }

    func run() async throws {
        let answer = try await service.send(
            "POST", "/v1/admin/policy/reload", within: TimeArgument.duration(timeout))
        guard answer.status == 200 else {
            throw CommandFailure(
                answer.detail == nil || answer.status == 503 ? .outage : .unreadable,
                "\(answer.address): "
                    // A proxy that answers does not know what the service does.
                    + (answer.detail.map { "the policy before stays in force: \($0)" }
                        ?? "the service answered \(answer.status); its log says which policy is in force")
                    + ServiceOptions.advice(for: answer.status))
        }
        if !quiet { try Console.print("reloaded") }
    }
}
