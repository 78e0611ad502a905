import AssayCore

/// Annotates records. The blobs in their evidence get the formats that the engines state.
struct RecordAnnotator {
    let engines: [any InspectableEngine.Type]

    /// Decodes the records in some bytes.
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
        let isText = bytes.allSatisfy { (0x20...0x7E).contains($0) }
        let shown =
            isText ? "\"\(String(decoding: bytes, as: UTF8.self).excerpt)\"" : Hexadecimal.text(bytes.prefix(32))
        return "\(meaning); \(Words.count(bytes.count, "byte")): \(shown)\(bytes.count > 32 && !isText ? "..." : "")"
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
