package import AssayCore
import AssayPrimitives

/// Evidence records: a JSON object, an array of them, or one per line (NDJSON).
package enum RecordFormat: BlobFormat {
    /// The format of the command line, captures and test vectors.
    package static let name = "evidence record"

    /// Recognises `kind` and `evidence` in the first record.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = bytes.first(where: { !RecordDocument.isSpace($0) }), "{[".utf8.contains(first) else {
            return nil
        }
        guard let record = RecordDocument(bytes).records.first?.node, case .object(let members) = record.content else {
            return nil
        }
        let (kind, evidence) = (record["kind"]?.text, record["evidence"])
        let words = kind.map { "kind \($0.excerpt)" }
        switch (words, evidence?.content) {
        case (let words?, .object?):
            return Recognition(.certain, because: "it is JSON with \(words) and an object evidence")
        case (nil, .object?) where members.allSatisfy({ fields.containsBytes(of: $0.key.text ?? "") }):
            return Recognition(.structure, because: "it is JSON with an object evidence, and no kind")
        case (let words?, _) where words.utf8.contains(UInt8(ascii: ".")):
            return Recognition(.structure, because: "it is JSON with \(words), and no evidence")
        default: return nil
        }
    }

    /// Annotates records without the formats of engines. ``Inspector`` uses the engines.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        RecordAnnotator(engines: []).contents(of: bytes)
    }

    /// The first error of the strict JSON reader, for a file with one record or an array.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        let document = RecordDocument(bytes)
        for line in document.isOnePerLine ? document.records.map(\.bytes) : [bytes[...]] {
            do throws(DecodeError) {
                _ = try JSONReader.read(line, limit: InputLimits.record)
            } catch {
                return error
            }
        }
        return nil
    }

    /// The fields of a record.
    static let fields = [
        "id", "kind", "app", "account", "deviceToken", "deviceBits", "receivedAt", "evidence", "expect",
    ]
}
