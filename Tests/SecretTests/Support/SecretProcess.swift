import AssayTestSupport
import Foundation

/// SecretStress, running, and everything that it says.
final class SecretProcess {
    private let process: LineProcess
    private let errors: URL
    private var said: [UInt8] = []

    /// Starts it, with its error stream in a file.
    init(errors: String, environment: [String: String] = [:]) throws {
        self.errors = URL(fileURLWithPath: errors)
        try Data().write(to: self.errors)
        process = try LineProcess(
            BuiltProducts.url("SecretStress"), environment: environment,
            errors: FileHandle(forWritingTo: self.errors))
    }

    /// Its identifier, while it waits for a command.
    var identifier: Int32 { process.identifier }

    /// Sends a command and returns the answer.
    @discardableResult
    func ask(_ words: String...) throws -> String {
        let answer = try process.ask(words.joined(separator: " "))
        said += Array("\(answer)\n".utf8)
        return answer
    }

    /// Waits for the end, and returns everything that was said on its output and on its error stream.
    func end() throws -> (status: Int32, said: [UInt8]) {
        try process.closeInput()
        said += try process.remaining()
        return (try process.end(), said + (try Data(contentsOf: errors)))
    }
}
