import Foundation

/// Finds the files of a corpus in the order of the given paths; below each, in byte order of paths.
struct CorpusWalk {
    /// One result of the walk.
    enum Finding {
        case file(FoundFile)
        /// A file or folder that cannot be opened, and the reason.
        case unreadable(CorpusFile, String)
        /// A note about a skipped entry.
        case note(String)
    }

    private struct Folder {
        let path: [UInt8]
        /// The remaining entries in reverse order.
        var entries: [FolderEntry]
    }

    private var paths: ArraySlice<String>
    private var root = ""
    private var folders: [Folder] = []
    /// The visited folders below ``root``. Each is visited once, so link cycles end.
    private var walked: Set<FileIdentity> = []
    /// Whether anything was found below ``root``.
    private var hasFound = false

    init(paths: [String]) {
        self.paths = paths[...]
    }

    /// The next finding; nil after the last one.
    mutating func next() -> Finding? {
        while true {
            if folders.isEmpty {
                guard let path = paths.popFirst() else { return nil }
                if let finding = begin(path) { return finding }
                continue
            }
            guard let entry = folders[folders.count - 1].entries.popLast() else {
                let folder = folders.removeLast()
                if folders.isEmpty, !hasFound { return .unreadable(file(folder.path), CorpusWalk.emptiness) }
                continue
            }
            let path = CorpusWalk.join(folders[folders.count - 1].path, entry.name)
            guard let finding = look(at: entry, path) else { continue }
            if case .note = finding { return finding }
            hasFound = true
            return finding
        }
    }

    private mutating func begin(_ path: String) -> Finding? {
        if path == "-" {
            let file = CorpusFile(name: "standard input", folder: nil)
            return .file(FoundFile(file: file, path: nil, isNamed: true))
        }
        root = path
        (walked, hasFound) = ([], false)
        let bytes = Array(path.utf8)
        // Opening the file reports errors that stat hides.
        if FileStatus(bytes)?.isFolder == true { return enter(bytes) }
        return .file(FoundFile(file: file(bytes), path: bytes, isNamed: true))
    }

    private mutating func look(at entry: FolderEntry, _ path: [UInt8]) -> Finding? {
        switch entry.kind {
        case .folder: return enter(path)
        case .file:
            guard entry.isRecordFile else { return nil }
            return .file(FoundFile(file: file(path), path: path, isNamed: false))
        case .other:
            return .note("\(text(path)) is passed over: it is a socket, a pipe or a device")
        case .dangling:
            return entry.isRecordFile ? .unreadable(file(path), "it is a link that leads nowhere") : nil
        }
    }

    /// Lists a folder, whose entries are visited next.
    private mutating func enter(_ path: [UInt8]) -> Finding? {
        guard let status = FileStatus(path) else {
            return .unreadable(file(path), "the folder cannot be looked at: \(systemError(errno))")
        }
        guard walked.insert(status.identity).inserted else {
            return .note("\(text(path)) is passed over: links lead to the same folder twice")
        }
        guard let entries = FolderEntry.entries(of: path) else {
            return .unreadable(file(path), "the folder cannot be looked into: \(systemError(errno))")
        }
        folders.append(Folder(path: path, entries: entries))
        return nil
    }

    private static let emptiness =
        "the folder has no records in it: files in folders are read when they are called *.json, *.ndjson or *.jsonl, each "
        + "also with .gz or .zst; *.partial is a corpus that was not minted to its end"

    private func file(_ path: [UInt8]) -> CorpusFile {
        CorpusFile(name: text(path), folder: text(CorpusWalk.parent(of: path)), root: root)
    }

    private func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }

    private static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        folder.last == UInt8(ascii: "/") ? folder + name : folder + [UInt8(ascii: "/")] + name
    }

    private static func parent(of path: [UInt8]) -> [UInt8] {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
        return slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
    }
}

/// A file of a corpus to read.
struct FoundFile {
    let file: CorpusFile
    /// Its path; nil for standard input.
    let path: [UInt8]?
    /// Whether the user gave its path.
    let isNamed: Bool
}

struct FolderEntry {
    /// The type of an entry, after following links.
    enum Kind {
        case file
        case folder
        /// A socket, a pipe or a device.
        case other
        /// A link whose target is missing or inaccessible.
        case dangling
    }

    /// The bytes of the name.
    let name: [UInt8]
    /// The type, after following links.
    let kind: Kind

    /// The file name extensions of record files.
    private static let endings = ["json", "ndjson", "jsonl"].flatMap { name in
        ["", ".gz", ".zst"].map { Array(".\(name)\($0)".utf8) }
    }

    /// Whether the name has one of these extensions.
    var isRecordFile: Bool { FolderEntry.endings.contains { name.suffix($0.count) == $0[...] } }

    /// The entries in reverse byte order of the paths below the folder; nil on an error, with `errno` set.
    static func entries(of folder: [UInt8]) -> [FolderEntry]? {
        guard let names = names(in: folder) else { return nil }
        let entries = names.map { FolderEntry(name: $0, kind: kind(of: $0, in: folder)) }
        // Sort folders with a trailing slash: some characters sort before it.
        func key(_ entry: FolderEntry) -> [UInt8] {
            entry.kind == .folder ? entry.name + [UInt8(ascii: "/")] : entry.name
        }
        return entries.sorted { key($1).lexicographicallyPrecedes(key($0)) }
    }

    private static func names(in folder: [UInt8]) -> [[UInt8]]? {
        guard let directory = unsafe folder.withCPath({ unsafe opendir($0) }) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [[UInt8]] = []
        errno = 0
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
            errno = 0
        }
        return errno == 0 ? names : nil
    }

    private static func kind(of name: [UInt8], in folder: [UInt8]) -> Kind {
        guard let status = FileStatus(folder + [UInt8(ascii: "/")] + name) else { return .dangling }
        return status.isFolder ? .folder : status.isRegular ? .file : .other
    }
}

/// The status of a file, after following links.
struct FileStatus {
    private let status: stat

    /// Reads the status; nil on an error, with `errno` set.
    init?(_ path: [UInt8]) {
        var status = stat()
        guard unsafe path.withCPath({ unsafe stat($0, &status) }) == 0 else { return nil }
        self.status = status
    }

    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var size: Int { Int(status.st_size) }
    var identity: FileIdentity { FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)) }
}

/// Identifies a file on this host.
struct FileIdentity: Hashable {
    let device: UInt64
    let number: UInt64
}
