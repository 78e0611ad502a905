package import Foundation

/// A folder for the files of a test, which is gone at its end.
package final class TestFolder: Sendable {
    /// Where it is.
    package let url: URL

    /// Makes the folder, among temporary files unless a place for it is named.
    package init(in place: URL = FileManager.default.temporaryDirectory) throws {
        url = place.appendingPathComponent("assay-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The absolute path of a file of the folder.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file, in a folder that is made when it is missing, and returns its path.
    @discardableResult
    package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes a file of text and returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

    /// Runs a shell command in the folder.
    ///
    /// - Returns: its exit status.
    @discardableResult
    package func shell(_ command: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", command]
        process.currentDirectoryURL = url
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
