/// Takes a file of records apart, leniently.
struct RecordDocument {
    /// The maximum number of records to read: the first ones are enough to identify a file.
    static let limit = 1000

    /// The records as far as they are JSON, and the bytes of each.
    private(set) var records: [(node: JSONNode, bytes: ArraySlice<UInt8>)] = []
    /// Whether there is one on each line.
    private(set) var isOnePerLine = false
    /// The number of records beyond those that were read.
    private(set) var untold = 0
    /// The whole document, where it is one value.
    private(set) var document: JSONNode?

    /// Reads some bytes.
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
