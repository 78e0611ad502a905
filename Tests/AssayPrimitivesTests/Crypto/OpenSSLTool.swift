import AssayTestSupport
import Foundation

/// The `openssl` command, run in a folder of its own that is deleted at the end.
final class OpenSSLTool {
    /// Why the command failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let candidates = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl", "/usr/local/bin/openssl"]
    private static let path = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether there is one.
    static var isAvailable: Bool { path != nil }

    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Writes a file of the folder.
    func write(_ bytes: [UInt8], to name: String) throws { try folder.write(name, bytes) }

    /// Runs a command whose words have no spaces in them, and gives what it wrote to a file of the folder.
    func run(_ command: String, to name: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path ?? "")
        var words = command.split(separator: " ").map(String.init)
        // Options stand before the file that is signed.
        words.insert(contentsOf: ["-out", name], at: 1)
        process.arguments = words
        process.currentDirectoryURL = folder.url
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "openssl \(command) failed") }
        return Array(try Data(contentsOf: folder.url.appendingPathComponent(name)))
    }
}
