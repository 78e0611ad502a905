package import AssayCore

/// A JSON Web Signature in compact serialisation (RFC 7515), such as a signed JWT.
package enum JWSFormat: BlobFormat {
    package static let name = "JWS in compact serialisation (signed JWT)"

    /// Recognises two or three parts between dots, the first a JSON header without `enc`.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let token = CompactToken(bytes), token.header != nil, !token.isEncrypted else { return nil }
        return token.recognition(of: 3, naming: "alg")
    }

    /// Annotates header and signature. The payload becomes a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let token = CompactToken(bytes) else {
            return BlobContents([Annotation("text", at: bytes.indices, violation: "it has no parts between dots")])
        }
        var contents = JOSEAnnotator.header(token, of: "JWS", in: bytes)
        contents.annotations = JOSEAnnotator.prefix(token) + contents.annotations
        let algorithm = token.parameter("alg") ?? ""
        let isUnsigned = LenientText.lowercased(algorithm).isByteEqual(to: "none")
        if token.parts.count > 1 {
            let payload = JOSEAnnotator.part("payload", at: token.parts[1], in: bytes, expected: nil, showing: false)
            contents.annotations.append(payload.annotation)
            if !payload.decoded.isEmpty {
                contents.nested.append(
                    NestedBlob(
                        "payload of the JWS", encoding: "base64url", bytes: payload.decoded, at: token.parts[1]))
            }
        }
        if token.parts.count > 2 {
            let expected = isUnsigned ? 0 : JOSEAlgorithms.signatureLength(algorithm)
            contents.annotations.append(
                JOSEAnnotator.part("signature", at: token.parts[2], in: bytes, expected: expected).annotation)
        } else {
            contents.annotations.append(
                Annotation("signature", violation: "it is missing; a JWS has three parts, even without a signature"))
        }
        contents.annotations += JOSEAnnotator.extra(token, after: 3)
        contents.unknown = [
            isUnsigned
                ? "Who wrote it: it is not signed."
                : "Whether the signature is genuine: that needs the key"
                    + (token.parameter("kid").map { " \($0.excerpt)" } ?? "") + ", and was not looked at."
        ]
        return contents
    }

    /// Ignores white space around the token.
    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try CompactJWS(LenientText.trimmed(bytes[...]), limit: InputLimits.joseText)
    }
}
