package import Foundation

/// A folder for files with keys, which is gone at the end of the test.
package final class KeyFolder {
    private let folder: TestFolder

    /// Makes the folder.
    package init() throws { folder = try TestFolder() }

    /// Where it is.
    package var url: URL { folder.url }

    /// The absolute path of a file of the folder.
    package func path(_ name: String) -> String { folder.path(name) }

    /// Writes a file, for its user alone unless told otherwise, and returns its path.
    @discardableResult
    package func write(_ name: String, _ contents: String, mode: Int = 0o600) throws -> String {
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }
}
