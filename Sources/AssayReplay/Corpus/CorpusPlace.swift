import AssayCore

/// A file of a corpus. Paths are told apart by their bytes, as the system does.
public struct CorpusFile: Sendable, Equatable {
    /// What messages call it: its path, or `standard input`. It may have characters in it that terminals act on.
    public let name: String
    /// Its folder, in which a policy may stand beside it; nil for standard input.
    public let folder: String?
    /// The argument that led to it: the file itself, or the folder in which it was found; nil for standard input.
    public let root: String?

    /// Names a file.
    public init(name: String, folder: String?, root: String? = nil) {
        self.name = name
        self.folder = folder
        self.root = root
    }

    /// Whether all three are the same, byte for byte.
    public static func == (left: CorpusFile, right: CorpusFile) -> Bool {
        left.name.isByteEqual(to: right.name) && same(left.folder, right.folder) && same(left.root, right.root)
    }

    private static func same(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isByteEqual(to: right)
    }
}

/// Where a record of a corpus stands.
public struct CorpusPlace: Sendable, Equatable, CustomStringConvertible {
    /// The file.
    public let file: CorpusFile
    /// The line, from 1 on, where a record takes up one; nil for a record of a JSON document.
    public let line: Int?
    /// The record's number in its file, from 1 on; 0 for the file itself, when there is something to say of it.
    public let number: Int

    /// Describes a place.
    public init(file: CorpusFile, line: Int?, number: Int) {
        self.file = file
        self.line = line
        self.number = number
    }

    /// File, and line or record.
    public var description: String {
        if let line { return "\(file.name):\(line)" }
        return number == 0 ? file.name : "\(file.name): record \(number)"
    }
}
