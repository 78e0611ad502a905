package import Foundation

/// Captured evidence and third-party test suites that are not part of this repository.
///
/// The environment variable `ASSAY_SHARED` names their folder. Without it, the tests that need them are skipped and say
/// so; with it, a missing file is a failure.
package enum SharedFiles {
    /// The folder; nil if the variable is not set.
    package static let root: URL? = ProcessInfo.processInfo.environment["ASSAY_SHARED"].flatMap {
        $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true)
    }

    /// Whether the variable is set. For `.enabled(if:)`.
    package static var isAvailable: Bool { root != nil }

    /// The reason for skipping a test.
    package static let hint = "set ASSAY_SHARED to the folder with vectors/ and suites/ to run this"

    /// Why a shared file could not be used.
    package struct Missing: Error, CustomStringConvertible {
        /// The missing file.
        package let description: String
    }

    /// The contents of a file, by its path in the folder.
    package static func data(_ path: String) throws -> Data {
        guard let root else { throw Missing(description: hint) }
        return try Data(contentsOf: root.appendingPathComponent(path))
    }

    /// A decoded JSON file of the suites.
    package static func json<Value: Decodable>(_ path: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: data(path))
    }

    /// The sorted names of the files in a folder that end in `suffix`.
    package static func files(in folder: String, suffix: String) throws -> [String] {
        guard let root else { throw Missing(description: hint) }
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }
}
