/// Annotates the extensions of certificates (RFC 5280 section 4.2).
enum ExtensionAnnotator {
    /// Annotates the `[3]` of a certificate, or an extension request.
    static func annotate(
        _ wrapper: DERNode, in bytes: [UInt8], _ decoders: [String: CertificateAnnotator.ExtensionDecoder]
    ) -> Annotation {
        var annotation = Annotation("extensions", at: wrapper.range, violation: wrapper.broken)
        let list = wrapper.children.first
        annotation.violation = annotation.violation ?? list?.broken
        annotation.meaning = Words.count(list?.children.count ?? 0, "extension")
        var seen: Set<ArraySlice<UInt8>> = []
        annotation.children = (list?.children ?? []).map { node in
            var found = one(node, in: bytes, decoders)
            if let identifier = node.children.first, !seen.insert(bytes[identifier.range]).inserted {
                found.violation = found.violation ?? "the extension is there twice"
            }
            return found
        }
        return annotation
    }

    private static func one(
        _ node: DERNode, in bytes: [UInt8], _ decoders: [String: CertificateAnnotator.ExtensionDecoder]
    ) -> Annotation {
        guard let first = node.children.first, let oid = ObjectIdentifierText.dotted(first, in: bytes) else {
            return DERAnnotator.annotate(node, named: "extension", in: bytes)
        }
        let rest = node.children.dropFirst()
        let flag = rest.first(where: { $0.isUniversal(1) })
        let isCritical: Bool = flag.map { flag in bytes[flag.contents].contains { $0 != 0 } } ?? false
        var annotation = Annotation(ObjectIdentifierNames.name(of: oid) ?? oid, at: node.range)
        annotation.meaning = "\(oid), \(isCritical ? "critical" : "not critical")"
        annotation.violation = node.broken
        guard let value = rest.first(where: { $0.isUniversal(4) }) else {
            annotation.violation = annotation.violation ?? "it has no value"
            return annotation
        }
        guard let inner = LenientDER.readOne(bytes[value.contents])?.node else {
            annotation.value = ""
            annotation.violation = annotation.violation ?? value.broken
            return annotation
        }
        if let decode = decoders[oid] {
            annotation.children = decode(inner, bytes)
        } else {
            (annotation.value, annotation.children) = ExtensionValues.describe(oid, inner, in: bytes)
        }
        annotation.violation = annotation.violation ?? value.broken
        // A decoder may handle a value that is not DER, such as a CBOR map, whose head looks like a non-universal DER
        // tag.
        if decoders[oid] != nil, inner.tagClass != .universal { return annotation }
        annotation.violation = annotation.violation ?? inner.broken
        if inner.range.upperBound < value.contents.upperBound, annotation.violation == nil {
            annotation.violation = "bytes follow the value of the extension"
        }
        return annotation
    }
}
