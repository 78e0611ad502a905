/// Annotates X.501 names and GeneralNames (RFC 5280 sections 4.1.2.4 and 4.2.1.6).
enum NameAnnotator {
    /// Annotates a distinguished name: as one text, and each attribute.
    static func annotate(_ node: DERNode, named name: String, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation(name, at: node.range, violation: node.broken)
        var parts: [String] = []
        for set in node.children {
            for attribute in set.children {
                guard let type = attribute.children.first, let value = attribute.children.dropFirst().first,
                    let oid = ObjectIdentifierText.dotted(type, in: bytes)
                else {
                    annotation.children.append(DERAnnotator.annotate(attribute, in: bytes))
                    continue
                }
                let text = DERTypes.describe(value, in: bytes).value ?? ""
                parts.append("\(ObjectIdentifierNames.attribute(oid) ?? oid)=\(text)")
                annotation.children.append(
                    Annotation(
                        ObjectIdentifierNames.name(of: oid) ?? oid, at: attribute.range, value: text,
                        meaning: "\(oid), \(DERTypes.name(of: value))", violation: attribute.broken ?? value.broken))
            }
        }
        annotation.value = parts.isEmpty ? "(no name)" : parts.joined(separator: ", ")
        return annotation
    }

    private static let choices: [UInt64: String] = [
        0: "otherName", 1: "rfc822Name", 2: "dNSName", 3: "x400Address", 4: "directoryName", 5: "ediPartyName",
        6: "uniformResourceIdentifier", 7: "iPAddress", 8: "registeredID",
    ]

    static func annotate(general node: DERNode, in bytes: [UInt8]) -> Annotation {
        guard node.tagClass == .contextSpecific, let name = choices[node.tagNumber] else {
            return DERAnnotator.annotate(node, in: bytes)
        }
        let contents = bytes[node.contents]
        switch node.tagNumber {
        case 1, 2, 6:
            return Annotation(
                name, at: node.range, value: String(decoding: contents, as: UTF8.self), violation: node.broken)
        case 4:
            guard let inner = node.children.first else { return DERAnnotator.annotate(node, named: name, in: bytes) }
            return annotate(inner, named: name, in: bytes)
        case 7:
            let value =
                contents.count == 4
                ? contents.map { String($0) }.joined(separator: ".") : Hexadecimal.text(contents)
            return Annotation(name, at: node.range, value: value, violation: node.broken)
        case 8:
            let dotted = ObjectIdentifierText.dotted(contents)
            return Annotation(
                name, at: node.range, value: dotted ?? Hexadecimal.text(contents),
                meaning: dotted.flatMap { ObjectIdentifierNames.name(of: $0) }, violation: node.broken)
        default: return DERAnnotator.annotate(node, named: name, in: bytes)
        }
    }
}
