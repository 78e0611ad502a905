import ArgumentParser
import Assay
import AssayHTTP
import AssayService
import Foundation

struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract:
            "Checks a policy for errors and weak settings, shows what is in force, writes a new one, or has a service read it again.",
        subcommands: [
            PolicyCheckCommand.self, PolicyShowCommand.self, PolicyInitCommand.self, PolicyReloadCommand.self,
        ])
}

struct PolicyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Prints every error and every weak setting of a policy.",
        discussion: """
            Prints one line each, FILE:LINE: error, warning or note: the field and what is wrong with it. A policy with errors \
            cannot be used. A warning names a setting that admits more than is needed, a name that is not known and may be \
            misspelt, a rule that is not in force, or a key that is not in force or ends within 30 days. A note names what a \
            setting needs outside of the policy, such as a signal that is turned on in the Play Console.

            Exit status: 0 no errors, 1 warnings with --strict, 2 errors.
            """)

    @Argument(help: "The policy.", completion: .yaml)
    var file: String

    @Flag(help: "Exit with 1 if there are warnings.")
    var strict = false

    @Flag(help: "Print one JSON object per error, warning or note: file, line, severity, field and message.")
    var json = false

    func run() throws {
        let review = PolicyReview(path: file, engines: .current, at: Date())
        let terminal = Terminal(STDOUT_FILENO)
        for finding in review.findings {
            try Console.print(json ? finding.json : terminal.printable(finding.description))
        }
        let (errors, warnings) = (review.count(.error), review.count(.warning))
        Console.note(
            "\(file): \(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")")
        if errors > 0 { throw CommandFailure(.unreadable) }
        if strict, warnings > 0 { throw CommandFailure(.rejected) }
    }
}

struct PolicyShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints a policy with all defaults and the mode of every check, as YAML.",
        discussion: """
            The output is a policy that demands the same. Keys are shown as the policy refers to them, never their \
            contents. Checks that do not run because a field is not set are comments.
            """)

    @Argument(help: "The policy.", completion: .yaml)
    var file: String

    func run() throws {
        let text: String
        do {
            text = try PolicyFile.effectiveText(path: file, engines: .current)
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
        try Console.write(Array(text.utf8))
    }
}

struct PolicyReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Lets a running service read its policy and TLS files again, and says whether they are in force.",
        discussion: """
            Asks the listener of operators, whose address comes from the configuration of `assay serve`, or from --address. A policy \
            that cannot be used, or that policy.guard refuses, changes nothing: the command prints why, and fails. `systemctl reload \
            assay` runs it.

              assay policy reload --config /etc/assay/serve.yaml
              assay policy reload a/serve.yaml b/serve.yaml
              assay policy reload --address 127.0.0.1:8081 --token file:admin.token

            Of several configurations, such as those of one process, each is asked, also behind one that fails.

            Without an answer the reload may still happen: the log of the service says `reloaded` or `reload failed`.

            Exit status: 0 the files are in force, 2 they are not, or a configuration or a token cannot be read, 3 no answer of the service, \
            64 bad arguments.
            """)

    @Argument(help: "Configurations of services, in place of --config.", completion: .yaml)
    var files: [String] = []

    @OptionGroup var service: ServiceOptions

    @Flag(help: "Print nothing if the files are in force.")
    var quiet = false

    @Option(help: ArgumentHelp("How long the answer may take.", valueName: "duration"))
    var timeout = "60s"

    func validate() throws {
        _ = try TimeArgument.duration(timeout)
        let isNamed = service.config != nil || service.address != nil || service.service != nil
        guard files.isEmpty || !isNamed && service.settings.isEmpty else {
            throw ValidationError("configurations exclude --config, --set, --address and --service")
        }
        guard files.count < 2 || service.token == nil else {
            throw ValidationError("--token is an operator of one ledger: reload each configuration with its own")
        }
    }

    func run() async throws {
        guard files.count > 1 else { return try await reload(files.first ?? service.config) }
        var failure: CommandFailure?
        for file in files {
            do { try await reload(file) } catch let error as CommandFailure {
                if let message = error.message { Console.complain("error: \(file): \(message)") }
                failure = failure ?? CommandFailure(error.status)
            }
        }
        if let failure { throw failure }
    }

    private func reload(_ file: String?) async throws {
        var service = service
        service.config = file
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
        if !quiet { try Console.print(files.count > 1 ? "\(file ?? ""): reloaded" : "reloaded") }
    }
}
