package import AssayCore

/// A single public key: a SubjectPublicKeyInfo in DER, or an uncompressed point of P-256 or P-384.
package enum PublicKeyFormat: BlobFormat {
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

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard bytes.first == 0x30, let (node, end) = LenientDER.readOne(bytes[...]) else {
            return BlobContents([PublicKeyAnnotator.point(bytes, at: bytes.indices, named: "X9.63 point")])
        }
        var contents = BlobContents([PublicKeyAnnotator.annotate(node, named: "SubjectPublicKeyInfo", in: bytes)])
        contents.annotations.appendRest(of: bytes, at: end..<bytes.count, violation: "bytes follow the key")
        return contents
    }

    /// Uses the key decoder for RSA, P-256 and P-384, and the strict DER reader for other keys, which no evidence has.
    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        if let curve = PublicKeyAnnotator.curve(of: bytes[...]) {
            _ = try ECDSAPublicKey(x963: bytes, curve: curve)
        } else {
            switch algorithm(of: bytes) {
            case ["1.2.840.113549.1.1.1"]: _ = try RSAPublicKey(subjectPublicKeyInfo: bytes[...])
            case ["1.2.840.10045.2.1", "1.2.840.10045.3.1.7"], ["1.2.840.10045.2.1", "1.3.132.0.34"]:
                _ = try ECDSAPublicKey(subjectPublicKeyInfo: bytes[...])
            default: try DERFormat.decodeStrictly(bytes)
            }
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

/// Annotates public keys and their digests.
package enum PublicKeyAnnotator {
    /// Annotates a SubjectPublicKeyInfo (RFC 5280 section 4.1): algorithm, size, and the digests that serve as key IDs.
    package static func annotate(_ node: DERNode, named name: String, in bytes: [UInt8]) -> Annotation {
        var annotation = Annotation(name, at: node.range, violation: node.broken)
        let algorithm = node.children.first
        let key = node.children.dropFirst().first
        var parts: [String] = []
        if let algorithm {
            annotation.children.append(self.algorithm(algorithm, named: "algorithm", in: bytes))
            parts = algorithm.children.prefix(2).compactMap { ObjectIdentifierText.dotted($0, in: bytes) }
                .map { ObjectIdentifierNames.name(of: $0) ?? $0 }
        }
        if let key, key.isUniversal(3) {
            let contents = key.contents.dropFirst(key.contents.isEmpty ? 0 : 1)
            if parts.first == "rsaEncryption" {
                annotation.children.append(rsa(key, in: bytes, size: &parts))
            } else if bytes[contents].first == 0x04 {
                annotation.children.append(point(bytes, at: contents, named: "subjectPublicKey"))
            } else {
                annotation.children.append(DERAnnotator.annotate(key, named: "subjectPublicKey", in: bytes))
            }
        }
        annotation.children += node.children.dropFirst(2).map { DERAnnotator.annotate($0, in: bytes) }
        annotation.value = parts.isEmpty ? nil : parts.joined(separator: ", ")
        if node.broken == nil {
            annotation.children.append(
                Annotation(
                    "SHA-256 of the SubjectPublicKeyInfo", value: Hexadecimal.text(Digest.sha256(bytes[node.range])),
                    meaning: "a public key pin in base64: "
                        + Base64.encode(Digest.sha256(bytes[node.range]), .standard)))
        }
        return annotation
    }

    /// Annotates an uncompressed X9.63 point, 04 with X and Y: whether it is on the curve, and its digest, which App Attest uses as key
    /// ID.
    package static func point(_ bytes: [UInt8], at range: Range<Int>, named name: String) -> Annotation {
        var annotation = Annotation(name, at: range, meaning: "a point of \(Words.count(range.count, "byte"))")
        guard range.count % 2 == 1, range.count >= 3, bytes[range.lowerBound] == 0x04 else {
            annotation.value = Hexadecimal.text(bytes[range])
            return annotation
        }
        let middle = range.lowerBound + 1 + range.count / 2
        annotation.children = [
            Annotation("form", at: range.prefix(1), value: "04", meaning: "uncompressed"),
            Annotation(
                "X", at: range.lowerBound + 1..<middle, value: Hexadecimal.text(bytes[range.lowerBound + 1..<middle])),
            Annotation(
                "Y", at: middle..<range.upperBound, value: Hexadecimal.text(bytes[middle..<range.upperBound])),
        ]
        guard let curve = curve(of: bytes[range]) else { return annotation }
        if (try? ECDSAPublicKey(x963: bytes[range], curve: curve)) == nil {
            annotation.violation = "the point is not on \(self.name(of: curve))"
        } else {
            annotation.meaning = "a point on \(self.name(of: curve)), \(range.count) bytes"
        }
        if curve == .p256 {
            let digest = Digest.sha256(bytes[range])
            annotation.children.append(
                Annotation(
                    "SHA-256 of the point", value: Hexadecimal.text(digest),
                    meaning: "Apple's key ID of this key: \(Base64.encode(digest, .standard))"))
        }
        return annotation
    }

    /// The curve with uncompressed points of this length.
    static func curve(of point: ArraySlice<UInt8>) -> ECDSAPublicKey.Curve? {
        ECDSAPublicKey.Curve.allCases.first { point.first == 0x04 && $0.pointLength == point.count }
    }

    static func name(of curve: ECDSAPublicKey.Curve) -> String {
        switch curve {
        case .p256: "P-256"
        case .p384: "P-384"
        }
    }

    /// Annotates an AlgorithmIdentifier: the algorithm's name and its parameters.
    static func algorithm(_ node: DERNode, named name: String, in bytes: [UInt8]) -> Annotation {
        guard let first = node.children.first, let oid = ObjectIdentifierText.dotted(first, in: bytes) else {
            return DERAnnotator.annotate(node, named: name, in: bytes)
        }
        return Annotation(
            name, at: node.range, value: ObjectIdentifierNames.name(of: oid) ?? oid, meaning: oid,
            violation: node.broken,
            children: node.children.dropFirst().map { DERAnnotator.annotate($0, named: "parameters", in: bytes) })
    }

    /// Annotates the BIT STRING with an RSAPublicKey (RFC 8017 appendix A.1.1).
    private static func rsa(_ key: DERNode, in bytes: [UInt8], size parts: inout [String]) -> Annotation {
        var annotation = DERAnnotator.annotate(key, named: "subjectPublicKey", in: bytes)
        let contents = bytes[key.contents].dropFirst()
        guard let inner = LenientDER.readOne(contents)?.node, inner.children.count == 2 else { return annotation }
        let modulus = bytes[inner.children[0].contents].drop { $0 == 0 }
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        parts.append("\(bits) bits")
        annotation.value = nil
        annotation.meaning = "\(bits) bits"
        annotation.children = zip(inner.children, ["modulus", "publicExponent"]).map {
            DERAnnotator.annotate($0, named: $1, in: bytes)
        }
        return annotation
    }
}

/// Annotates ECDSA signatures.
package enum ECDSASignatureAnnotator {
    /// Annotates a DER ECDSA-Sig-Value (RFC 3279 section 2.2.3) with r and s, and any other bytes by their structure.
    package static func annotate(_ bytes: [UInt8], at range: Range<Int>, named name: String) -> Annotation {
        guard let (node, end) = LenientDER.readOne(bytes[range]), node.isUniversal(16) else {
            return Annotation(
                name, at: range, value: Hexadecimal.text(bytes[range]),
                meaning: "\(Words.count(range.count, "byte")), not a DER signature")
        }
        var annotation = Annotation(name, at: range, meaning: "ECDSA signature, \(Words.count(range.count, "byte"))")
        annotation.violation = node.broken
        let isPair = node.children.count == 2 && node.children.allSatisfy { $0.isUniversal(2) }
        annotation.children = node.children.enumerated().map { index, child in
            DERAnnotator.annotate(child, named: isPair ? ["r", "s"][index] : nil, in: bytes)
        }
        annotation.children.appendRest(of: bytes, at: end..<range.upperBound, violation: "bytes follow the signature")
        return annotation
    }
}
