package import Foundation

/// A temporary folder for key files, removed on deinit.
package final class KeyFolder {
    private let folder: TestFolder

    /// Creates the folder.
    package init() throws { folder = try TestFolder() }

    /// The location of the folder.
    package var url: URL { folder.url }

    /// The absolute path of a file in the folder.
    package func path(_ name: String) -> String { folder.path(name) }

    /// Writes a file, with mode 0600 by default, and returns its path.
    @discardableResult
    package func write(_ name: String, _ contents: String, mode: Int = 0o600) throws -> String {
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }
}
