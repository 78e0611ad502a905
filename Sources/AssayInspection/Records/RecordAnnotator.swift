import AssayCore

/// Annotates records. The blobs in their evidence get the formats that the engines state.
struct RecordAnnotator {
    let engines: [any InspectableEngine.Type]

    func contents(of bytes: [UInt8]) -> BlobContents {
        let document = RecordDocument(bytes)
        var contents = BlobContents([])
        let isSingle = document.records.count == 1
        for (index, record) in document.records.enumerated() {
            let name = isSingle ? "record" : "record \(index + 1)"
            let found = annotate(record.node, name: name, in: bytes)
            contents.annotations += found.annotations
            contents.secrets += found.secrets
            let prefix = isSingle ? "" : (record.node["id"]?.text.map { "\($0.excerpt): " } ?? "\(name): ")
            contents.nested += nested(in: record.node, bytes: bytes, prefix: prefix)
        }
        if let violation = document.document?.violation, case .array? = document.document?.content {
            contents.annotations.append(Annotation("array", violation: violation))
        }
        if document.untold > 0 {
            contents.unknown.append(
                "\(Words.count(document.untold, "more record")) of this file are not shown; `assay replay` verifies them all"
            )
        }
        return contents
    }

    private func engine(of record: JSONNode) -> (type: any InspectableEngine.Type, kind: EvidenceKind)? {
        guard let name = record["kind"]?.text else { return nil }
        for engine in engines {
            if let kind = engine.kinds.first(where: { $0.name.isByteEqual(to: name) }) { return (engine, kind) }
        }
        return nil
    }

    private func annotate(_ record: JSONNode, name: String, in bytes: [UInt8]) -> BlobContents {
        let engine = engine(of: record)
        return JSONAnnotator.annotate(record, named: name, in: bytes) { pointer, node in
            let path = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
            switch path.first {
            case "kind" where path.count == 1:
                return engine == nil && !engines.isEmpty ? "unknown kind" : nil
            case "app" where path.count == 1: return "the policy's app"
            case "account" where path.count == 1: return "the account of the backend whose session sent the evidence"
            case "deviceToken" where path.count == 1:
                return "a device token of DeviceCheck, about which only Apple can be asked"
            case "deviceBits" where path.count == 1: return "what Apple said to the device token, for replays alone"
            case "property" where path.count == 1: return "what the app says of itself, which influences no verdict"
            case "redacted" where path.count == 1: return "the fields that were removed or replaced by their digests"
            case "expect" where path.count == 1: return "what a test vector expects of its verdict"
            case "evidence" where path.count == 2: return RecordAnnotator.meaning(of: path[1], node, engine)
            case .some(let name) where path.count == 1 && !RecordFormat.fields.containsBytes(of: name):
                return "unknown: records have no such field, and one with it is refused"
            default: return nil
            }
        }
    }

    private static func meaning(
        of field: String, _ node: JSONNode, _ engine: (type: any InspectableEngine.Type, kind: EvidenceKind)?
    ) -> String? {
        guard let engine else { return nil }
        guard let meaning = engine.type.meaning(of: field, in: engine.kind) else {
            return "unknown: \(engine.kind) has no such field, and a record with it is refused"
        }
        guard engine.type.format(of: field, in: engine.kind) == nil, let text = node.text,
            let bytes = EvidenceField.base64(text), !bytes.isEmpty
        else { return meaning }
        let shown =
            LenientText.printable(bytes).map { "\"\($0.excerpt)\"" }
            ?? Hexadecimal.text(bytes.prefix(32)) + (bytes.count > 32 ? "..." : "")
        return "\(meaning); \(Words.count(bytes.count, "byte")): \(shown)"
    }

    private func nested(in record: JSONNode, bytes: [UInt8], prefix: String) -> [NestedBlob] {
        let engine = engine(of: record)
        guard case .object(let members)? = record["evidence"]?.content else { return [] }
        return members.compactMap { key, value in
            let name = key.text ?? ""
            let format = engine.flatMap { $0.type.format(of: name, in: $0.kind) }
            return EvidenceField(name: "\(prefix)evidence.\(name.excerpt)", node: value, format: format).blob(in: bytes)
        }
    }
}

/// A field of a record's evidence that may hold a blob.
struct EvidenceField {
    let name: String
    let node: JSONNode
    /// The format that the engine states; nil for none.
    let format: (any BlobFormat.Type)?

    /// The blob to inspect; nil for none.
    func blob(in bytes: [UInt8]) -> NestedBlob? {
        switch node.content {
        case .object where format != nil, .array where format != nil:
            return NestedBlob(
                name, encoding: "JSON as it stands", bytes: Array(bytes[node.range]), format: format, at: node.range)
        case .text(let text):
            guard text.utf8.count >= 16 || format != nil else { return nil }
            // Records contain tokens as text and binary evidence as base64.
            if format?.recognise(Array(text.utf8)) != nil {
                return NestedBlob(
                    name, encoding: "text as it stands", bytes: Array(text.utf8), format: format, at: node.range)
            }
            if let decoded = EvidenceField.base64(text), !decoded.isEmpty {
                return NestedBlob(name, encoding: "base64", bytes: decoded, format: format, at: node.range)
            }
            guard let format else {
                return NestedBlob(name, encoding: "text as it stands", bytes: Array(text.utf8), at: node.range)
            }
            let decoded = LenientBase64.decode(Array(text.utf8)[...])
            guard !decoded.bytes.isEmpty else { return nil }
            return NestedBlob(
                name, encoding: (["base64"] + decoded.irregularities).joined(separator: ", "), bytes: decoded.bytes,
                format: format, at: node.range)
        default: return nil
        }
    }

    /// Decodes standard base64 with padding, as in records.
    static func base64(_ text: String) -> [UInt8]? { try? Base64.decode(text, .standard) }
}
