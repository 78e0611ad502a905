import ArgumentParser
import AssayCore
import AssayVectors
import Foundation

/// Writes the test vectors of an engine. `make vectors` runs it.
@main
struct MintVectors: AsyncParsableCommand {
    @Flag(help: "Print the names of the engines that have test vectors.")
    var list = false

    @Flag(help: "Print the names, kinds and codes of all checks.")
    var checks = false

    @Flag(help: "Print the vectors of configurations of apps.")
    var configuration = false

    @Argument(help: "The engine.")
    var engine: String?

    @Option(help: "The folder for the files.")
    var output: String?

    @Option(help: "What keys, nonces and IVs are derived from. (default: random)")
    var seed: String?

    @Option(help: "When the evidence is received (RFC 3339). (default: now)")
    var at: String?

    func run() async throws {
        if list { return print(VectorSets.all.map { $0.name }.joined(separator: "\n")) }
        if checks { return print(CheckTable.text, terminator: "") }
        guard let time = at.map({ RFC3339.parse($0) }) ?? Date() else {
            throw ValidationError("--at: expected an RFC 3339 time such as 2026-04-21T18:13:12Z")
        }
        if configuration {
            return print(try ConfigurationVectors.text(seed: seed ?? UUID().uuidString, at: time), terminator: "")
        }
        guard let set = VectorSets.all.first(where: { $0.name == engine }), let output else {
            throw CleanExit.helpRequest(self)
        }
        try await set.write(to: URL(fileURLWithPath: output, isDirectory: true), seed: seed, at: time)
    }
}
