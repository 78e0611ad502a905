public import Foundation

/// A folder for files with keys, which is gone at the end of the test.
public final class KeyFolder {
    /// Where it is.
    public let url: URL

    /// Makes the folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("assay-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The absolute path of a file of the folder.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file, for its user alone unless told otherwise, and returns its path.
    @discardableResult
    public func write(_ name: String, _ contents: String, mode: Int = 0o600) throws -> String {
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }
}
