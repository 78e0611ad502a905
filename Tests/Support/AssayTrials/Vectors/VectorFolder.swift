import Assay
package import AssayCore
import AssayTestSupport
package import Foundation

/// Records that stand beside the policy that they are judged under.
package struct VectorFolder: Sendable {
    /// A file of records.
    package struct File: Sendable {
        /// The name below the folder.
        package let name: String
        /// The bytes.
        package let contents: [UInt8]
    }

    /// Which vectors: `TestVectors` or `shared`, with the path below it.
    package let name: String
    /// The policy file.
    package let policyURL: URL
    /// The policy, as it is written.
    package let policy: VerificationPolicy
    /// The records, in the order of their names.
    package let files: [File]
    /// The files that hold no record that can be judged.
    package let unreadable: [File]

    /// The vectors of this repository and, where they are, the shared ones: each folder that has a policy.
    package static func all() throws -> [VectorFolder] {
        try folders(in: TestVectors.folder, named: "TestVectors")
            + (SharedFiles.root.map { root in
                try folders(in: root.appendingPathComponent("vectors", isDirectory: true), named: "shared")
            } ?? [])
    }

    /// Reads the policy of vectors.
    static func policy(at url: URL) throws -> VerificationPolicy {
        var text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        if url.deletingLastPathComponent().lastPathComponent == "play-integrity-answers" {
            // Others issued the nonces of these answers, and the policy does not say that the caller compares them.
            text = text.replacingOccurrences(of: "playIntegrity:", with: "playIntegrity:\n      challenge: caller")
        }
        return try PolicyFile.parse(
            text, file: url.path,
            files: VectorPolicyFiles(folder: url.deletingLastPathComponent()))
    }

    /// Files beside records that are none: a list of revoked keys, and facts that verdicts must name.
    private static let others: Set<String> = ["status.json", "subjects.json"]

    private static func folders(in root: URL, named name: String) throws -> [VectorFolder] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
        return try paths.filter { $0.hasSuffix("policy.yaml") }.map { path in
            let folder = String(path.split(separator: "/").dropLast().joined(separator: "/"))
            func files(_ folder: String) throws -> [File] {
                let prefix = folder + "/"
                return try paths.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }
                    .map { String($0.dropFirst(prefix.count)) }.filter { !$0.contains("/") && !others.contains($0) }
                    .map {
                        File(name: $0, contents: Array(try Data(contentsOf: root.appendingPathComponent(prefix + $0))))
                    }
            }
            let url = root.appendingPathComponent(path)
            return VectorFolder(
                name: "\(name)/\(folder)", policyURL: url,
                policy: try policy(at: url),
                files: try files(folder), unreadable: try files(folder + "/unreadable"))
        }
    }
}

/// The files that the policies of vectors refer to. Their keys are known to everybody, so that nobody looks at who may
/// read them.
private struct VectorPolicyFiles: PolicyFiles {
    let folder: URL

    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        let path = try node.text().dropFirst("file:".count)
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(String(path))) else {
            throw node.error("no such file")
        }
        return Array(data)
    }
}
