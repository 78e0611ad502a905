package import AssayCore
import AssayPrimitives

/// A JSON Web Signature in compact serialisation (RFC 7515), such as a signed JWT.
package enum JWSFormat: BlobFormat {
    /// JWS.
    package static let name = "JWS in compact serialisation (signed JWT)"

    /// Recognises two or three parts between dots, the first a JSON header without `enc`.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let token = CompactToken(bytes), token.header != nil, !token.isEncrypted else { return nil }
        let count = token.parts.count
        guard token.isToken else {
            return Recognition(.guess, because: "it has \(count) parts between dots, the first of which is JSON")
        }
        return Recognition(
            count == 3 ? .certain : .structure,
            because: "it has \(count) parts between dots, and the first is a JOSE header"
                + (token.parameter("alg").map { " with alg \($0.excerpt)" } ?? ""))
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

    /// The first error of the strict token decoder, without regard to white space around the token.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try CompactJWS(LenientText.trimmed(bytes[...]), limit: InputLimits.joseText)
            return nil
        } catch {
            return error
        }
    }
}
