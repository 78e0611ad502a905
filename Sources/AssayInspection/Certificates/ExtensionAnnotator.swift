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
            annotation.children = decode(inner, value.contents, bytes)
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

/// Describes the extensions of RFC 5280.
enum ExtensionValues {
    /// A summary of the value, if there is one, and its parts.
    static func describe(_ oid: String, _ node: DERNode, in bytes: [UInt8]) -> (String?, [Annotation]) {
        switch oid {
        case "2.5.29.19": basicConstraints(node, in: bytes)
        case "2.5.29.15": (keyUsage(bytes[node.contents]), [])
        case "2.5.29.37": purposes(node, in: bytes)
        case "2.5.29.14": (Hexadecimal.text(bytes[node.contents]), [])
        case "2.5.29.35": authorityKeyIdentifier(node, in: bytes)
        case "2.5.29.17", "2.5.29.18": (nil, node.children.map { NameAnnotator.annotate(general: $0, in: bytes) })
        case "2.5.29.32": policies(node, in: bytes)
        case "1.3.6.1.5.5.7.1.1", "1.3.6.1.5.5.7.1.11": access(node, in: bytes)
        default: (nil, [DERAnnotator.annotate(node, in: bytes)])
        }
    }

    private static func basicConstraints(_ node: DERNode, in bytes: [UInt8]) -> (String?, [Annotation]) {
        var isCA = false
        var summary = ""
        let parts = node.children.map { child in
            var part = DERAnnotator.annotate(child, in: bytes)
            if child.isUniversal(1) {
                part.name = "cA"
                isCA = bytes[child.contents].contains { $0 != 0 }
            } else if child.isUniversal(2) {
                part.name = "pathLenConstraint"
                summary = ", at most \(part.value ?? "?") certificate authorities below"
            }
            return part
        }
        return ((isCA ? "may issue certificates" : "may not issue certificates") + summary, parts)
    }

    private static let usages = [
        "digitalSignature", "contentCommitment", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
        "cRLSign", "encipherOnly", "decipherOnly",
    ]

    /// The names of the bits that are set; bit 0 is the highest of the first byte.
    private static func keyUsage(_ contents: ArraySlice<UInt8>) -> String {
        var names: [String] = []
        for (index, byte) in contents.dropFirst().prefix(4).enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
                let number = index * 8 + bit
                names.append(usages.indices.contains(number) ? usages[number] : "bit \(number)")
            }
        }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    private static func purposes(_ node: DERNode, in bytes: [UInt8]) -> (String?, [Annotation]) {
        let parts = node.children.map { DERAnnotator.annotate($0, named: "purpose", in: bytes) }
        let names = parts.map { $0.meaning ?? $0.value ?? "?" }
        return (names.joined(separator: ", "), parts)
    }

    private static func authorityKeyIdentifier(_ node: DERNode, in bytes: [UInt8]) -> (String?, [Annotation]) {
        var summary: String?
        let parts = node.children.map { child in
            guard child.tagClass == .contextSpecific else { return DERAnnotator.annotate(child, in: bytes) }
            switch child.tagNumber {
            case 0:
                summary = Hexadecimal.text(bytes[child.contents])
                return Annotation("keyIdentifier", at: child.range, value: summary, violation: child.broken)
            case 1:
                return Annotation(
                    "authorityCertIssuer", at: child.range, violation: child.broken,
                    children: child.children.map { NameAnnotator.annotate(general: $0, in: bytes) })
            case 2:
                return Annotation(
                    "authorityCertSerialNumber", at: child.range,
                    value: "0x" + Hexadecimal.text(bytes[child.contents]), violation: child.broken)
            default: return DERAnnotator.annotate(child, in: bytes)
            }
        }
        return (summary, parts)
    }

    private static func policies(_ node: DERNode, in bytes: [UInt8]) -> (String?, [Annotation]) {
        let parts = node.children.map { policy in
            guard let first = policy.children.first, let oid = ObjectIdentifierText.dotted(first, in: bytes) else {
                return DERAnnotator.annotate(policy, in: bytes)
            }
            return Annotation(
                "policy", at: policy.range, value: oid, meaning: ObjectIdentifierNames.name(of: oid),
                violation: policy.broken,
                children: policy.children.dropFirst().map {
                    DERAnnotator.annotate($0, named: "policyQualifiers", in: bytes)
                })
        }
        return (parts.map { $0.value ?? "?" }.joined(separator: ", "), parts)
    }

    /// Access information about the issuer or the subject (RFC 5280 section 4.2.2).
    private static func access(_ node: DERNode, in bytes: [UInt8]) -> (String?, [Annotation]) {
        let parts = node.children.map { entry in
            guard entry.children.count == 2, let oid = ObjectIdentifierText.dotted(entry.children[0], in: bytes) else {
                return DERAnnotator.annotate(entry, in: bytes)
            }
            var part = NameAnnotator.annotate(general: entry.children[1], in: bytes)
            part.range = entry.range
            part.name = ObjectIdentifierNames.name(of: oid) ?? oid
            return part
        }
        return (nil, parts)
    }
}
