import AppAttest
import AssayCore
import AssayPrimitives

/// A certificate that attests a key: the first one of an attestation.
enum AttestedCertificateFormat: BlobFormat {
    static let name = "App Attest attested certificate"

    /// 1.2.840.113635.100.8.2 in DER: the extension with the nonce.
    private static let nonce: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, let found = CertificateFormat.recognise(bytes), ByteSearch.contains(bytes, nonce)
        else { return nil }
        return Recognition(
            found.certainty, because: "\(found.reason), and the extension 1.2.840.113635.100.8.2 of attested keys")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents(
            [AppleCertificate.annotation(bytes, bytes.indices, named: "certificate")],
            unknown: [Unknowable.chain, Unknowable.challenge])
    }

    static func violation(in bytes: [UInt8]) -> DecodeError? { CertificateFormat.violation(in: bytes) }
}

/// Annotates Apple's certificates inside another blob.
enum AppleCertificate {
    /// The annotation of a certificate, including Apple's extensions.
    static func annotation(_ bytes: [UInt8], _ range: Range<Int>, named name: String) -> Annotation {
        CertificateAnnotator.annotate(bytes, at: range, named: name, extensions: AppleExtensionAnnotator.all)
    }
}
