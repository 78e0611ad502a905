package import AndroidKey
package import AssayCore
import Foundation
import Synchronization

/// The status lists beside captures: `status-lists/<SHA-256 in hexadecimal>.list` in the folder of the captures.
///
/// A list is written once, when the first record that names it is captured. The folder keeps the newest ``maximum``.
/// Google changes its list about daily, so a year of captures can be judged by the lists of the time.
struct StatusListFolder {
    /// The name of the folder.
    static let name = "status-lists"
    /// The maximum number of lists in a folder.
    static let maximum = 400
    private static let ending = ".list"

    let path: String

    /// The lists in the folder of captures.
    init(beside folder: String) { path = "\(folder)/\(Self.name)" }

    private func file(of digest: [UInt8]) -> String { "\(path)/\(digest.hexadecimal)\(Self.ending)" }

    /// Writes a list unless it exists. Readers never see a partial file.
    func keep(_ list: AttestationStatusList) throws(CaptureError) {
        let file = file(of: list.digest)
        guard access(file, F_OK) != 0 else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            // Write to a temporary file and rename it.
            try Data(list.json).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw CaptureError(.file, "the status list \(file) cannot be written: \(error.localizedDescription)")
        }
        try removeOldest()
    }

    /// The list with a digest; nil if it is missing, or if the file has other contents.
    func list(_ reference: AttestationStatusReference) -> AttestationStatusList? {
        let handle = FileHandle(forReadingAtPath: file(of: reference.digest))
        defer { try? handle?.close() }
        guard let data = try? handle?.read(upToCount: AttestationStatusList.limit + 1),
            let list = try? AttestationStatusList(json: Array(data), fetchedAt: reference.fetchedAt),
            list.digest == reference.digest
        else { return nil }
        return list
    }

    private func removeOldest() throws(CaptureError) {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: path) else { return }
        let lists = names.filter { $0.hasSuffix(Self.ending) }
        guard lists.count > Self.maximum else { return }
        let dated = lists.map { name -> (file: String, time: Date) in
            let file = "\(path)/\(name)"
            let time = (try? manager.attributesOfItem(atPath: file))?[.modificationDate] as? Date
            return (file, time ?? .distantPast)
        }
        for (file, _) in dated.sorted(by: { $0.time < $1.time }).prefix(lists.count - Self.maximum) {
            // Another process may have removed it.
            guard unlink(file) == 0 || errno == ENOENT else {
                throw CaptureError(.retention, "\(file) cannot be removed: \(SystemCall.error())")
            }
        }
    }
}

/// The status lists beside captures, for analyses that judge each record by the list of its time.
package final class CapturedStatusLists: AttestationStatusArchive {
    private let folders: [StatusListFolder]
    private let known = Mutex<[[UInt8]: AttestationStatusList]>([:])

    /// The maximum number of cached lists. Usual captures use few; this bounds hostile records.
    private static let capacity = 64

    /// Searches beside files with records, and in folders.
    package init(beside paths: [String]) {
        var folders: [String] = []
        for path in paths {
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            let folder =
                exists && isFolder.boolValue ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
            if !folders.contains(folder) { folders.append(folder) }
        }
        self.folders = folders.map(StatusListFolder.init)
    }

    /// The list that a record names; nil for a record that names none, which is judged by its policy.
    ///
    /// - Throws: `.request` if no folder has the list, because the original judgement cannot be repeated.
    package func statusList(
        asCaptured reference: AttestationStatusReference?
    ) async throws(VerificationError) -> AttestationStatusList? {
        guard let reference else { return nil }
        if let list = known.withLock({ $0[reference.digest] }) {
            return AttestationStatusList(list, fetchedAt: reference.fetchedAt)
        }
        guard let list = folders.lazy.compactMap({ $0.list(reference) }).first else {
            throw .request(
                RequestError(
                    .noStatusList,
                    "the record was judged by the status list \(reference.digest.hexadecimal), which is not in "
                        + (folders.isEmpty ? "any folder" : folders.map(\.path).joined(separator: ", "))))
        }
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[reference.digest] = list
        }
        return list
    }
}
