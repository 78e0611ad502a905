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

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes a file of the folder.
    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
    }

    /// Runs a command whose words have no spaces in them, and gives what it wrote to a file of the folder.
    func run(_ command: String, to name: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path ?? "")
        var words = command.split(separator: " ").map(String.init)
        // Options stand before the file that is signed.
        words.insert(contentsOf: ["-out", name], at: 1)
        process.arguments = words
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "openssl \(command) failed") }
        return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
