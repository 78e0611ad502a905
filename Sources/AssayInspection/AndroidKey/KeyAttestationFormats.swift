import AndroidKey
import AssayCore

/// A certificate of Android's keystore: of an attested key, or one that Google's server gave a device.
enum AttestedKeyCertificateFormat: BlobFormat {
    static let name = "Android Key Attestation certificate"

    /// 1.3.6.1.4.1.11129.2.1.17 in DER: the key attestation extension.
    private static let marker: [UInt8] = [0x06, 0x0A, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x01, 0x11]
    private static let decoders: [String: CertificateAnnotator.ExtensionDecoder] = [
        KeyDescription.oid.description: { node, _, bytes in KeyDescriptionAnnotator.annotate(node, bytes) },
        ProvisioningInfo.oid.description: { _, value, bytes in provisioning(value, bytes) },
    ]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, let found = CertificateFormat.recognise(bytes), isMarked(bytes) else {
            return nil
        }
        return Recognition(
            found.certainty, because: "\(found.reason), and the extension 1.3.6.1.4.1.11129.2.1.17 of attested keys")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents(
            [CertificateAnnotator.annotate(bytes, at: bytes.indices, named: "certificate", extensions: decoders)],
            unknown: [
                "whether the chain leads to Google: `assay verify --kind android-key.attestation` checks it",
                "whether the challenge is the one that the server gave",
            ])
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        let certificate = try Certificate(der: bytes[...], profile: .keystore)
        if let value = certificate.extension(KeyDescription.oid)?.value { _ = try KeyDescription(value) }
    }

    /// The CBOR map of provisioning info, which stands in the extension without an OCTET STRING of its own.
    private static func provisioning(_ value: Range<Int>, _ bytes: [UInt8]) -> [Annotation] {
        let (map, end) = LenientCBOR.read(bytes[value])
        var annotation = CBORAnnotator.annotate(map, named: "provisioningInfo", in: bytes)
        annotation.meaning = "what Google's provisioning server says"
        for index in annotation.children.indices {
            switch annotation.children[index].name {
            case "1": annotation.children[index].meaning = "certificates issued to the device in 30 days"
            case "3": annotation.children[index].meaning = "the maker, as the server knows it"
            default: annotation.children[index].meaning = "not documented"
            }
        }
        var annotations = [annotation]
        annotations.appendRest(of: bytes, at: end..<value.upperBound, violation: "bytes follow the map")
        return annotations
    }

    /// Whether a certificate has the extension.
    static func isMarked(_ bytes: [UInt8]) -> Bool { LenientText.contains(bytes, marker) }
}

/// The chain of an attested key: PEM, DER one certificate behind another, an array of base64 texts or of PEM, or a list of base64.
enum KeyAttestationChainFormat: BlobFormat {
    static let name = "Android Key Attestation chain"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let certificates = certificates(in: bytes), certificates.count > 1,
            let attested = certificates.firstIndex(where: { AttestedKeyCertificateFormat.isMarked($0.der) })
        else { return nil }
        return Recognition(
            .certain,
            because:
                "certificate \(attested) of \(certificates.count) has the extension 1.3.6.1.4.1.11129.2.1.17 of attested keys"
        )
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let certificates = certificates(in: bytes) else {
            return BlobContents([
                Annotation("chain", at: bytes.indices, violation: "no certificates can be found in it")
            ])
        }
        var contents = BlobContents([])
        for (index, certificate) in certificates.enumerated() {
            let role = index == 0 ? "of the attested key" : "issuer of certificate \(index - 1)"
            contents.annotations.append(
                Annotation(
                    "certificate \(index)", at: certificate.range,
                    meaning: "\(role), \(Words.count(certificate.der.count, "byte"))",
                    violation: index > 0 && AttestedKeyCertificateFormat.isMarked(certificate.der)
                        ? "an issuer with a key attestation extension: an app has extended the chain with its own key"
                        : nil))
            contents.nested.append(
                NestedBlob(
                    "certificate \(index)", encoding: certificate.encoding, bytes: certificate.der,
                    format: AttestedKeyCertificateFormat.self, at: certificate.range))
        }
        return contents
    }

    /// The certificates with their positions, in DER or PEM; nil if the bytes contain none.
    static func certificates(in bytes: [UInt8]) -> [(range: Range<Int>, encoding: String, der: [UInt8])]? {
        if bytes.first == 0x30 {
            return LenientDER.read(bytes[...]).prefix(KeyAttestationEvidence.maximumCertificates + 1)
                .map { ($0.range, "DER", Array(bytes[$0.range])) }
        }
        if bytes.first == UInt8(ascii: "["), let (node, _) = LenientJSON.read(bytes[...]),
            case .array(let elements) = node.content
        {
            let decoded = elements.prefix(KeyAttestationEvidence.maximumCertificates + 1).compactMap { element in
                element.text.flatMap { text in
                    if let block = try? PEM.blocks(in: Array(text.utf8)).first {
                        return (element.range, "PEM", block.der)
                    }
                    return (try? Base64.decode(text, .standard)).map { (element.range, "base64", $0) }
                }
            }
            return decoded.isEmpty ? nil : decoded
        }
        guard let blocks = try? PEM.blocks(in: bytes) else {
            return CertificateText(bytes)?.certificates.map { ($0.range, "base64", $0.der) }
        }
        let starts = blocks.map(\.offset) + [bytes.count]
        return blocks.enumerated().prefix(KeyAttestationEvidence.maximumCertificates + 1)
            .map { (starts[$0.offset]..<starts[$0.offset + 1], "PEM", $0.element.der) }
    }
}
