package import AssayCore
import AssayPrimitives

/// An X.509 certificate in DER.
package enum CertificateFormat: BlobFormat {
    /// X.509 certificate.
    package static let name = "X.509 certificate"

    /// Recognises a sequence with the fields of a certificate.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, let (node, end) = LenientDER.readOne(bytes[...]), let shape = CertificateShape(node)
        else { return nil }
        guard shape.isComplete, node.broken == nil else {
            return Recognition(.structure, because: "it begins with the fields of a certificate, and breaks off")
        }
        return Recognition(
            .certain,
            because: end == bytes.count
                ? "a DER SEQUENCE that fills all \(end) bytes has the fields of a certificate"
                : "a DER SEQUENCE of \(end) bytes has the fields of a certificate")
    }

    /// Annotates the certificate.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents(
            [CertificateAnnotator.annotate(bytes, at: bytes.indices)],
            unknown: ["Whether the issuer signed the certificate: that needs the issuer's, and `assay verify`."])
    }

    /// The first error of the decoder that verification uses.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try Certificate(der: bytes[...])
            return nil
        } catch {
            return error
        }
    }
}
