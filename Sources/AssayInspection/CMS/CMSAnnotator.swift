/// Annotates CMS messages of type SignedData in BER or DER (RFC 5652), at any position.
package enum CMSAnnotator {
    /// The signed content, joined from its chunks as far as present; nil if the bytes are not SignedData or the content
    /// is detached.
    package static func content(of bytes: [UInt8]) -> [UInt8]? {
        guard let node = LenientDER.readOne(bytes[...])?.node else { return nil }
        return SignedDataShape(node, in: bytes)?.content(in: bytes)
    }

    /// Annotates a message. Its content becomes a nested blob, because it often comes in chunks and is not contiguous. `extensions` are
    /// decoders as in ``CertificateAnnotator``.
    package static func annotate(
        _ bytes: [UInt8], at range: Range<Int>, named name: String = "CMS message",
        contentFormat: (any BlobFormat.Type)? = nil,
        extensions: [String: CertificateAnnotator.ExtensionDecoder] = [:]
    ) -> BlobContents {
        guard let (node, end) = LenientDER.readOne(bytes[range]) else {
            return BlobContents([Annotation(name, at: range, violation: "no bytes, where a message should be")])
        }
        guard let shape = SignedDataShape(node, in: bytes) else {
            var annotation = DERAnnotator.annotate(node, named: name, in: bytes, isBER: true)
            annotation.range = range
            annotation.violation = annotation.violation ?? "it does not have the shape of a CMS message"
            return BlobContents([annotation])
        }
        var annotation = Annotation(name, at: range, violation: node.broken)
        annotation.meaning = "CMS SignedData, \(Words.count(node.range.count, "byte"))"
        annotation.children = [
            DERAnnotator.annotate(shape.contentType, named: "contentType", in: bytes),
            signedData(shape, in: bytes, extensions),
        ]
        annotation.children.appendRest(of: bytes, at: end..<range.upperBound, violation: "bytes follow the message")
        var contents = BlobContents([annotation])
        if let content = shape.content(in: bytes) {
            contents.nested = [
                NestedBlob(
                    "content of the \(name)", encoding: chunkWords(shape), bytes: content, format: contentFormat,
                    at: shape.octets?.range)
            ]
        }
        return contents
    }

    private static func chunkWords(_ shape: SignedDataShape) -> String {
        guard let octets = shape.octets, octets.isConstructed else { return "OCTET STRING" }
        return "OCTET STRING in \(Words.count(octets.children.count, "chunk"))"
    }

    private static func signedData(
        _ shape: SignedDataShape, in bytes: [UInt8],
        _ extensions: [String: CertificateAnnotator.ExtensionDecoder]
    ) -> Annotation {
        guard let node = shape.signedData else {
            return DERAnnotator.annotate(shape.wrapper, named: "content", in: bytes, isBER: true)
        }
        var annotation = Annotation("SignedData", at: shape.wrapper.range)
        annotation.violation = node.broken ?? shape.wrapper.broken
        var fields: [Annotation] = []
        if let version = shape.version {
            fields.append(DERAnnotator.annotate(version, named: "version", in: bytes, isBER: true))
        }
        if let digests = shape.digestAlgorithms {
            var field = Annotation("digestAlgorithms", at: digests.range, violation: digests.broken)
            field.children = digests.children.map {
                PublicKeyAnnotator.algorithm($0, named: "digestAlgorithm", in: bytes)
            }
            fields.append(field)
        }
        if let content = shape.encapsulated { fields.append(encapsulated(content, shape, in: bytes)) }
        if let certificates = shape.certificates {
            var field = Annotation("certificates", at: certificates.range, violation: certificates.broken)
            field.meaning = Words.count(certificates.children.count, "certificate")
            field.children = certificates.children.enumerated().map {
                CertificateAnnotator.annotate(
                    bytes, at: $1.range, named: "certificates[\($0)]", extensions: extensions)
            }
            fields.append(field)
        }
        if let lists = shape.revocationLists {
            fields.append(DERAnnotator.annotate(lists, named: "crls", in: bytes, isBER: true))
        }
        if let signers = shape.signerInfos {
            var field = Annotation("signerInfos", at: signers.range, violation: signers.broken)
            field.meaning = Words.count(signers.children.count, "signer")
            field.children = signers.children.enumerated().map {
                SignerInfoAnnotator.annotate($1, named: "signerInfos[\($0)]", in: bytes)
            }
            fields.append(field)
        }
        fields += shape.others.map { DERAnnotator.annotate($0, in: bytes, isBER: true) }
        annotation.children = fields.sorted { ($0.range?.lowerBound ?? 0) < ($1.range?.lowerBound ?? 0) }
        return annotation
    }

    private static func encapsulated(
        _ node: DERNode, _ shape: SignedDataShape, in bytes: [UInt8]
    ) -> Annotation {
        var annotation = Annotation("encapContentInfo", at: node.range, violation: node.broken)
        if let type = node.children.first {
            annotation.children.append(DERAnnotator.annotate(type, named: "eContentType", in: bytes, isBER: true))
        }
        guard let octets = shape.octets else {
            annotation.meaning = node.children.count < 2 ? "the content is not in the message" : nil
            annotation.children += node.children.dropFirst().map {
                DERAnnotator.annotate($0, named: "eContent", in: bytes, isBER: true)
            }
            return annotation
        }
        let count = shape.content(in: bytes)?.count ?? 0
        annotation.children.append(
            Annotation(
                "eContent", at: octets.range, meaning: "\(Words.count(count, "byte")), \(chunkWords(shape))",
                violation: octets.broken,
                children: octets.children.map {
                    Annotation(
                        "chunk", at: $0.range, meaning: Words.count($0.contents.count, "byte"), violation: $0.broken)
                }))
        return annotation
    }
}

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
