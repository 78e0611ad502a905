package import Foundation

/// The executables built together with the running tests.
package enum BuiltProducts {
    /// Why a product could not be found.
    package struct Missing: Error, CustomStringConvertible {
        /// The missing product and the searched folder.
        package let description: String
    }

    /// The path of the executable of a target or product, such as `assay`.
    ///
    /// It is in the folder of the test bundle. On Linux the running program is the bundle; on Darwin a helper in
    /// another folder loads the bundle.
    package static func url(_ name: String) throws -> URL {
        var starts = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
        starts += [URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()]
        starts += CommandLine.arguments.filter { $0.contains(".xctest") }.map { URL(fileURLWithPath: $0) }
        var folders: [String] = []
        for start in starts {
            var folder = start
            // On Darwin the program is three folders deep in its bundle.
            for _ in 0..<5 where folder.path != "/" {
                folder.deleteLastPathComponent()
                let candidate = folder.appendingPathComponent(name)
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue,
                    FileManager.default.isExecutableFile(atPath: candidate.path)
                {
                    return candidate
                }
                folders.append(folder.path)
            }
        }
        throw Missing(
            description: "no executable \(name) beside the tests; run `swift build` first. Looked in "
                + Set(folders).sorted().joined(separator: ", "))
    }
}
