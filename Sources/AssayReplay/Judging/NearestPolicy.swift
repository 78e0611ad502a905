import Foundation

/// Where the policy of a file may stand.
enum NearestPolicy {
    /// The folder of a file and those above it, up to the one that was named as corpus; only its own for a file that was
    /// named itself, and none for standard input.
    static func folders(of file: CorpusFile) -> [String] {
        guard let folder = file.folder else { return [] }
        var folders = [folder]
        let root = withoutSlashes(file.root ?? folder)
        var current = withoutSlashes(folder)
        while current.utf8.count > root.utf8.count, current.utf8.starts(with: root.utf8),
            let slash = current.lastIndex(of: "/")
        {
            let parent = slash == current.startIndex ? "/" : withoutSlashes(String(current[..<slash]))
            guard parent.utf8.count >= root.utf8.count else { break }
            folders.append(parent)
            current = parent
        }
        return folders
    }

    /// Whether there is a file, be it one that cannot be read: then that is what has to be said.
    static func exists(_ path: String) -> Bool {
        // A link that leads nowhere is there as well, and the policy that was meant is not the next one above.
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }

    /// Whether it can be read to an end: nobody has asked for this very file, which may be a pipe that never ends.
    static func isReadable(_ path: String) -> Bool { FileStatus(Array(path.utf8))?.isRegular ?? true }

    private static func withoutSlashes(_ path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }
}
