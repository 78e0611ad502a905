package import Foundation

/// The evidence and the third-party suites that tests run against and that are not part of this repository.
///
/// They are found through the environment variable `ASSAY_SHARED`. Without it the tests that need them are skipped,
/// visibly; with it a missing file is a failure.
package enum SharedFiles {
    /// The folder, when the environment names one.
    package static let root: URL? = ProcessInfo.processInfo.environment["ASSAY_SHARED"].flatMap {
        $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true)
    }

    /// Whether the environment names a folder. For `.enabled(if:)`.
    package static var isAvailable: Bool { root != nil }

    /// What a skipped test says.
    package static let hint = "set ASSAY_SHARED to the folder with vectors/ and suites/ to run this"

    /// Why a shared file could not be used.
    package struct Missing: Error, CustomStringConvertible {
        /// What is missing.
        package let description: String
    }

    /// The contents of a file, by its path inside the folder.
    package static func data(_ path: String) throws -> Data {
        guard let root else { throw Missing(description: hint) }
        return try Data(contentsOf: root.appendingPathComponent(path))
    }

    /// A JSON file of the suites, decoded.
    package static func json<Value: Decodable>(_ path: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: data(path))
    }

    /// The names of the files of a folder that end in `suffix`, sorted.
    package static func files(in folder: String, suffix: String) throws -> [String] {
        guard let root else { throw Missing(description: hint) }
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }
}
