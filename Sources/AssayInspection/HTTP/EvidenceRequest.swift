import AssayCore

/// The format of a saved request whose signature carries an engine's evidence.
protocol EvidenceRequestFormat: BlobFormat {
    /// The `tag` of the signature: the name of the engine.
    static var tag: String { get }
    /// The meaning of the signature value.
    static var evidence: String { get }
    /// The format of the signature value; nil for none.
    static var evidenceFormat: (any BlobFormat.Type)? { get }
    /// The fact that inspection cannot show.
    static var unknown: String { get }
}

extension EvidenceRequestFormat {
    static var evidenceFormat: (any BlobFormat.Type)? { nil }

    private static func annotator(_ bytes: [UInt8]) -> SignedRequestAnnotator? {
        let knowledge = SignatureKnowledge(
            components: RequestRules.standardComponents,
            meaning: { [tag, evidence] input in
                input.tag == tag ? "its value is \(evidence)" : "another signature, such as that of a proxy"
            })
        return HTTPMessage.signedRequest(in: bytes).map { SignedRequestAnnotator(bytes, $0, knowledge) }
    }

    /// Recognises a dump that has a signature with the tag.
    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let found = HTTPDumpFormat.recognise(bytes), let annotator = annotator(bytes),
            annotator.signatures.contains(where: { $0.input.tag == tag })
        else { return nil }
        return Recognition(found.certainty, because: "it is an HTTP request with a signature whose tag is \(tag)")
    }

    /// Annotates the dump. The signature value becomes a nested blob.
    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = HTTPDumpFormat.annotate(bytes)
        guard let annotator = annotator(bytes) else { return contents }
        annotator.annotate(&contents.annotations)
        for (input, value) in annotator.signatures where input.tag == tag {
            contents.nested.removeAll { $0.bytes == value }
            contents.nested.append(
                NestedBlob(
                    "signature \(input.label.excerpt)", encoding: "base64", bytes: value, format: evidenceFormat))
        }
        contents.unknown.append(unknown)
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { _ = try CapturedRequest(bytes) }
}

/// The records of saved requests.
enum EvidenceRequest {
    /// The record of a request, with https as the assumed scheme; nil if the request is incomplete.
    static func record(of bytes: [UInt8], _ kind: EvidenceKind) -> EvidenceRecord? {
        guard let request = try? CapturedRequest(bytes), let targetURI = request.likelyTargetURI,
            let members = try? SignedRequest(
                method: request.method, targetURI: targetURI, fields: request.fields, body: .bytes(request.body)
            ).recordMembers()
        else { return nil }
        return EvidenceRecord(kind, alone: members)
    }

    /// The meaning of the field `address`, which evidence of other kinds has too.
    static let address = "where the request came from"

    /// The fields of a request in a record.
    static func fields(of kind: EvidenceKind) -> [InspectedField] {
        [
            InspectedField(kind, "method", "the method of the request"),
            InspectedField(kind, "targetURI", "what the client asked for"),
            InspectedField(kind, "headers", "the fields of the request, as received", RequestFieldsFormat.self),
            InspectedField(kind, "body", "the content of the request"),
            InspectedField(kind, "bodyDigest", "the digests that the caller computed over the body"),
            InspectedField(kind, "address", address),
        ]
    }
}

/// The fields of a request in a record: a JSON list of name-value pairs. Credentials are hidden, as in a request dump.
package enum RequestFieldsFormat: BlobFormat {
    package static let name = "fields of an HTTP request"

    /// Recognises a JSON list of pairs of strings.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let node = LenientJSON.read(bytes[...])?.node, case .array(let pairs) = node.content, !pairs.isEmpty,
            pairs.allSatisfy({ pair($0) != nil })
        else { return nil }
        return Recognition(.structure, because: "it is a JSON array of pairs of strings")
    }

    private static func pair(_ node: JSONNode) -> (name: String, value: JSONNode)? {
        guard case .array(let parts) = node.content, parts.count == 2, let name = parts[0].text, parts[1].text != nil
        else { return nil }
        return (name, parts[1])
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = BlobContents([])
        guard let node = LenientJSON.read(bytes[...])?.node, case .array(let pairs) = node.content else {
            return BlobContents([Annotation("fields", at: bytes.indices, violation: "no list")])
        }
        for element in pairs {
            guard let (name, value) = pair(element) else {
                contents.annotations.append(
                    Annotation("field", at: element.range, violation: "no pair of name and value"))
                continue
            }
            let found = HTTPValue(
                Array((value.text ?? "").utf8), named: "\(name.excerpt) field", encoding: nil, at: value.range,
                isCredential: CredentialNames.contain(name))
            contents.annotations.append(
                Annotation(Words.name(name), at: element.range, value: found.value, meaning: found.meaning))
            if let blob = found.nested { contents.nested.append(blob) }
            if found.isSecret { contents.secrets.append(value.range) }
        }
        return contents
    }
}
