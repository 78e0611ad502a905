import AssayPrimitives

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

    /// Annotates an uncompressed X9.63 point, `04
    /// X
    /// Y`: its coordinates, whether it is on the curve, and its digest, which App Attest uses as key ID.
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
