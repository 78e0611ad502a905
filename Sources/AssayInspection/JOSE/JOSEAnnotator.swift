import AssayCore

/// Annotates the parts of compact tokens.
enum JOSEAnnotator {
    /// Describes the parameters of the header. They have no ranges, because the text contains them encoded.
    static func header(_ token: CompactToken, of form: String, in bytes: [UInt8]) -> BlobContents {
        let range = token.parts[0]
        guard let header = token.header, let headerBytes = token.headerBytes else {
            return BlobContents([
                Annotation("protected header", at: range, violation: "it is no JSON object in base64url")
            ])
        }
        let isEncrypted = token.isEncrypted
        var contents = JSONAnnotator.annotate(header, named: "protected header", in: headerBytes) { pointer, node in
            meaning(of: pointer, node, isEncrypted: isEncrypted)
        }
        contents.annotations = contents.annotations.map { annotation in
            var annotation = withoutRanges(annotation)
            annotation.range = range
            annotation.violation = annotation.violation ?? irregularity(of: range, in: bytes)
            return annotation
        }
        contents.nested = contents.nested.map {
            NestedBlob(
                "\($0.name) of the \(form)'s header", encoding: $0.encoding, bytes: $0.bytes, format: $0.format,
                at: range)
        }
        // Offsets in the decoded header are not offsets in the text.
        contents.secrets = contents.secrets.isEmpty ? [] : [range]
        return contents
    }

    /// Annotates a binary part: its length, and the length that the algorithm demands.
    static func part(
        _ name: String, at range: Range<Int>, in bytes: [UInt8], expected: Int?, showing isShown: Bool = true
    ) -> (annotation: Annotation, decoded: [UInt8]) {
        let decoded = LenientBase64.decode(bytes[range]).bytes
        var annotation = Annotation(name, at: range, meaning: Words.count(decoded.count, "byte"))
        if isShown, !decoded.isEmpty { annotation.value = Hexadecimal.text(decoded) }
        annotation.violation = irregularity(of: range, in: bytes)
        if let expected, decoded.count != expected, annotation.violation == nil {
            annotation.violation = "\(Words.count(decoded.count, "byte")), \(expected) expected for the algorithm"
        }
        return (annotation, decoded)
    }

    static func extra(_ token: CompactToken, after count: Int) -> [Annotation] {
        token.parts.dropFirst(count).map {
            Annotation("part beyond the \(count)", at: $0, violation: "the form has \(count) parts")
        }
    }

    /// Annotates the text before the token, and its irregularities.
    static func prefix(_ token: CompactToken) -> [Annotation] {
        guard !token.irregularities.isEmpty else { return [] }
        return [
            Annotation(
                "around the token", at: token.prefix.isEmpty ? nil : token.prefix,
                meaning: "the token is \(token.irregularities.joined(separator: ", ")); left out here")
        ]
    }

    /// The strict decoder's error for the characters of a part.
    private static func irregularity(of range: Range<Int>, in bytes: [UInt8]) -> String? {
        let decoded = LenientBase64.decode(bytes[range])
        // JOSE allows base64url only.
        let isStandard = ["base64", "base64 of both alphabets"].containsBytes(of: decoded.encoding)
        return decoded.irregularities.first ?? (isStandard ? "base64 where base64url should be" : nil)
    }

    private static func withoutRanges(_ annotation: Annotation) -> Annotation {
        var annotation = annotation
        annotation.range = nil
        annotation.children = annotation.children.map(withoutRanges)
        return annotation
    }

    /// The parameters of RFC 7515 section 4.1 and RFC 7516 section 4.1.
    private static func meaning(of pointer: String, _ node: JSONNode, isEncrypted: Bool) -> String? {
        switch pointer {
        case "/alg":
            let name = node.text ?? ""
            return (isEncrypted ? JOSEAlgorithms.keyEncryption(name) : JOSEAlgorithms.signature(name))
                ?? "an algorithm that is not known here"
        case "/enc":
            return JOSEAlgorithms.contentEncryption(node.text ?? "")?.description
                ?? "a content encryption that is not known here"
        case "/kid": return "which key the sender has used"
        case "/typ": return "the media type of the whole"
        case "/cty": return "the media type of the payload"
        case "/jwk": return "a key that the sender brings along, which verification never uses"
        case "/jku", "/x5u": return "where the sender says that keys are, which verification never fetches"
        case "/x5c": return "certificates that the sender brings along"
        case "/x5t", "/x5t#S256": return "the digest of the sender's certificate"
        case "/crit": return "extensions that must be understood, which verification refuses"
        case "/zip": return "compression, which verification refuses"
        case "/b64": return "whether the payload is encoded, which verification refuses"
        case "/iv" where isEncrypted: return "the initialization vector of the key encryption"
        case "/tag" where isEncrypted: return "the authentication tag of the key encryption"
        default: return nil
        }
    }
}

/// Descriptions of the algorithms of JOSE (RFC 7518), and the lengths of their results.
enum JOSEAlgorithms {
    /// Describes `alg` of a JWS.
    static func signature(_ name: String) -> String? {
        switch name {
        case "ES256": "ECDSA with P-256 and SHA-256"
        case "ES384": "ECDSA with P-384 and SHA-384"
        case "ES512": "ECDSA with P-521 and SHA-512"
        case "ES256K": "ECDSA with secp256k1 and SHA-256"
        case "RS256", "RS384", "RS512": "RSASSA-PKCS1-v1_5 with SHA-\(name.suffix(3))"
        case "PS256", "PS384", "PS512": "RSASSA-PSS with SHA-\(name.suffix(3))"
        case "HS256", "HS384", "HS512": "HMAC with SHA-\(name.suffix(3)): the key that verifies also signs"
        case "EdDSA", "Ed25519": "EdDSA"
        case _ where LenientText.lowercased(name) == "none": "not signed at all: any client can write it"
        default: nil
        }
    }

    /// The length of a signature or MAC in bytes, if the algorithm determines it.
    static func signatureLength(_ name: String) -> Int? {
        switch name {
        case "ES256", "ES256K", "EdDSA", "Ed25519", "HS512": 64
        case "ES384": 96
        case "ES512": 132
        case "HS256": 32
        case "HS384": 48
        default: nil
        }
    }

    /// Describes `alg` of a JWE.
    static func keyEncryption(_ name: String) -> String? {
        switch name {
        case "A128KW", "A192KW", "A256KW": "AES key wrap with a shared key of \(name.dropFirst().prefix(3)) bits"
        case "A128GCMKW", "A192GCMKW", "A256GCMKW":
            "AES-GCM key encryption with a shared key of \(name.dropFirst().prefix(3)) bits"
        case "RSA-OAEP": "RSAES-OAEP with SHA-1"
        case "RSA-OAEP-256": "RSAES-OAEP with SHA-256"
        case "RSA1_5": "RSAES-PKCS1-v1_5, which is obsolete"
        case "dir": "the shared key encrypts the content itself"
        case "ECDH-ES": "ECDH, whose result encrypts the content itself"
        case "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW": "ECDH, and AES key wrap with its result"
        case _ where name.hasPrefix("PBES2-"): "a key from a password"
        default: nil
        }
    }

    /// Describes `enc`, with the lengths of initialization vector and tag.
    static func contentEncryption(_ name: String) -> (description: String, vector: Int, tag: Int)? {
        switch name {
        case "A128GCM", "A192GCM", "A256GCM": ("AES-GCM with \(name.dropFirst().prefix(3)) bits", 12, 16)
        case "A128CBC-HS256": ("AES-CBC with 128 bits and HMAC with SHA-256", 16, 16)
        case "A192CBC-HS384": ("AES-CBC with 192 bits and HMAC with SHA-384", 16, 24)
        case "A256CBC-HS512": ("AES-CBC with 256 bits and HMAC with SHA-512", 16, 32)
        default: nil
        }
    }

    /// The length of the encrypted key in bytes, if the algorithms determine it: the key, and 8 bytes for a key wrap.
    static func encryptedKeyLength(_ algorithm: String, _ encryption: String) -> Int? {
        let keyLengths = [
            "A128GCM": 16, "A192GCM": 24, "A256GCM": 32, "A128CBC-HS256": 32, "A192CBC-HS384": 48, "A256CBC-HS512": 64,
        ]
        guard let keyLength = keyLengths[encryption] else { return nil }
        switch algorithm {
        case "A128KW", "A192KW", "A256KW", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW": return keyLength + 8
        case "A128GCMKW", "A192GCMKW", "A256GCMKW": return keyLength
        case "dir", "ECDH-ES": return 0
        default: return nil
        }
    }
}
