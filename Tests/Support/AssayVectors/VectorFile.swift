import AssayCore
import AssayTesting

/// A minted file of a set of test vectors.
package struct VectorFile: Sendable {
    /// The path below the folder of the set, such as `strict/policy.yaml`.
    package let path: String
    /// The text.
    package let contents: String
    /// Whether the file holds a secret key and must be readable by its owner only: mode 0600.
    package let isSecret: Bool

    /// Names a file.
    package init(path: String, contents: String, isSecret: Bool = false) {
        self.path = path
        self.contents = contents
        self.isSecret = isSecret
    }

    /// The folder, with a slash at its end; empty for the folder of the set.
    package var folder: String { String(path.dropLast(name.count)) }

    /// The last part of the path.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// A file of a set of test vectors before its records are minted and judged.
package struct VectorDraft {
    /// What the file holds.
    package enum Content {
        /// Text as it stands, such as a policy, a key or a record that cannot be read.
        case text(String, isSecret: Bool)
        /// Records in the order of their reception.
        case records([VectorCase])
    }

    /// The path below the folder of the set.
    package let path: String
    /// What the file holds.
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

    /// A record that has no verdict.
    init(unreadable id: String, _ json: String) { self.init("unreadable/\(id).json", text: json) }

    /// Records in which a part of the text is replaced, which leaves none that has a verdict.
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
