import AppAttest
import AssayPrimitives

/// Annotates the key in attested credential data: {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053 section 7.1.1).
enum COSEKeyAnnotator {
    private static let parameters: [(label: String, name: String, meanings: [String: String])] = [
        ("1", "kty", ["1": "OKP", "2": "EC2: an elliptic curve key with two coordinates", "3": "RSA"]),
        ("3", "alg", ["-7": "ES256: ECDSA with SHA-256", "-35": "ES384", "-8": "EdDSA", "-257": "RS256"]),
        ("-1", "crv", ["1": "P-256", "2": "P-384", "3": "P-521"]),
        ("-2", "x", [:]), ("-3", "y", [:]),
    ]

    /// The annotation of a key, with the digest of its point, which should equal the credential identifier.
    static func annotation(
        _ node: CBORNode, in bytes: [UInt8], credentialID: ArraySlice<UInt8>
    ) -> Annotation {
        var key = CBORAnnotator.annotate(node, named: "credentialPublicKey", in: bytes)
        key.meaning = "a COSE key"
        for index in key.children.indices {
            guard let parameter = parameters.first(where: { $0.label == key.children[index].name }) else { continue }
            key.children[index].name = "\(parameter.name) (\(parameter.label))"
            key.children[index].meaning =
                key.children[index].value.flatMap { parameter.meanings[$0] } ?? key.children[index].meaning
        }
        guard let x = node[-2]?.byteRange, let y = node[-3]?.byteRange, x.count == 32, y.count == 32 else { return key }
        let digest = Digest.sha256([0x04] + bytes[x] + bytes[y])
        key.children.append(
            Annotation(
                "SHA-256 of the point", value: Base64.encode(digest, .standard),
                meaning: digest.elementsEqual(credentialID)
                    ? "equals credentialId, as it must" : "differs from credentialId, which it must equal"))
        return key
    }
}
