import AssayPrimitives

/// Annotates CMS messages of type SignedData in BER or DER (RFC 5652), at any position.
package enum CMSAnnotator {
    /// The signed content, joined from its chunks as far as present; nil if the bytes are not SignedData or the content
    /// is detached.
    package static func content(of bytes: [UInt8]) -> [UInt8]? {
        guard let node = LenientDER.readOne(bytes[...])?.node else { return nil }
        return SignedDataShape(node, in: bytes)?.content(in: bytes)
    }

    /// Annotates a message. Its content becomes a nested blob, because it often comes in chunks and is not contiguous.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that contain the message.
    ///   - range: the range of the message.
    ///   - name: the name of the message, such as `receipt`.
    ///   - contentFormat: the format of the content; nil if unknown.
    ///   - extensions: decoders for certificate extensions, as in ``CertificateAnnotator``.
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
        if end < range.upperBound {
            annotation.children.append(
                Annotation(
                    "rest", at: end..<range.upperBound, value: Hexadecimal.text(bytes[end..<range.upperBound]),
                    violation: "bytes follow the message"))
        }
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
