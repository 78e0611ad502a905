/// Annotates the signers of CMS messages (RFC 5652 section 5.3).
enum SignerInfoAnnotator {
    static func annotate(_ node: DERNode, named name: String, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation(name, at: node.range, violation: node.broken)
        // The issuer also begins with a sequence. The next two sequences are the algorithms of digest and signature.
        var algorithms = ["digestAlgorithm", "signatureAlgorithm"][...]
        annotation.children = node.children.map { child in
            switch (child.tagClass, child.tagNumber) {
            case (.universal, 2): return DERAnnotator.annotate(child, named: "version", in: bytes, isBER: true)
            case (.contextSpecific, 0) where child.isConstructed:
                return attributes(child, named: "signedAttrs", in: bytes)
            case (.contextSpecific, 0):
                return DERAnnotator.annotate(child, named: "sid.subjectKeyIdentifier", in: bytes, isBER: true)
            case (.contextSpecific, 1): return attributes(child, named: "unsignedAttrs", in: bytes)
            case (.universal, 4): return signature(child, in: bytes)
            case (.universal, 16) where child.children.first?.isUniversal(16) ?? false: return issuer(child, in: bytes)
            case (.universal, 16):
                return PublicKeyAnnotator.algorithm(child, named: algorithms.popFirst() ?? "algorithm", in: bytes)
            default: return DERAnnotator.annotate(child, in: bytes, isBER: true)
            }
        }
        let hasSignedAttributes = node.children.contains {
            $0.tagClass == .contextSpecific && $0.tagNumber == 0 && $0.isConstructed
        }
        annotation.meaning =
            hasSignedAttributes
            ? "signs its attributes, which hold the digest of the content" : "signs the content itself"
        return annotation
    }

    private static func signature(_ node: DERNode, in bytes: [UInt8]) -> Annotation {
        guard !node.isConstructed, bytes[node.contents].first == 0x30 else {
            return DERAnnotator.annotate(node, named: "signature", in: bytes, isBER: true)
        }
        var annotation = ECDSASignatureAnnotator.annotate(bytes, at: node.contents, named: "signature")
        annotation.range = node.range
        annotation.violation = node.broken ?? annotation.violation
        return annotation
    }

    private static func issuer(_ node: DERNode, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation("sid.issuerAndSerialNumber", at: node.range, violation: node.broken)
        annotation.children = node.children.enumerated().map { index, child in
            index == 0
                ? NameAnnotator.annotate(child, named: "issuer", in: bytes)
                : Annotation(
                    "serialNumber", at: child.range, value: "0x" + Hexadecimal.text(bytes[child.contents]),
                    violation: child.broken)
        }
        return annotation
    }

    private static func attributes(_ node: DERNode, named name: String, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation(name, at: node.range, violation: node.broken)
        annotation.meaning = Words.count(node.children.count, "attribute")
        annotation.children = node.children.map { attribute in
            guard let type = attribute.children.first, let oid = ObjectIdentifierText.dotted(type, in: bytes) else {
                return DERAnnotator.annotate(attribute, in: bytes, isBER: true)
            }
            let values = attribute.children.dropFirst().first?.children ?? []
            var found = Annotation(
                ObjectIdentifierNames.name(of: oid) ?? oid, at: attribute.range, meaning: oid,
                violation: attribute.broken)
            found.children = values.map { DERAnnotator.annotate($0, in: bytes, isBER: true) }
            // Usually there is one value. Show it next to the name.
            if found.children.count == 1, found.children[0].children.isEmpty {
                found.value = found.children[0].value
                found.meaning = [oid, found.children[0].meaning].compactMap { $0 }.joined(separator: ", ")
                found.violation = found.violation ?? found.children[0].violation
                found.children = []
            }
            return found
        }
        return annotation
    }
}
