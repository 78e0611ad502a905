import Foundation

/// A storage in a folder, for systems without a Keychain. Files have the mode 0600, and are replaced as a whole.
public struct FileStorage: StateStorage {
    private let folder: URL

    /// - Parameter folder: made with the mode 0700 if it does not exist, and excluded from backups.
    public init(folder: URL) { self.folder = folder }

    private struct Envelope: Codable {
        var version: String
        var data: Data
    }

    private func path(_ name: StateName) -> String { folder.appendingPathComponent("assay-\(name.text).json").path }

    /// The entry. One that a fault of the disk has damaged is without data, so that the kit begins anew.
    public func read(_ name: StateName) throws -> StoredState? {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StorageFailure("open \(errno)")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let content = try? handle.read(upToCount: 1 << 20) else { throw StorageFailure("read") }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: content) else {
            return StoredState(data: nil, version: "damaged")
        }
        return StoredState(data: envelope.data, version: envelope.version)
    }

    /// Replaces the entry if it has the version. A lock on a file keeps other processes away meanwhile.
    public func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        #if canImport(Darwin)
            var (place, values) = (folder, URLResourceValues())
            values.isExcludedFromBackup = true
            try? place.setResourceValues(values)
        #endif
        let lock = open(path(name) + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw StorageFailure("open of the lock \(errno)") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw StorageFailure("lock \(errno)") }
        }
        guard try read(name)?.version == version else { return nil }
        let new = StoredState(data: data)
        if let data {
            try replace(path(name), with: JSONEncoder().encode(Envelope(version: new.version, data: data)))
        } else if unlink(path(name)) != 0, errno != ENOENT {
            throw StorageFailure("unlink \(errno)")
        }
        return new
    }

    /// Writes a file beside it, has it reach the disk, and renames it.
    private func replace(_ path: String, with content: Data) throws {
        // Under the lock there is one writer; a file of a killed process is overwritten.
        let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageFailure("open for writing \(errno)") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: content)
            try handle.synchronize()
        } catch { throw StorageFailure("write") }
        guard rename(path + ".new", path) == 0 else { throw StorageFailure("rename \(errno)") }
    }
}
