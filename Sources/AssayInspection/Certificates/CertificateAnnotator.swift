import AssayCore
import FoundationEssentials

/// Annotates X.509 certificates at any position.
package enum CertificateAnnotator {
    /// Decodes a platform's own certificate extension, with ranges inside of `value`: the contents of extnValue, for values that are
    /// not DER. `node` is the first value in it.
    package typealias ExtensionDecoder =
        @Sendable (_ node: DERNode, _ value: Range<Int>, _ bytes: [UInt8]) -> [Annotation]

    /// Annotates a certificate. Decoders of extensions, by dotted identifier, take precedence over those here.
    package static func annotate(
        _ bytes: [UInt8], at range: Range<Int>, named name: String = "certificate",
        extensions: [String: ExtensionDecoder] = [:]
    ) -> Annotation {
        guard let (node, end) = LenientDER.readOne(bytes[range]) else {
            return Annotation(name, at: range, violation: "no bytes, where a certificate should be")
        }
        guard let shape = CertificateShape(node) else {
            var annotation = DERAnnotator.annotate(node, named: name, in: bytes)
            annotation.range = range
            annotation.violation = annotation.violation ?? "it does not have the shape of a certificate"
            return annotation
        }
        var annotation = annotate(node, shape, named: name, in: bytes, extensions)
        annotation.range = range
        annotation.children.appendRest(
            of: bytes, at: end..<range.upperBound, violation: "bytes follow the certificate")
        annotation.children.append(
            Annotation("SHA-256 fingerprint", value: Hexadecimal.text(Digest.sha256(bytes[node.range]))))
        return annotation
    }

    private static func annotate(
        _ node: DERNode, _ shape: CertificateShape, named name: String, in bytes: [UInt8],
        _ extensions: [String: ExtensionDecoder]
    ) -> Annotation {
        var tbs = Annotation("tbsCertificate", at: shape.tbsCertificate.range, violation: shape.tbsCertificate.broken)
        tbs.meaning = "what the issuer signs"
        var fields: [Annotation] = []
        if let version = shape.version { fields.append(self.version(version, in: bytes)) }
        if let serial = shape.serialNumber { fields.append(serialNumber(serial, in: bytes)) }
        if let algorithm = shape.algorithm {
            fields.append(PublicKeyAnnotator.algorithm(algorithm, named: "signature", in: bytes))
        }
        if let issuer = shape.issuer { fields.append(NameAnnotator.annotate(issuer, named: "issuer", in: bytes)) }
        if let validity = shape.validity { fields.append(self.validity(validity, in: bytes)) }
        if let subject = shape.subject {
            var field = NameAnnotator.annotate(subject, named: "subject", in: bytes)
            if let issuer = shape.issuer, bytes[issuer.range] == bytes[subject.range] {
                field.meaning = "the issuer itself"
            }
            fields.append(field)
        }
        if let key = shape.publicKey {
            fields.append(PublicKeyAnnotator.annotate(key, named: "subjectPublicKeyInfo", in: bytes))
        }
        if let wrapper = shape.extensions {
            fields.append(ExtensionAnnotator.annotate(wrapper, in: bytes, extensions))
        }
        fields += shape.others.map { DERAnnotator.annotate($0, in: bytes) }
        tbs.children = fields.sorted { ($0.range?.lowerBound ?? 0) < ($1.range?.lowerBound ?? 0) }

        var annotation = Annotation(name, at: node.range, violation: node.broken)
        annotation.value = fields.first { $0.name == "subject" }?.value
        annotation.meaning = "X.509 certificate, \(Words.count(node.range.count, "byte"))"
        annotation.children = [tbs]
        if let algorithm = shape.outerAlgorithm {
            annotation.children.append(
                PublicKeyAnnotator.algorithm(algorithm, named: "signatureAlgorithm", in: bytes))
        }
        if let signature = shape.signature { annotation.children.append(self.signature(signature, in: bytes)) }
        let known = 1 + (shape.outerAlgorithm == nil ? 0 : 1) + (shape.signature == nil ? 0 : 1)
        annotation.children += node.children.dropFirst(known).map { DERAnnotator.annotate($0, in: bytes) }
        return annotation
    }

    private static func version(_ node: DERNode, in bytes: [UInt8]) -> Annotation {
        let number = node.children.first.flatMap { bytes[$0.contents].count == 1 ? bytes[$0.contents].first : nil }
        return Annotation(
            "version", at: node.range, value: number.map { String($0) }, meaning: number.map { "v\(Int($0) + 1)" },
            violation: node.broken)
    }

    private static func serialNumber(_ node: DERNode, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation("serialNumber", at: node.range, violation: node.broken)
        let contents = bytes[node.contents]
        annotation.value = "0x" + Hexadecimal.text(contents)
        let decimal = DERTypes.integer(contents).value
        annotation.meaning = decimal.flatMap { $0.hasPrefix("0x") ? nil : "decimal \($0)" }
        return annotation
    }

    private static func validity(_ node: DERNode, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation("validity", at: node.range, violation: node.broken)
        annotation.children = node.children.enumerated().map { index, child in
            DERAnnotator.annotate(
                child, named: index < 2 ? ["notBefore", "notAfter"][index] : nil, in: bytes)
        }
        let times = node.children.prefix(2).map { ASN1Time.parse($0, in: bytes) }
        if times.count == 2, let start = times[0], let end = times[1] {
            let seconds = end.timeIntervalSince(start)
            annotation.value = "\(RFC3339.format(start)) to \(RFC3339.format(end))"
            annotation.meaning =
                seconds < 0 ? "ends before it begins" : "valid for \(TimeWords.duration(seconds))"
        }
        return annotation
    }

    private static func signature(_ node: DERNode, in bytes: [UInt8]) -> Annotation {
        var annotation = DERAnnotator.annotate(node, named: "signatureValue", in: bytes)
        // An ECDSA signature is a sequence of two integers.
        if annotation.children.count == 1, annotation.children[0].children.count == 2 {
            annotation.value = nil
            annotation.children[0].name = "ECDSA signature"
            annotation.children[0].children[0].name = "r"
            annotation.children[0].children[1].name = "s"
        }
        return annotation
    }
}
