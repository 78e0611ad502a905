package import AssayCore

/// A JSON Web Encryption in compact serialisation (RFC 7516).
package enum JWEFormat: BlobFormat {
    package static let name = "JWE in compact serialisation (encrypted JWT)"

    /// Recognises five parts between dots, or fewer if the first is a JSON header with `enc`.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let token = CompactToken(bytes), token.header != nil, token.isEncrypted else { return nil }
        return token.recognition(of: 5, naming: "enc")
    }

    /// Annotates the parts. Decrypts nothing.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let token = CompactToken(bytes) else {
            return BlobContents([Annotation("text", at: bytes.indices, violation: "it has no parts between dots")])
        }
        var contents = JOSEAnnotator.header(token, of: "JWE", in: bytes)
        contents.annotations = JOSEAnnotator.prefix(token) + contents.annotations
        let algorithm = token.parameter("alg") ?? ""
        let encryption = token.parameter("enc") ?? ""
        let lengths = JOSEAlgorithms.contentEncryption(encryption)
        let parts: [(name: String, expected: Int?)] = [
            ("encrypted key", JOSEAlgorithms.encryptedKeyLength(algorithm, encryption)),
            ("initialization vector", lengths?.vector), ("ciphertext", nil), ("authentication tag", lengths?.tag),
        ]
        for (index, part) in parts.enumerated() {
            guard index + 1 < token.parts.count else {
                contents.annotations.append(Annotation(part.name, violation: "it is missing; a JWE has five parts"))
                continue
            }
            contents.annotations.append(
                JOSEAnnotator.part(part.name, at: token.parts[index + 1], in: bytes, expected: part.expected)
                    .annotation)
        }
        contents.annotations += JOSEAnnotator.extra(token, after: 5)
        contents.unknown = [
            "The payload, and who wrote it: it is encrypted, and only a holder of the key"
                + (token.parameter("kid").map { " \($0.excerpt)" } ?? "") + " can open it."
        ]
        return contents
    }

    /// Ignores white space around the token.
    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try CompactJWE(LenientText.trimmed(bytes[...]), limit: InputLimits.joseText)
    }
}
