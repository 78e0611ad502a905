import AssayCore
import AssayTesting

/// A minted file of a set of test vectors.
package struct VectorFile: Sendable {
    /// The path below the folder of the set, such as `strict/policy.yaml`.
    package let path: String
    /// The text.
    package let contents: String
    /// Whether the file contains a secret key. If so, it needs mode 0600.
    package let isSecret: Bool

    /// Creates a file.
    package init(path: String, contents: String, isSecret: Bool = false) {
        self.path = path
        self.contents = contents
        self.isSecret = isSecret
    }

    /// The folder, with a slash at its end; empty for the folder of the set.
    package var folder: String { String(path.dropLast(name.count)) }

    /// The file name.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// A file of test vectors before its records are minted and judged.
package struct VectorDraft {
    /// The contents of the file.
    package enum Content {
        /// Unchanged text, such as a policy, a key or an unreadable record.
        case text(String, isSecret: Bool)
        /// Records in the order of receipt.
        case records([VectorCase])
    }

    /// The path below the folder of the set.
    package let path: String
    /// The contents of the file.
    package var content: Content

    package init(_ path: String, text: String, isSecret: Bool = false) {
        self.path = path
        content = .text(text, isSecret: isSecret)
    }

    package init(_ path: String, _ cases: [VectorCase]) {
        self.path = path
        content = .records(cases)
    }

    /// Records that depend on each other.
    init(_ path: String, _ records: [EvidenceRecord]) {
        self.init(path, records.map { record in { record } })
    }

    /// A record without a verdict.
    init(unreadable id: String, _ json: String) { self.init("unreadable/\(id).json", text: json) }

    /// Records without a verdict, each with a part of the text replaced.
    static func unreadable(
        _ changes: [(id: String, json: String, part: String, replacement: String)]
    ) throws(MintingError) -> [VectorDraft] {
        var drafts: [VectorDraft] = []
        for (id, json, part, replacement) in changes {
            guard json.contains(part) else { throw MintingError("no \(part) in the record for \(id)") }
            drafts.append(VectorDraft(unreadable: id, json.replacing(part, with: replacement)))
        }
        return drafts
    }
}
