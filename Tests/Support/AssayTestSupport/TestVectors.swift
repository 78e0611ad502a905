package import Foundation

/// The test vectors of this repository.
package enum TestVectors {
    /// The folder `TestVectors`.
    package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../TestVectors", isDirectory: true).standardizedFileURL

    /// The JSON files of `TestVectors` and, if available, of the shared vectors, sorted by path.
    package static func recordFiles() throws -> [URL] {
        var folders = [folder]
        if let root = SharedFiles.root { folders.append(root.appendingPathComponent("vectors", isDirectory: true)) }
        return try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.sorted()
                .map { folder.appendingPathComponent($0) }
        }
    }
}
