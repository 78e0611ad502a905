import AssayCore
import AssayHTTPSignatures
import AssayInspection
import AssayPrimitives

/// Explains the signatures of a request: components, signature base, and whether the body matches the covered digest.
struct SignedRequestAnnotator {
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
    private static let signatures = 4

    init(_ bytes: [UInt8], _ request: HTTPMessage) {
        self.bytes = bytes
        self.request = request
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let line = request.startLine.map { bytes[$0].split(separator: 0x20) } ?? []
        let target = line.count > 1 ? String(decoding: line[1], as: UTF8.self) : ""
        let host = request.fields.first { SignedRequestFormat.isField(bytes[$0.name], "Host") }.map { text($0.value) }
        isAssumed = target.utf8.first == UInt8(ascii: "/")
        parts = HTTPMessageParts(
            method: line.first.map { String(decoding: $0, as: UTF8.self) } ?? "",
            targetURI: isAssumed ? "https://\(host ?? "")\(target)" : target,
            fields: request.fields.map { HTTPMessageParts.Field(text($0.name), text($0.value)) })
    }

    /// Completes the annotations of a dump. The first of several fields with one name gets the annotations for all.
    func annotate(_ annotations: inout [Annotation]) {
        guard let start = request.fields.first?.name.lowerBound,
            let index = annotations.firstIndex(where: { $0.range?.contains(start) ?? false })
        else { return }
        let inputs =
            parts.combinedValue(of: "Signature-Input").flatMap { try? SignatureInputField($0[...]) }?.inputs ?? []
        complete("Signature-Input", in: &annotations[index].children) { annotation in
            read(&annotation, "Signature-Input") { (value) throws(DecodeError) in
                _ = try SignatureInputField(value[...])
            }
            annotation.children = inputs.map(describe)
        }
        complete("Signature", in: &annotations[index].children, signature)
        complete("Content-Digest", in: &annotations[index].children, digest)
        annotations[index].children += inputs.prefix(Self.signatures).map(base)
    }

    /// The first field with this name.
    private func field(_ name: String) -> (name: Range<Int>, value: Range<Int>)? {
        request.fields.first { SignedRequestFormat.isField(bytes[$0.name], name) }
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

    /// Assigns a range to parts without one. In a layer with a secret, `SecretCover` hides values without a range.
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
        let signer = MessageSigning.Signer.allCases.first { $0.label.isByteEqual(to: input.label) }
        var annotation = Annotation(input.label.excerpt)
        annotation.meaning =
            switch signer {
            case .installation: "signed on the device, with the key whose public half is ipk in the token"
            case .account: "signed with the account's key that mskid in the token names"
            case nil: "a label that no app with Approov uses, such as that of a proxy"
            }
        annotation.children = [
            Annotation("covers", value: input.components.map(\.text).joined(separator: " "), meaning: coverage(input))
        ]
        for (name, seconds) in [("created", input.created), ("expires", input.expires)] {
            guard let seconds else { continue }
            annotation.children.append(Annotation(name, value: "\(seconds)", meaning: EpochTime.seconds("\(seconds)")))
        }
        if let algorithm = input.algorithm {
            var child = Annotation("alg", value: algorithm.excerpt)
            if let signer, !signer.algorithm.isByteEqual(to: algorithm) {
                child.violation = "signatures of this label are \(signer.algorithm)"
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
        var demanded = MessageSigning.standardComponents
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
            if entry.label.isByteEqual(to: MessageSigning.Signer.installation.label), entry.bytes.count != 64 {
                child.violation =
                    entry.bytes.first == 0x30
                    ? "a signature in DER, where r and s of 32 bytes each should be"
                    : "a signature of ecdsa-p256-sha256 has 64 bytes"
            } else if entry.label.isByteEqual(to: MessageSigning.Signer.account.label), entry.bytes.count != 32 {
                child.violation = "a signature of hmac-sha256 has 32 bytes"
            }
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
