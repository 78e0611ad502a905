/// Splits a file of records, leniently.
struct RecordDocument {
    /// The maximum number of records to read: the first ones are enough to identify a file.
    static let limit = 1000

    /// The records that are JSON, with their bytes.
    private(set) var records: [(node: JSONNode, bytes: ArraySlice<UInt8>)] = []
    /// Whether there is one record per line.
    private(set) var isOnePerLine = false
    /// The number of records that were not read.
    private(set) var untold = 0
    /// The whole document if it is one JSON value.
    private(set) var document: JSONNode?

    /// Reads a document.
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
