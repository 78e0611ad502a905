import AssayTestSupport
import Foundation

/// The result of running the program.
struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of standard output.
    var lines: [Substring] { output.split(separator: "\n") }

    /// Standard output as one JSON object per line.
    func json() throws -> [[String: Any]] {
        try lines.map { line in
            guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                throw CocoaError(.propertyListReadCorrupt)
            }
            return object
        }
    }
}

/// A temporary folder in which the program runs.
final class Scratch {
    private let whole: TestFolder

    init() throws { whole = try TestFolder() }

    var folder: URL { whole.url }

    /// The absolute path of a file in the folder.
    func path(_ name: String) -> String { whole.path(name) }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ contents: some DataProtocol) throws -> String {
        try Data(contents).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    /// Runs the program in the folder with only the given environment variables.
    func assay(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) throws -> Run {
        try run(BuiltProducts.url("assay"), arguments, input: input, environment: environment)
    }

    /// Runs a shell command; `$ASSAY` is the program.
    func shell(_ command: String, environment: [String: String] = [:]) throws -> Run {
        let program = ["ASSAY": try BuiltProducts.url("assay").path, "PATH": "/usr/bin:/bin"]
        // SwiftNIO, which other tests of this process use, ignores SIGPIPE, and children inherit that.
        return try run(
            URL(fileURLWithPath: "/usr/bin/env"), ["--default-signal=INT,PIPE,TERM", "/bin/bash", "-c", command],
            input: "",
            environment: environment.merging(program) { given, _ in given })
    }

    private func run(
        _ program: URL, _ arguments: [String], input: String, environment: [String: String]
    ) throws -> Run {
        let run = try ProgramRun(
            program.path, arguments, in: folder, input: input,
            environment: ["HOME": folder.path, "LANG": "C.UTF-8"].merging(environment) { $1 })
        return Run(status: run.status, output: run.output, errors: run.errors)
    }
}
