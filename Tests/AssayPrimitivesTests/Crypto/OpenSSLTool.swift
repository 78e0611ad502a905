import AssayPrimitives
import AssayTestSupport
import Foundation

/// The `openssl` command, run in its own folder, which is deleted at the end.
final class OpenSSLTool {
    /// Why the command failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let candidates = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl", "/usr/local/bin/openssl"]
    private static let path = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether the command is installed.
    static var isAvailable: Bool { path != nil }

    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Writes a file to the folder.
    func write(_ bytes: [UInt8], to name: String) throws { try folder.write(name, bytes) }

    /// Runs a command. Its words must contain no spaces. Returns the bytes that it wrote to a file of the folder.
    func run(_ command: String, to name: String) throws -> [UInt8] {
        var words = command.split(separator: " ").map(String.init)
        // Options must precede the file to sign.
        words.insert(contentsOf: ["-out", name], at: 1)
        let run = try ProgramRun(Self.path ?? "openssl", words, in: folder.url)
        guard run.status == 0 else { throw Failure(description: "openssl \(command) failed: \(run.text)") }
        return Array(try Data(contentsOf: folder.url.appendingPathComponent(name)))
    }
}
