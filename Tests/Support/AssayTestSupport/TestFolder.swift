package import Foundation

/// A temporary folder for a test, removed on deinit.
package final class TestFolder: Sendable {
    /// The location of the folder.
    package let url: URL

    /// Creates the folder, by default in the folder for temporary files.
    package init(in place: URL = FileManager.default.temporaryDirectory) throws {
        url = place.appendingPathComponent("assay-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The absolute path of a file in the folder.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file, creates missing folders, and returns the path.
    @discardableResult
    package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes a text file and returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

    /// Runs a shell command in the folder. What it prints goes to the standard error of the tests.
    ///
    /// - Returns: the exit status.
    @discardableResult
    package func shell(_ command: String, within limit: Duration = TooSlow.limit) throws -> Int32 {
        let run = try ProgramRun("/bin/sh", ["-ec", command], in: url, within: limit)
        FileHandle.standardError.write(Data(run.said))
        return run.status
    }
}
