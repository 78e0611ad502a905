import AssayTestSupport
import Foundation
import Testing

/// What a person at a terminal reads of `assay serve`.
@Suite("A service on a terminal", .timeLimit(.minutes(30)))
struct TerminalTests {
    /// In CI it must be there.
    private static let hasScript =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
        || ProcessInfo.processInfo.environment["CI"] == "true"

    /// Starts the service by a program, and returns what both its outputs have when `isComplete` is true.
    private func output(
        of program: String, _ arguments: [String], in folder: TestFolder, until isComplete: (String) -> Bool
    ) throws -> String {
        let log = try folder.write("output", "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ["HOME": folder.url.path, "PATH": "/usr/bin:/bin"].merging(Sanitizer.environment) { $1 }
        process.currentDirectoryURL = folder.url
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        (process.standardOutput, process.standardError) = (file, file)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        func text() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        try waitFor("\(program): \(text())") { isComplete(text()) || !process.isRunning ? () : nil }
        process.terminate()
        try process.end()
        return text()
    }

    private static let options = [
        "serve", "--create-ledger", "--policy", "policy.yaml", "--ledger", "sqlite:l.sqlite", "--open", "--listen",
        "127.0.0.1:0", "--set", "admin=unix:admin.sock",
    ]

    @Test(
        "On a terminal it says in words where it listens, with which policy and ledger",
        .enabled(if: hasScript, "script is not installed"))
    func words() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let command = (["'\(try BuiltProducts.url("assay").path)'"] + Self.options).joined(separator: " ")
        let output = try output(of: "/usr/bin/script", ["-qfec", "exec \(command)", "/dev/null"], in: folder) {
            $0.contains("ledger sqlite:l.sqlite\r\n")
        }
        let line =
            #/listening on http://127\.0\.0\.1:\d+, operators on unix:admin\.sock, policy\.yaml \(\d+ apps?\), ledger/#
        #expect(output.contains(line), "\(output)")
        #expect(!output.contains("{\""), "\(output)")
    }

    @Test("Elsewhere its log is JSON, and logFormat makes it text, in which no control character of a client stands")
    func formats() throws {
        let program = try BuiltProducts.url("assay").path
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let json = try output(of: program, Self.options, in: folder) { $0.contains("\"ready\"") }
        #expect(!json.contains("listening on") && json.hasPrefix("{"), "\(json)")
        let text = try output(of: program, Self.options + ["--set", "logFormat=text"], in: folder) {
            $0.contains("listening on")
        }
        #expect(text.contains(/listening on http:\S+, .*ledger sqlite:l\.sqlite\n/), "\(text)")
        #expect(text.contains(/(?m)^\S+Z notice: stopped$/) && !text.contains("{\""), "\(text)")
        // The failure of a start is text too.
        let wrong = try output(of: program, Self.options + ["--set", "logFormat=xml"], in: folder) { _ in false }
        #expect(wrong.contains("logFormat") && wrong.contains("expected one of json, text"), "\(wrong)")
    }
}
