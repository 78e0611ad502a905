import Assay
package import AssayCore
import Foundation
import Synchronization

/// The documents beside captures, for analyses that judge each record by those of its time.
package final class CapturedDocuments: DocumentArchive {
    private let folders: [DocumentFolder]
    private let known = Mutex<[[UInt8]: any ConsultedDocument]>([:])

    /// The maximum number of cached documents. Usual captures use few; this bounds hostile records.
    private static let capacity = 64

    /// Searches beside files with records, and in folders.
    package init(beside paths: [String]) {
        var folders: [String] = []
        for path in paths {
            var isFolder: ObjCBool = false
            let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            let folder =
                exists && isFolder.boolValue ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
            if !folders.contains(folder) { folders.append(folder) }
        }
        self.folders = folders.map { DocumentFolder(beside: $0) }
    }

    package func place<Document: ConsultedDocument>(of type: Document.Type) -> String {
        folders.isEmpty ? "any folder" : folders.map { $0.folder(of: type) }.joined(separator: ", ")
    }

    /// The document with a digest; nil if no folder has it.
    package func document<Document: ConsultedDocument>(_ type: Document.Type, digest: [UInt8]) -> Document? {
        if let known = known.withLock({ $0[digest] }) as? Document { return known }
        guard let document = folders.lazy.compactMap({ $0.document(type, digest: digest) }).first else { return nil }
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[digest] = document
        }
        return document
    }
}
