package import AssayCore

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

    /// Reads JSON: the file, or each of its lines.
    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        let document = RecordDocument(bytes)
        for line in document.isOnePerLine ? document.records.map(\.bytes) : [bytes[...]] {
            _ = try JSONReader.read(line, limit: InputLimits.record)
        }
    }

    static let fields = [
        "id", "kind", "app", "account", "deviceToken", "deviceBits", "property", "receivedAt", "evidence", "redacted",
        "expect",
    ]
}

/// Splits a file of records, leniently.
struct RecordDocument {
    /// The maximum number of records to read: the first ones are enough to identify a file.
    static let limit = 1000

    private(set) var records: [(node: JSONNode, bytes: ArraySlice<UInt8>)] = []
    private(set) var isOnePerLine = false
    /// The number of records that were not read.
    private(set) var untold = 0
    /// The whole document if it is one JSON value.
    private(set) var document: JSONNode?

    init(_ bytes: [UInt8]) {
        guard let (node, end) = LenientJSON.read(bytes[...]) else { return }
        let elements: [JSONNode]? = if case .array(let elements) = node.content { elements } else { nil }
        if elements != nil || end == bytes.count {
            document = node
            let nodes = elements ?? [node]
            records = nodes.prefix(RecordDocument.limit).map { ($0, bytes[$0.range]) }
            untold = nodes.count - records.count
            return
        }
        isOnePerLine = true
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            guard !line.allSatisfy(RecordDocument.isSpace) else { continue }
            if records.count < RecordDocument.limit, let node = LenientJSON.read(line)?.node {
                records.append((node, line))
            } else {
                untold += 1
            }
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
