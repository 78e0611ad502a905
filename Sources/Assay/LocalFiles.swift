package import AssayCore
import Foundation

/// Reads the local files that a policy names.
package struct LocalFiles: PolicyFiles {
    private let directory: URL

    /// Resolves relative paths against the folder of a file.
    package init(relativeTo path: String) {
        directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    }

    /// The contents of the file in a scalar `file:PATH`.
    package func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        try contents(of: node, limit: InputLimits.policy)
    }

    /// The contents of the file in a scalar `file:PATH`, at most `limit` bytes.
    package func contents(of node: PolicyNode, limit: Int) throws(PolicyError) -> [UInt8] {
        let text = try node.text()
        guard text.utf8.starts(with: "file:".utf8), text.utf8.count > 5 else {
            throw node.error("expected file:PATH, found \(node.found)")
        }
        let path = URL(fileURLWithPath: String(decoding: text.utf8.dropFirst(5), as: UTF8.self), relativeTo: directory)
            .path
        do {
            return try LocalFiles.read(path, limit: limit)
        } catch {
            throw node.error("\(path.excerpt(atMost: 1024)): \(error.message)")
        }
    }

    /// The contents of the source of a key's part; see ``SecretSource``.
    package func contents(of part: KeyPart, at node: PolicyNode) throws(PolicyError) -> SecretBytes {
        let text = try node.text()
        do {
            return try SecretSource(text, relativeTo: directory.path).read(isSecret: part.isSecret)
        } catch {
            throw node.error(error.message)
        }
    }

    /// Reads a file of at most `limit` bytes. Errors carry the file separately from the message.
    static func read(_ path: String, limit: Int) throws(PolicyError) -> [UInt8] {
        do {
            return try TrustedFile.read(path, limit: limit).withUnsafeBytes { Array($0) }
        } catch {
            throw PolicyError(file: path, field: "", error.message)
        }
    }
}
