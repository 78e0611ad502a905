import ArgumentParser

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Prints the version of the program.")

    func run() throws { try Console.print(AssayCommand.configuration.version) }
}

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints the completions of a shell: bash, zsh or fish.",
        discussion: """
            `make install` and the packages install them. For the shell that runs now:

              source <(assay completion bash)
              source <(assay completion zsh)
              assay completion fish | source
            """)

    @Argument(help: "The shell.", completion: .list(CompletionCommand.shells), transform: CompletionCommand.shell)
    var shell: CompletionShell

    private static let shells = CompletionShell.allCases.map(\.rawValue)

    private static func shell(_ text: String) throws -> CompletionShell {
        guard let shell = CompletionShell(rawValue: text) else {
            throw ValidationError("allowed are \(shells.joined(separator: ", ")), found \"\(text.prefix(60))\"")
        }
        return shell
    }

    func run() throws { try Console.print(CompletionScript.text(for: shell)) }
}
