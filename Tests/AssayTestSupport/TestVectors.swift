public import Foundation

/// The test vectors of this repository.
public enum TestVectors {
    /// The folder `TestVectors`.
    public static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../TestVectors", isDirectory: true).standardizedFileURL
}
