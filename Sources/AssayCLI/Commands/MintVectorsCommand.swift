import ArgumentParser
import AssayMinting

/// `assay mint vectors`: writes the test vectors of an engine.
struct MintVectorsCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "vectors", abstract: "Writes the test vectors of an engine.",
            subcommands: VectorSets.all.map { command(for: $0) })
    }

    @Flag(help: "Prints the names of the engines that have test vectors.")
    var list = false

    func run() throws {
        guard list else { throw CleanExit.helpRequest(self) }
        for set in VectorSets.all { try Console.print(set.name) }
    }

    /// The command that writes a set and has its name.
    static func command<Set: VectorSet>(for set: Set.Type) -> any ParsableCommand.Type { MintSetCommand<Set>.self }
}

/// `assay mint app-attest`, `assay mint vectors app-attest`, ...: writes one set of test vectors.
struct MintSetCommand<Set: VectorSet>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Set.name, abstract: Set.abstract, discussion: Set.discussion)
    }

    @OptionGroup var options: MintOptions

    func run() async throws { try await options.write(Set.self) }
}

/// `assay mint approov vectors`: the name `assay mint approov` makes tokens.
struct MintApproovVectorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors", abstract: ApproovVectors.abstract, discussion: ApproovVectors.discussion)

    @OptionGroup var options: MintOptions

    func run() async throws { try await options.write(ApproovVectors.self) }
}

extension VectorSet {
    fileprivate static var discussion: String {
        "Each file of records is to be judged under the policy.yaml of its folder, as captured. \(trust)"
    }
}
