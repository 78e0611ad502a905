/// A private key in DER. It is named and never shown.
package enum PrivateKeyFormat: BlobFormat {
    package static let name = "private key"

    /// Recognises the structures of ``PrivateKeys``. ``PEMFormat`` reads keys in PEM.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30 else { return nil }
        return PrivateKeys.describe(bytes).map { Recognition(.certain, because: "it has the structure of \($0)") }
    }

    /// Describes the kind of the key without its value.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let kind = PrivateKeys.describe(bytes) ?? "a private key"
        return BlobContents(
            [
                Annotation(
                    "private key", at: bytes.indices, value: "(not shown)",
                    meaning: "\(kind), \(Words.count(bytes.count, "byte")); take it back from wherever it was copied to"
                )
            ], secrets: [bytes.indices])
    }
}

/// Recognises private keys, which users paste by mistake, so that they are never shown.
package enum PrivateKeys {
    /// The kind of private key in some bytes; nil for other bytes. Recognises PKCS #8, plain (RFC 5958) and encrypted, PKCS #1 (RFC
    /// 8017), SEC 1 (RFC 5915), and PEM of a private key. The beginning of a truncated key is enough.
    package static func describe(_ bytes: [UInt8]) -> String? {
        switch bytes.first {
        case 0x30: LenientDER.readOne(bytes[...]).flatMap { describe($0.node, in: bytes) }
        default: hasPrivateBoundary(bytes) ? "a private key in PEM" : nil
        }
    }

    static func describe(_ node: DERNode, in bytes: [UInt8]) -> String? {
        guard node.isUniversal(16), let first = node.children.first else { return nil }
        let rest = node.children.dropFirst()
        guard first.isUniversal(2) else { return encrypted(first, rest.first, in: bytes) }
        guard let version = bytes[first.contents].first, first.contents.count == 1, let second = rest.first else {
            return nil
        }
        if version <= 1, second.isUniversal(16), rest.dropFirst().first?.isUniversal(4) ?? false {
            let algorithm = second.children.first.flatMap { ObjectIdentifierText.dotted($0, in: bytes) }
            let name = algorithm.flatMap { ObjectIdentifierNames.name(of: $0) }
            return "a private key (PKCS #8\(name.map { ", \($0)" } ?? ""))"
        }
        if version == 1, second.isUniversal(4), isKeyOrEnd(rest.dropFirst().first) {
            return "an EC private key (SEC 1)"
        }
        // A public key has only two integers and no version.
        if version <= 1, rest.count >= 3, rest.allSatisfy({ $0.isUniversal(2) || $0.isUniversal(16) }),
            second.isUniversal(2), second.contents.count >= 32
        {
            return "an RSA private key (PKCS #1)"
        }
        return nil
    }

    /// EncryptedPrivateKeyInfo: a key derivation of PKCS #5 or #12, and an OCTET STRING.
    private static func encrypted(_ algorithm: DERNode, _ data: DERNode?, in bytes: [UInt8]) -> String? {
        guard algorithm.isUniversal(16), let data, data.isUniversal(4),
            let oid = algorithm.children.first.flatMap({ ObjectIdentifierText.dotted($0, in: bytes) }),
            oid.hasPrefix("1.2.840.113549.1.5.") || oid.hasPrefix("1.2.840.113549.1.12.1.")
        else { return nil }
        return "an encrypted private key (PKCS #8)"
    }

    /// Whether a value can follow the octets of a SEC 1 key: the curve, the public point, or the end.
    private static func isKeyOrEnd(_ node: DERNode?) -> Bool {
        guard let node else { return true }
        return node.tagClass == .contextSpecific && node.tagNumber <= 1
    }

    private static func hasPrivateBoundary(_ bytes: [UInt8]) -> Bool {
        PEMBlock.read(bytes).contains { $0.isPrivate }
    }
}
