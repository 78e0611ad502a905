import Foundation

/// One entry of a folder.
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
    /// The size in bytes.
    var size: Int { Int(status.st_size) }
    var identity: FileIdentity { FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)) }
}

/// Identifies a file on this host.
struct FileIdentity: Hashable {
    let device: UInt64
    let number: UInt64
}
