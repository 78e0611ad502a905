import AssayCore

/// The rules of a platform for signatures on requests.
struct SignatureKnowledge: Sendable {
    /// The components that a policy demands by default.
    let components: [String]
    /// The meaning of a signature with this label and these parameters.
    let meaning: @Sendable (SignatureInput) -> String
    /// The required algorithm of a signature; nil if any is allowed.
    var algorithm: @Sendable (SignatureInput) -> String? = { _ in nil }
    /// The problem of the value under a label; nil for none.
    var problem: @Sendable (_ label: String, _ value: [UInt8]) -> String? = { _, _ in nil }
}

/// Explains the signatures of a request: components, signature base, and whether the body matches the covered digest.
struct SignedRequestAnnotator {
    private let knowledge: SignatureKnowledge
    private let bytes: [UInt8]
    private let request: HTTPMessage
    private let parts: HTTPMessageParts
    /// True if the request line has only a path; https and the field Host supply scheme and host.
    private let isAssumed: Bool

    /// The maximum size of the fields, in bytes, for showing signature bases. Each component may repeat a field.
    private static let baseLimit = 256 * 1024
    /// The maximum number of fields for showing signature bases.
    private static let fieldLimit = 1000
    /// The maximum number of signatures to show. Apps make one.
    private static let signatureLimit = 4

    init(_ bytes: [UInt8], _ request: HTTPMessage, _ knowledge: SignatureKnowledge) {
        (self.bytes, self.knowledge, self.request) = (bytes, knowledge, request)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let line = request.startLine.map { bytes[$0].split(separator: 0x20) } ?? []
        let target = line.count > 1 ? String(decoding: line[1], as: UTF8.self) : ""
        let host = request.fields.first { HTTPMessage.isField(bytes[$0.name], "Host") }.map { text($0.value) }
        isAssumed = target.utf8.first == UInt8(ascii: "/")
        parts = HTTPMessageParts(
            method: line.first.map { String(decoding: $0, as: UTF8.self) } ?? "",
            targetURI: isAssumed ? "https://\(host ?? "")\(target)" : target,
            fields: request.fields.map { HTTPMessageParts.Field(text($0.name), text($0.value)) })
    }

    var signatures: [(input: SignatureInput, value: [UInt8])] {
        let values = parts.combinedValue(of: "Signature").flatMap { try? SignatureField($0[...]) }
        return inputs.compactMap { input in values?[input.label].map { (input, $0) } }
    }

    private var inputs: [SignatureInput] {
        parts.combinedValue(of: "Signature-Input").flatMap { try? SignatureInputField($0[...]) }?.inputs ?? []
    }

    /// Completes the annotations of a dump. The first of several fields with one name gets the annotations for all.
    func annotate(_ annotations: inout [Annotation]) {
        guard let start = request.fields.first?.name.lowerBound,
            let index = annotations.firstIndex(where: { $0.range?.contains(start) ?? false })
        else { return }
        let inputs = inputs
        complete("Signature-Input", in: &annotations[index].children) { annotation in
            read(&annotation, "Signature-Input") { (value) throws(DecodeError) in
                _ = try SignatureInputField(value[...])
            }
            annotation.children = inputs.map(describe)
        }
        complete("Signature", in: &annotations[index].children, signature)
        complete("Content-Digest", in: &annotations[index].children, digest)
        annotations[index].children += inputs.prefix(Self.signatureLimit).map(base)
    }

    private func field(_ name: String) -> (name: Range<Int>, value: Range<Int>)? {
        request.fields.first { HTTPMessage.isField(bytes[$0.name], name) }
    }

    private func complete(
        _ name: String, in annotations: inout [Annotation], _ body: (inout Annotation) -> Void
    ) {
        guard let field = field(name),
            let index = annotations.firstIndex(where: { $0.range?.lowerBound == field.name.lowerBound })
        else { return }
        body(&annotations[index])
        Self.put(&annotations[index].children, at: field.value)
    }

    /// Gives a range to parts without one. In a layer with a secret, values without a range are hidden.
    private static func put(_ annotations: inout [Annotation], at range: Range<Int>) {
        for index in annotations.indices where annotations[index].range == nil {
            annotations[index].range = range
            put(&annotations[index].children, at: range)
        }
    }

    /// Reports the strict reader's error for a field.
    private func read(
        _ annotation: inout Annotation, _ name: String, _ body: ([UInt8]) throws(DecodeError) -> Void
    ) {
        do throws(DecodeError) { try body(parts.combinedValue(of: name) ?? []) } catch {
            annotation.violation = "byte \(error.offset) of the value: \(error.message.excerpt(atMost: 200))"
        }
    }

    /// One signature: its signer, components and parameters.
    private func describe(_ input: SignatureInput) -> Annotation {
        var annotation = Annotation(input.label.excerpt)
        annotation.meaning = knowledge.meaning(input)
        annotation.children = [
            Annotation("covers", value: input.components.map(\.text).joined(separator: " "), meaning: coverage(input))
        ]
        for (name, seconds) in [("created", input.created), ("expires", input.expires)] {
            guard let seconds else { continue }
            annotation.children.append(Annotation(name, value: "\(seconds)", meaning: EpochTime.seconds("\(seconds)")))
        }
        if let algorithm = input.algorithm {
            var child = Annotation("alg", value: algorithm.excerpt)
            if let expected = knowledge.algorithm(input), !expected.isByteEqual(to: algorithm) {
                child.violation = "signatures of this label are \(expected)"
            }
            annotation.children.append(child)
        }
        for (name, text) in [("keyid", input.keyID), ("nonce", input.nonce), ("tag", input.tag)] {
            if let text { annotation.children.append(Annotation(name, value: text.excerpt)) }
        }
        return annotation
    }

    /// The components missing from the default policy's demands.
    private func coverage(_ input: SignatureInput) -> String? {
        let covered = input.components.map(\.name)
        var demanded = knowledge.components
        if request.body != nil { demanded.append("content-digest") }
        let missing = demanded.filter { !covered.containsBytes(of: $0) }
        return missing.isEmpty
            ? "\(Words.count(covered.count, "component"))" : "not covered: \(missing.joined(separator: ", "))"
    }

    private func signature(_ annotation: inout Annotation) {
        read(&annotation, "Signature") { (value) throws(DecodeError) in _ = try SignatureField(value[...]) }
        guard let value = parts.combinedValue(of: "Signature"),
            let field = try? SignatureField(value[...], form: .byteSequenceOrString)
        else { return }
        annotation.children = field.entries.map { entry in
            var child = Annotation(entry.label.excerpt, value: Hexadecimal.text(entry.bytes))
            child.meaning = Words.count(entry.bytes.count, "byte")
            child.violation = knowledge.problem(entry.label, entry.bytes)
            return child
        }
    }

    private func digest(_ annotation: inout Annotation) {
        read(&annotation, "Content-Digest") { (value) throws(DecodeError) in _ = try ContentDigest(value[...]) }
        guard let value = parts.combinedValue(of: "Content-Digest"),
            let digest = try? ContentDigest(value[...], form: .byteSequenceOrString)
        else { return }
        let body = request.body.map { bytes[$0] } ?? []
        annotation.children = digest.values.map { value in
            var child = Annotation(value.algorithm.rawValue, value: Hexadecimal.text(value.digest))
            if ConstantTime.equals(value.algorithm.digest(of: body), value.digest) {
                child.meaning = "the digest of the body"
            } else {
                child.violation = "not the digest of the body, which has \(Words.count(body.count, "byte"))"
            }
            return child
        }
        annotation.children += digest.ignored.map { Annotation($0.excerpt, meaning: "does not count") }
    }

    /// The signature base, line by line. Credentials are hidden, but the digest of the base covers them.
    private func base(_ input: SignatureInput) -> Annotation {
        var annotation = Annotation("signature base of \(input.label.excerpt)")
        let size = request.fields.reduce(0) { $0 + $1.value.count }
        guard size <= Self.baseLimit, request.fields.count <= Self.fieldLimit else {
            annotation.meaning =
                "not shown: there are \(Words.count(request.fields.count, "field")) of \(Words.count(size, "byte"))"
            return annotation
        }
        annotation.children = input.components.map { component in
            let isDerived = component.name.utf8.first == UInt8(ascii: "@")
            var line = Annotation(
                component.text, at: isDerived ? request.startLine : field(component.name)?.value)
            do throws(SignatureBaseError) {
                let value = try SignatureBase.value(of: component, in: parts)
                let isHidden = CredentialNames.contain(component.name)
                line.value = isHidden ? "(not shown)" : String(decoding: value, as: UTF8.self)
                line.meaning = isHidden ? "a credential of \(Words.count(value.count, "byte"))" : nil
            } catch {
                line.violation = "\(error)"
            }
            if isAssumed, component.name.isByteEqual(to: "@target-uri") {
                line.meaning = "assumed: https and the host in Host; the verifier knows the real one"
            }
            return line
        }
        if let base = try? SignatureBase.build(for: input, of: parts) {
            annotation.children.append(
                Annotation(
                    "SHA-256 of the base", at: field("Signature-Input")?.value,
                    value: Hexadecimal.text(Digest.sha256(base)),
                    meaning: "by which a ledger remembers the message"))
        }
        return annotation
    }
}

extension HTTPMessage {
    /// The first request of a dump with the field `Signature-Input`.
    static func signedRequest(in bytes: [UInt8]) -> HTTPMessage? {
        HTTPDump(bytes).messages.first { message in
            !message.isResponse && message.fields.contains { isField(bytes[$0.name], "Signature-Input") }
        }
    }

    /// Whether a field has a name, in any case.
    static func isField(_ name: ArraySlice<UInt8>, _ other: String) -> Bool {
        name.count == other.utf8.count && HTTPFieldText.isName(String(decoding: name, as: UTF8.self), equalTo: other)
    }
}
