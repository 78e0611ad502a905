package import AssayCore

/// The format of a saved request whose signature carries an engine's evidence.
package struct EvidenceRequest: Sendable {
    /// The `tag` of the signature: the name of the engine.
    private let tag: String
    /// The meaning of the signature value.
    private let evidence: String
    /// The format of the signature value.
    private let format: (any BlobFormat.Type)?
    /// The facts that inspection cannot show.
    private let unknown: String

    /// Describes the requests of an engine.
    package init(tag: String, evidence: String, format: (any BlobFormat.Type)?, unknown: String) {
        self.tag = tag
        self.evidence = evidence
        self.format = format
        self.unknown = unknown
    }

    private var knowledge: SignatureKnowledge {
        SignatureKnowledge(
            components: RequestRules.standardComponents,
            meaning: { [tag, evidence] input in
                input.tag == tag
                    ? "its value is \(evidence)" : "another signature, such as that of a proxy"
            })
    }

    private func annotator(_ bytes: [UInt8]) -> SignedRequestAnnotator? {
        HTTPMessage.signedRequest(in: bytes).map { SignedRequestAnnotator(bytes, $0, knowledge) }
    }

    /// Recognises a dump that has a signature with the tag.
    package func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let found = HTTPDumpFormat.recognise(bytes), let annotator = annotator(bytes),
            annotator.signatures.contains(where: { $0.input.tag == tag })
        else { return nil }
        return Recognition(found.certainty, because: "it is an HTTP request with a signature whose tag is \(tag)")
    }

    /// Annotates the dump. The signature value becomes a nested blob.
    package func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = HTTPDumpFormat.annotate(bytes)
        guard let annotator = annotator(bytes) else { return contents }
        annotator.annotate(&contents.annotations)
        for (input, value) in annotator.signatures where input.tag == tag {
            contents.nested.append(
                NestedBlob("signature \(input.label.excerpt)", encoding: "base64", bytes: value, format: format))
        }
        contents.unknown.append(unknown)
        return contents
    }

    /// The first error of `assay verify` for such a file.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try CapturedRequest(bytes)
            return nil
        } catch {
            return error
        }
    }

    /// The record of a request, with https as the assumed scheme; nil if the request is incomplete.
    package static func record(of bytes: [UInt8], _ kind: EvidenceKind) -> EvidenceRecord? {
        guard let request = try? CapturedRequest(bytes), let targetURI = request.likelyTargetURI,
            let members = try? SignedRequest(
                method: request.method, targetURI: targetURI, fields: request.fields, body: .bytes(request.body)
            ).recordMembers()
        else { return nil }
        return EvidenceRecord(
            id: nil, kind: kind, app: nil, receivedAt: nil, evidence: RecordObject(members), expect: nil)
    }

    /// The meaning of a request field in a record; nil for other fields.
    package static func meaning(of field: String) -> String? {
        switch field {
        case "method": "the method of the request"
        case "targetURI": "what the client asked for"
        case "headers": "the fields of the request, as received"
        case "body": "the content of the request"
        case "bodyDigest": "the digests that the caller computed over the body"
        case "address": "where the request came from"
        default: nil
        }
    }
}
