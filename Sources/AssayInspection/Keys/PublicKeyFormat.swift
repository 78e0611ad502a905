package import AssayCore
import AssayPrimitives

/// A single public key: a SubjectPublicKeyInfo in DER, or an uncompressed point of P-256 or P-384.
package enum PublicKeyFormat: BlobFormat {
    /// Public key.
    package static let name = "public key"

    /// Recognises `SEQUENCE { SEQUENCE { OBJECT IDENTIFIER ... }, BIT STRING }`, and points by their length.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        if let curve = PublicKeyAnnotator.curve(of: bytes[...]) {
            let name = PublicKeyAnnotator.name(of: curve)
            return (try? ECDSAPublicKey(x963: bytes, curve: curve)) == nil
                ? Recognition(.guess, because: "it has 04 and the length of an uncompressed point of \(name)")
                : Recognition(.certain, because: "it is an uncompressed point on \(name)")
        }
        guard bytes.first == 0x30, let (node, end) = LenientDER.readOne(bytes[...]), isInfo(node, in: bytes) else {
            return nil
        }
        return node.children.count == 2 && DERAnnotator.isWhole(node)
            ? Recognition(
                .certain, because: "a DER SEQUENCE of \(end) bytes has the fields of a SubjectPublicKeyInfo")
            : Recognition(.structure, because: "it begins like a SubjectPublicKeyInfo, and breaks off")
    }

    /// Annotates the key.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard bytes.first == 0x30, let (node, end) = LenientDER.readOne(bytes[...]) else {
            return BlobContents([PublicKeyAnnotator.point(bytes, at: bytes.indices, named: "X9.63 point")])
        }
        var contents = BlobContents([PublicKeyAnnotator.annotate(node, named: "SubjectPublicKeyInfo", in: bytes)])
        if end < bytes.count {
            contents.annotations.append(
                Annotation(
                    "rest", at: end..<bytes.count, value: Hexadecimal.text(bytes[end...]),
                    violation: "bytes follow the key"))
        }
        return contents
    }

    /// The error of the key decoder for RSA, P-256 and P-384. For other keys, which no evidence has, the error of the
    /// strict DER reader.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            if let curve = PublicKeyAnnotator.curve(of: bytes[...]) {
                _ = try ECDSAPublicKey(x963: bytes, curve: curve)
            } else {
                switch algorithm(of: bytes) {
                case ["1.2.840.113549.1.1.1"]: _ = try RSAPublicKey(subjectPublicKeyInfo: bytes[...])
                case ["1.2.840.10045.2.1", "1.2.840.10045.3.1.7"], ["1.2.840.10045.2.1", "1.3.132.0.34"]:
                    _ = try ECDSAPublicKey(subjectPublicKeyInfo: bytes[...])
                default: return DERFormat.violation(in: bytes)
                }
            }
            return nil
        } catch {
            return error
        }
    }

    /// The object identifiers of the algorithm and of its curve, if it has one.
    private static func algorithm(of bytes: [UInt8]) -> [String] {
        guard let node = LenientDER.readOne(bytes[...])?.node, isInfo(node, in: bytes) else { return [] }
        return node.children[0].children.prefix(2).compactMap { ObjectIdentifierText.dotted($0, in: bytes) }
    }

    private static func isInfo(_ node: DERNode, in bytes: [UInt8]) -> Bool {
        guard node.isUniversal(16), node.children.count >= 2, node.children[0].isUniversal(16),
            node.children[1].isUniversal(3), let first = node.children[0].children.first
        else { return false }
        return ObjectIdentifierText.dotted(first, in: bytes) != nil
    }
}
