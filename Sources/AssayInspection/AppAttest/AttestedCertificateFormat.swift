import AppAttest
import AssayCore

/// A certificate that attests a key: the first one of an attestation.
enum AttestedCertificateFormat: BlobFormat {
    static let name = "App Attest attested certificate"

    /// 1.2.840.113635.100.8.2 in DER: the extension with the nonce.
    private static let nonce: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, let found = CertificateFormat.recognise(bytes), LenientText.contains(bytes, nonce)
        else { return nil }
        return Recognition(
            found.certainty, because: "\(found.reason), and the extension 1.2.840.113635.100.8.2 of attested keys")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents(
            [AppleCertificate.annotation(bytes, bytes.indices, named: "certificate")],
            unknown: [Unknowable.chain, Unknowable.challenge])
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { try CertificateFormat.decodeStrictly(bytes) }
}

/// Annotates Apple's certificates inside another blob.
enum AppleCertificate {
    /// The annotation of a certificate, including Apple's extensions.
    static func annotation(_ bytes: [UInt8], _ range: Range<Int>, named name: String) -> Annotation {
        CertificateAnnotator.annotate(bytes, at: range, named: name, extensions: AppleExtensionAnnotator.all)
    }
}

/// Annotates Apple's own extensions of attested certificates: 1.2.840.113635.100.8. Apple documents the nonce and the
/// access control list. The other meanings come from captures of 2020 to 2026; fields of doubtful meaning have no name.
enum AppleExtensionAnnotator {
    /// By object identifier.
    static let all: [String: CertificateAnnotator.ExtensionDecoder] = [
        "1.2.840.113635.100.8.2": { node, _, bytes in nonce(node, bytes) },
        "1.2.840.113635.100.8.5": { node, _, bytes in fields(node, bytes, keyFields, of: "key and device") },
        "1.2.840.113635.100.8.6": { node, _, bytes in accessControlList(node, bytes) },
        "1.2.840.113635.100.8.7": { node, _, bytes in fields(node, bytes, systemFields, of: "operating system") },
    ]

    /// A field of the extensions with context tags.
    private typealias Field = (name: String, meaning: String)

    private static let keyFields: [UInt64: Field] = [
        4: ("platform", "which family of systems; 10 is iOS, 13 is macOS"),
        1204: ("App ID", "the app that the key belongs to"),
    ]

    private static let systemFields: [UInt64: Field] = [
        1026: ("platform", "iphoneos or macosx"),
        1029: ("build variant", "Internal on Apple's own samples"),
        1400: ("OS version", "the version of the operating system"),
        1403: ("OS build", "the build of the operating system"),
        1405: ("OS version", "the version of the operating system, once more"),
        1420: ("build train", "the name of the build train"),
    ]

    /// SEQUENCE {[1] EXPLICIT OCTET STRING}.
    private static func nonce(_ node: DERNode, _ bytes: [UInt8]) -> [Annotation] {
        let octets = node.children.first?.children.first
        guard let octets, octets.isUniversal(4) else {
            var annotation = DERAnnotator.annotate(node, in: bytes)
            annotation.meaning = "expected SEQUENCE {[1] OCTET STRING}"
            return [annotation]
        }
        return [
            Annotation(
                "nonce", at: octets.range, value: Hexadecimal.text(bytes[octets.contents]),
                meaning: "SHA-256(authData || clientDataHash)",
                violation: octets.contents.count == 32 ? nil : "expected 32 bytes, found \(octets.contents.count)")
        ]
    }

    /// SEQUENCE of explicitly tagged values.
    private static func fields(
        _ node: DERNode, _ bytes: [UInt8], _ known: [UInt64: Field], of what: String
    ) -> [Annotation] {
        node.children.map { child in
            guard child.tagClass == .contextSpecific else { return DERAnnotator.annotate(child, in: bytes) }
            let field = known[child.tagNumber]
            let name = "[\(child.tagNumber)]" + (field.map { " \($0.name)" } ?? "")
            guard let inner = child.children.first, child.children.count == 1 else {
                return DERAnnotator.annotate(child, named: name, in: bytes)
            }
            var annotation = DERAnnotator.annotate(inner, named: name, in: bytes)
            annotation.range = child.range
            annotation.violation = annotation.violation ?? child.broken
            if inner.isUniversal(4), let text = LenientText.printable(bytes[inner.contents]) {
                annotation.value = "\"\(text)\""
                annotation.children = []
            }
            annotation.meaning = field.map { meaning($0, annotation.value) } ?? "unknown field of the \(what)"
            return annotation
        }
    }

    private static func meaning(_ field: Field, _ value: String?) -> String {
        guard field.name == "platform" else { return field.meaning }
        switch value {
        case "10", "\"iphoneos\"": return "iOS"
        case "13", "\"macosx\"": return "macOS"
        default: return "\(field.meaning); this is another one"
        }
    }

    /// SEQUENCE {[3] EXPLICIT OCTET STRING}: the requirements of each operation on the key, in DER.
    private static func accessControlList(_ node: DERNode, _ bytes: [UInt8]) -> [Annotation] {
        node.children.map { child in
            var annotation = DERAnnotator.annotate(child, named: "[\(child.tagNumber)]", in: bytes)
            guard child.tagNumber == 3, let inner = child.children.first, inner.isUniversal(4) else {
                return annotation
            }
            annotation.name = "[3] aclBlob"
            annotation.meaning =
                bytes[inner.contents].elementsEqual(AttestedCertificate.macOSAccessControlList)
                ? "the list that Apple documents for keys on macOS"
                : "another list than the documented one of macOS, as on iOS"
            return annotation
        }
    }
}
