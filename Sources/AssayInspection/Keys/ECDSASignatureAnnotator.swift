/// Annotates ECDSA signatures.
package enum ECDSASignatureAnnotator {
    /// Annotates a DER ECDSA-Sig-Value (RFC 3279 section 2.2.3) with r and s, and any other bytes by their structure.
    package static func annotate(_ bytes: [UInt8], at range: Range<Int>, named name: String) -> Annotation {
        guard let (node, end) = LenientDER.readOne(bytes[range]), node.isUniversal(16) else {
            return Annotation(
                name, at: range, value: Hexadecimal.text(bytes[range]),
                meaning: "\(Words.count(range.count, "byte")), not a DER signature")
        }
        var annotation = Annotation(name, at: range, meaning: "ECDSA signature, \(Words.count(range.count, "byte"))")
        annotation.violation = node.broken
        let isPair = node.children.count == 2 && node.children.allSatisfy { $0.isUniversal(2) }
        annotation.children = node.children.enumerated().map { index, child in
            DERAnnotator.annotate(child, named: isPair ? ["r", "s"][index] : nil, in: bytes)
        }
        if end < range.upperBound {
            annotation.children.append(
                Annotation(
                    "rest", at: end..<range.upperBound, value: Hexadecimal.text(bytes[end..<range.upperBound]),
                    violation: "bytes follow the signature"))
        }
        return annotation
    }
}
