import ArgumentParser
import AssayTrials
import Foundation

/// Runs every suite and prints the table.
struct SuitesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suites",
        abstract: "Runs every third-party suite and every vector, and prints one table.",
        discussion: """
            ASSAY_SHARED names the folder of the suites. Exit status: 0 all as registered, 1 a wrong acceptance, a wrong \
            refusal or a registered divergence that no longer occurs.
            """)

    @Option(help: "Where the table is written as well.")
    var output: String?

    func run() async throws {
        let table = try await SuiteTable()
        print(table.markdown, terminator: "")
        if let output { try Data(table.markdown.utf8).write(to: URL(fileURLWithPath: output)) }
        for problem in table.problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
        if !table.problems.isEmpty { throw ExitCode(1) }
    }
}
