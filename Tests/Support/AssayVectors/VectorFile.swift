package import AssayCore

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
    /// Mints a record whose expectation names checks and no codes.
    package typealias Record = () throws -> EvidenceRecord

    /// What the file holds.
    package enum Content {
        /// Text as it stands, such as a policy, a key or a record that cannot be read.
        case text(String, isSecret: Bool)
        /// Records in the order of their reception.
        case records([Record])
    }

    /// The path below the folder of the set.
    package let path: String
    /// What the file holds.
    package var content: Content

    package init(path: String, contents: String, isSecret: Bool = false) {
        self.path = path
        content = .text(contents, isSecret: isSecret)
    }

    package init(path: String, records: [Record]) {
        self.path = path
        content = .records(records)
    }
}
