import Foundation

/// The distinct blobs of the test vectors.
package enum VectorBlobs {
    /// A blob and its first location.
    package struct Blob: Sendable {
        /// The file, and the field of the record.
        package let name: String
        /// The bytes.
        package let bytes: [UInt8]
    }

    /// Every evidence field, decoded if it is base64, and every small file that is not a record.
    package static func all() throws -> [Blob] {
        var folders = [TestVectors.folder]
        if let shared = SharedFiles.root { folders.append(shared.appendingPathComponent("vectors")) }
        var seen: Set<[UInt8]> = []
        var blobs: [Blob] = []
        for folder in folders {
            for file in try files(in: folder) {
                for (name, bytes) in contents(of: file, try Data(contentsOf: file))
                where !bytes.isEmpty && seen.insert(bytes).inserted {
                    blobs.append(Blob(name: name, bytes: bytes))
                }
            }
        }
        return blobs
    }

    private static func files(in folder: URL) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .filter { name in [".json", ".b64", ".pem"].contains { name.hasSuffix($0) } }
            .map { folder.appendingPathComponent($0) }
    }

    private static func contents(of file: URL, _ data: Data) -> [(String, [UInt8])] {
        let name = file.lastPathComponent
        let whole = data.count <= 4096 ? [(name, Array(data))] : []
        guard let document = try? JSONSerialization.jsonObject(with: data) else { return whole }
        let records = document as? [Any] ?? [document]
        let fields = records.flatMap { record -> [(String, Any)] in
            guard let evidence = (record as? [String: Any])?["evidence"] as? [String: Any] else { return [] }
            return evidence.sorted { $0.key < $1.key }.map { ("\(name) \($0.key)", $0.value) }
        }
        return whole
            + fields.compactMap { name, value in
                if let text = value as? String {
                    let decoded = text.utf8.count > 40 ? Data(base64Encoded: text) : nil
                    return (name, decoded.map { Array($0) } ?? Array(text.utf8))
                }
                guard let object = value as? [String: Any] else { return nil }
                return (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)).map {
                    (name, Array($0))
                }
            }
    }
}
