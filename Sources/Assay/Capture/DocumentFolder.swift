package import AssayCore
import Foundation

/// The documents beside captures, such as status lists: `<FOLDER>/<SHA-256 in hexadecimal>.list` in the folder of the captures.
///
/// A document is written once, when the first record that names it is captured. Each folder keeps the newest ``maximum``.
/// Google changes its status list about daily, so a year of captures can be judged by the lists of the time.
package struct DocumentFolder {
    /// The maximum number of documents in a folder.
    static let maximum = 400
    private static let ending = ".list"

    let captures: String

    package init(beside captures: String) { self.captures = captures }

    /// The folder of the documents of a type.
    package func folder<Document: ConsultedDocument>(of type: Document.Type) -> String {
        "\(captures)/\(Document.folder)"
    }

    private func file<Document: ConsultedDocument>(of type: Document.Type, _ digest: [UInt8]) -> String {
        "\(folder(of: type))/\(digest.hexadecimal)\(Self.ending)"
    }

    /// Writes a document unless it exists. Readers never see a partial file.
    func keep<Document: ConsultedDocument>(_ document: Document) throws(CaptureError) {
        let file = file(of: Document.self, document.digest)
        guard access(file, F_OK) != 0 else { return }
        let folder = folder(of: Document.self)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            // Write to a temporary file and rename it.
            try Data(document.bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw CaptureError(.file, "\(file) cannot be written: \(error.localizedDescription)")
        }
        try removeOldest(in: folder)
    }

    /// The document with a digest; nil if it is missing, or if the file has other contents.
    package func document<Document: ConsultedDocument>(_ type: Document.Type, digest: [UInt8]) -> Document? {
        let handle = FileHandle(forReadingAtPath: file(of: type, digest))
        defer { try? handle?.close() }
        guard let data = try? handle?.read(upToCount: Document.limit + 1),
            let document = try? Document(bytes: Array(data)), document.digest == digest
        else { return nil }
        return document
    }

    private func removeOldest(in folder: String) throws(CaptureError) {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: folder) else { return }
        let documents = names.filter { $0.hasSuffix(Self.ending) }
        guard documents.count > Self.maximum else { return }
        let dated = documents.map { name -> (file: String, time: Date) in
            let file = "\(folder)/\(name)"
            let time = (try? manager.attributesOfItem(atPath: file))?[.modificationDate] as? Date
            return (file, time ?? .distantPast)
        }
        for (file, _) in dated.sorted(by: { $0.time < $1.time }).prefix(documents.count - Self.maximum) {
            // Another process may have removed it.
            guard unlink(file) == 0 || errno == ENOENT else {
                throw CaptureError(.retention, "\(file) cannot be removed: \(SystemCall.error())")
            }
        }
    }
}
