import Assay
package import AssayCore
import AssayTestSupport
package import Foundation

/// The records of a folder, with the policy under which they are judged.
package struct VectorFolder: Sendable {
    /// A file of records.
    package struct File: Sendable {
        /// The path in the folder.
        package let name: String
        /// The bytes.
        package let contents: [UInt8]
    }

    /// `TestVectors` or `shared`, with the path below it.
    package let name: String
    /// The policy file.
    package let policyURL: URL
    /// The policy.
    package let policy: VerificationPolicy
    /// The record files, sorted by name.
    package let files: [File]
    /// The files without a readable record.
    package let unreadable: [File]

    /// The folders with a policy, in this repository and, if available, in the shared vectors.
    package static func all() throws -> [VectorFolder] {
        try folders(in: TestVectors.folder, named: "TestVectors")
            + (SharedFiles.root.map { root in
                try folders(in: root.appendingPathComponent("vectors", isDirectory: true), named: "shared")
            } ?? [])
    }

    /// Reads a policy file.
    static func policy(at url: URL) throws -> VerificationPolicy {
        var text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        if url.deletingLastPathComponent().lastPathComponent == "play-integrity-answers" {
            // Other servers issued the nonces of these answers, so the caller must be responsible for them.
            text = text.replacingOccurrences(of: "playIntegrity:", with: "playIntegrity:\n      challenge: caller")
        }
        return try PolicyFile.parse(
            text, file: url.path,
            files: VectorPolicyFiles(folder: url.deletingLastPathComponent()))
    }

    /// Files that are no records: a status list, and the facts that verdicts must state.
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

/// The files that the policies of vectors name. Their keys are public, so access permissions are not checked.
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
