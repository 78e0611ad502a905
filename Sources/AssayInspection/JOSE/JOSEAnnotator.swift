import AssayCore

/// Annotates the parts of compact tokens.
enum JOSEAnnotator {
    /// Describes the parameters of the header. They have no ranges, because the text contains them encoded.
    static func header(_ token: CompactToken, of form: String, in bytes: [UInt8]) -> BlobContents {
        let range = token.parts[0]
        guard let header = token.header, let headerBytes = token.headerBytes else {
            return BlobContents([
                Annotation("protected header", at: range, violation: "it is no JSON object in base64url")
            ])
        }
        let isEncrypted = token.isEncrypted
        var contents = JSONAnnotator.annotate(header, named: "protected header", in: headerBytes) { pointer, node in
            meaning(of: pointer, node, isEncrypted: isEncrypted)
        }
        contents.annotations = contents.annotations.map { annotation in
            var annotation = withoutRanges(annotation)
            annotation.range = range
            annotation.violation = annotation.violation ?? irregularity(of: range, in: bytes)
            return annotation
        }
        contents.nested = contents.nested.map {
            NestedBlob(
                "\($0.name) of the \(form)'s header", encoding: $0.encoding, bytes: $0.bytes, format: $0.format,
                at: range)
        }
        // Offsets in the decoded header are not offsets in the text.
        contents.secrets = contents.secrets.isEmpty ? [] : [range]
        return contents
    }

    /// Annotates a binary part: its length, and the length that the algorithm demands.
    static func part(
        _ name: String, at range: Range<Int>, in bytes: [UInt8], expected: Int?, showing isShown: Bool = true
    ) -> (annotation: Annotation, decoded: [UInt8]) {
        let decoded = LenientBase64.decode(bytes[range]).bytes
        var annotation = Annotation(name, at: range, meaning: Words.count(decoded.count, "byte"))
        if isShown, !decoded.isEmpty { annotation.value = Hexadecimal.text(decoded) }
        annotation.violation = irregularity(of: range, in: bytes)
        if let expected, decoded.count != expected, annotation.violation == nil {
            annotation.violation = "\(Words.count(decoded.count, "byte")), \(expected) expected for the algorithm"
        }
        return (annotation, decoded)
    }

    /// Annotates surplus parts.
    static func extra(_ token: CompactToken, after count: Int) -> [Annotation] {
        token.parts.dropFirst(count).map {
            Annotation("part beyond the \(count)", at: $0, violation: "the form has \(count) parts")
        }
    }

    /// Annotates the text before the token, and its irregularities.
    static func prefix(_ token: CompactToken) -> [Annotation] {
        guard !token.irregularities.isEmpty else { return [] }
        return [
            Annotation(
                "around the token", at: token.prefix.isEmpty ? nil : token.prefix,
                meaning: "the token is \(token.irregularities.joined(separator: ", ")); left out here")
        ]
    }

    /// The strict decoder's error for the characters of a part.
    private static func irregularity(of range: Range<Int>, in bytes: [UInt8]) -> String? {
        let decoded = LenientBase64.decode(bytes[range])
        // JOSE allows base64url only.
        let isStandard = ["base64", "base64 of both alphabets"].containsBytes(of: decoded.encoding)
        return decoded.irregularities.first ?? (isStandard ? "base64 where base64url should be" : nil)
    }

    private static func withoutRanges(_ annotation: Annotation) -> Annotation {
        var annotation = annotation
        annotation.range = nil
        annotation.children = annotation.children.map(withoutRanges)
        return annotation
    }

    /// The parameters of RFC 7515 section 4.1 and RFC 7516 section 4.1.
    private static func meaning(of pointer: String, _ node: JSONNode, isEncrypted: Bool) -> String? {
        switch pointer {
        case "/alg":
            let name = node.text ?? ""
            return (isEncrypted ? JOSEAlgorithms.keyEncryption(name) : JOSEAlgorithms.signature(name))
                ?? "an algorithm that is not known here"
        case "/enc":
            return JOSEAlgorithms.contentEncryption(node.text ?? "")?.description
                ?? "a content encryption that is not known here"
        case "/kid": return "which key the sender has used"
        case "/typ": return "the media type of the whole"
        case "/cty": return "the media type of the payload"
        case "/jwk": return "a key that the sender brings along, which verification never uses"
        case "/jku", "/x5u": return "where the sender says that keys are, which verification never fetches"
        case "/x5c": return "certificates that the sender brings along"
        case "/x5t", "/x5t#S256": return "the digest of the sender's certificate"
        case "/crit": return "extensions that must be understood, which verification refuses"
        case "/zip": return "compression, which verification refuses"
        case "/b64": return "whether the payload is encoded, which verification refuses"
        case "/iv" where isEncrypted: return "the initialization vector of the key encryption"
        case "/tag" where isEncrypted: return "the authentication tag of the key encryption"
        default: return nil
        }
    }
}
