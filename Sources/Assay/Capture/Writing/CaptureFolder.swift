import Foundation

/// The folder of capture files `captures-<time>-<process>-<number>.ndjson`, which sort by time.
struct CaptureFolder {
    private static let prefix = "captures-"

    let path: String

    /// Creates the folder with mode 0700 if it is missing. Refuses a folder into which another user can put files, since replays
    /// believe them.
    init(_ path: String) throws(CaptureError) {
        self.path = path
        try make()
        var status = stat()
        guard stat(path, &status) == 0, status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0
        else {
            throw CaptureError(
                .folder,
                "the folder \(path) is that of another user, or others may write to it: take one of your own, with mode 0700"
            )
        }
    }

    private func make() throws(CaptureError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CaptureError(.folder, "the folder \(path) cannot be made: \(error.localizedDescription)")
        }
    }

    /// Creates the next file, with a name that no other process uses, not even one with the same process ID. `number`
    /// is that of the last file, and becomes that of the new one.
    func createFile(_ number: inout Int, at now: Date) throws(CaptureError) -> CaptureFile {
        let time = Self.time(now)
        // The folder may have been removed.
        if access(path, F_OK) != 0 { try make() }
        for _ in 0..<10_000 {
            number += 1
            let digits = String(number)
            let padded = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
            let name = "\(CaptureFolder.prefix)\(time)-\(getpid())-\(padded).ndjson"
            if let file = try CaptureFile.create("\(path)/\(name)", at: now) { return file }
        }
        throw CaptureError(.folder, "the folder \(path) has files of every name for the time \(time)")
    }

    /// A time as in names.
    private static func time(_ date: Date) -> String {
        RFC3339.format(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)))
            .filter { $0 != "-" && $0 != ":" }
    }

    /// Proves that a file can be created and written.
    func requireWritable() throws(CaptureError) {
        let path = "\(path)/.assay-\(getpid())-\(UInt32.random(in: .min ... .max))"
        guard let file = try CaptureFile.create(path, at: Date()) else { return }
        defer { unlink(path) }
        try file.append([UInt8(ascii: "\n")], size: 0)
    }

    /// Removes expired files and the oldest beyond the limits, except the current file `present`.
    func removeOldest(keeping options: CaptureOptions, besides present: String?, at now: Date) throws(CaptureError) {
        guard options.maximumFiles != nil || options.maximumTotalBytes != nil || options.keepFor != nil else { return }
        var files = try files().filter { $0.path != present }
        var total = files.reduce(0) { $0 + $1.size }
        let others = present == nil ? 0 : 1
        let begin = options.keepFor.map { "\(path)/\(Self.prefix)\(Self.time(now.addingTimeInterval(-$0)))" }
        while let oldest = files.first,
            files.count + others > options.maximumFiles ?? .max || total > options.maximumTotalBytes ?? .max
                || begin.map({ oldest.path < $0 }) ?? false
        {
            // Another process may have removed it.
            guard unlink(oldest.path) == 0 || errno == ENOENT else {
                throw CaptureError(.retention, "\(oldest.path) cannot be removed: \(SystemCall.error())")
            }
            total -= oldest.size
            files.removeFirst()
        }
    }

    /// The capture files, also compressed ones, by the time in their names.
    func files() throws(CaptureError) -> [(path: String, size: Int)] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw CaptureError(
                .retention, "the folder \(path) cannot be looked into: \(error.localizedDescription)")
        }
        let endings = [".ndjson", ".ndjson.gz", ".ndjson.zst"]
        return names.filter { name in name.hasPrefix(CaptureFolder.prefix) && endings.contains { name.hasSuffix($0) } }
            .sorted().compactMap { name in
                let file = "\(path)/\(name)"
                var status = stat()
                guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
                return (file, Int(status.st_size))
            }
    }
}
