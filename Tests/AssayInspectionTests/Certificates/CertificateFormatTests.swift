import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Testing

@Suite("Inspection of certificates")
struct CertificateFormatTests {
    @Test("A minted leaf is shown with every field that verification uses")
    func leaf() throws {
        let leaf = try #require(Samples().attestation.certificates.first)
        let strict = try Certificate(der: leaf[...])
        #expect(CertificateFormat.recognise(leaf)?.certainty == .certain)
        #expect(CertificateFormat.violation(in: leaf) == nil)
        let contents = CertificateFormat.annotate(leaf)
        #expect(AnnotationRules.problems(contents, of: leaf) == [])
        let tbs = try #require(contents.annotations["certificate", "tbsCertificate"]).children
        #expect(
            tbs.map(\.name) == [
                "version", "serialNumber", "signature", "issuer", "validity", "subject", "subjectPublicKeyInfo",
                "extensions",
            ])
        #expect(tbs["version"]?.meaning == "v3")
        #expect(tbs["subject"]?.value == strict.subjectDescription)
        #expect(tbs["issuer"]?.value == strict.issuerDescription)
        #expect(tbs["signature"]?.value == "ecdsa-with-SHA256")
        #expect(tbs["validity", "notBefore"]?.value == "2026-04-20T18:13:12Z")
        #expect(tbs["validity"]?.meaning == "valid for 3 days")
        let key = try #require(tbs["subjectPublicKeyInfo"])
        #expect(key.value == "id-ecPublicKey, P-256")
        #expect(
            key.children["subjectPublicKey", "SHA-256 of the point"]?.meaning
                == "Apple's key ID of this key: \(Base64.encode(Digest.sha256(try strict.publicKey().x963Representation), .standard))"
        )
        #expect(
            key.children["SHA-256 of the SubjectPublicKeyInfo"]?.value
                == Hexadecimal.text(Digest.sha256(strict.subjectPublicKeyInfo)))
        let extensions = try #require(tbs["extensions"]).children
        #expect(extensions["basicConstraints"]?.value == "may not issue certificates")
        #expect(extensions["basicConstraints"]?.meaning == "2.5.29.19, critical")
        #expect(
            extensions["keyUsage"]?.value
                == "digitalSignature, contentCommitment, keyEncipherment, dataEncipherment")
        #expect(extensions["Apple App Attest nonce", "SEQUENCE", "[1]", "OCTET STRING"]?.meaning == "32 bytes")
        #expect(contents.annotations["certificate", "signatureValue", "ECDSA signature", "r"] != nil)
        #expect(
            contents.annotations["certificate", "SHA-256 fingerprint"]?.value
                == Hexadecimal.text(Digest.sha256(leaf)))
        #expect(contents.annotations.flattened.allSatisfy { $0.violation == nil })
    }

    @Test("An engine's decoder replaces the general one, with ranges in the whole bytes")
    func decoder() throws {
        let leaf = try #require(Samples().attestation.certificates.first)
        let bytes = [0, 0, 0] + leaf + [1]
        let annotation = CertificateAnnotator.annotate(
            bytes, at: 3..<3 + leaf.count, named: "x5c[0]",
            extensions: [
                "1.2.840.113635.100.8.2": { node, _, bytes in
                    guard let octets = node.children.first?.children.first else { return [] }
                    return [Annotation("nonce", at: octets.contents, value: Hexadecimal.text(bytes[octets.contents]))]
                }
            ])
        let nonce = try #require(
            [annotation]["x5c[0]", "tbsCertificate", "extensions", "Apple App Attest nonce", "nonce"])
        #expect(nonce.range?.count == 32)
        #expect(AnnotationRules.problems([annotation], inside: 3..<3 + leaf.count) == [])
    }

    @Test("In a truncated certificate, the fields before the cut are shown")
    func cut() throws {
        let leaf = try #require(Samples().attestation.certificates.first)
        let half = Array(leaf.prefix(leaf.count / 2))
        #expect(CertificateFormat.recognise(half)?.certainty == .structure)
        #expect(CertificateFormat.violation(in: half)?.reason == .truncated)
        let contents = CertificateFormat.annotate(half)
        #expect(contents.annotations["certificate", "tbsCertificate", "issuer"]?.value?.contains("CN=") ?? false)
        #expect(contents.annotations["certificate"]?.violation?.hasPrefix("claims") ?? false)
    }

    @Test("Bytes after a certificate are shown and marked")
    func trailing() throws {
        let leaf = try #require(Samples().attestation.certificates.first)
        let contents = CertificateFormat.annotate(leaf + [0xAB])
        #expect(contents.annotations["certificate", "rest"]?.value == "ab")
        #expect(CertificateFormat.recognise(DERBuilder.sequence(DERBuilder.integer(1))) == nil)
    }

    @Test("The root of the vectors is decoded from its PEM and is its own issuer")
    func root() throws {
        let pem = try Samples.vector("app-attest/minted/test-root.pem")
        #expect(PEMFormat.recognise(pem)?.certainty == .certain)
        #expect(PEMFormat.violation(in: pem) == nil)
        let contents = PEMFormat.annotate(pem)
        let block = try #require(contents.nested.first)
        // A platform may know more of a certificate than its label says.
        #expect(block.format == nil && contents.nested.count == 1)
        #expect(CertificateFormat.recognise(block.bytes)?.certainty == .certain)
        #expect(contents.annotations["block 1"]?.value == "CERTIFICATE")
        let tbs = try #require(CertificateFormat.annotate(block.bytes).annotations["certificate", "tbsCertificate"])
        #expect(tbs.children["subject"]?.meaning == "the issuer itself")
        #expect(tbs.children["extensions", "basicConstraints"]?.value == "may issue certificates")
        #expect(tbs.children["extensions", "keyUsage"]?.value == "keyCertSign, cRLSign")
        #expect(tbs.children["validity"]?.meaning?.hasPrefix("valid for 25 years") ?? false)
    }
}
