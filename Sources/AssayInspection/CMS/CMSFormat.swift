package import AssayCore
import AssayPrimitives

/// A CMS or PKCS #7 message of type SignedData, in BER or DER.
package enum CMSFormat: BlobFormat {
    /// CMS SignedData.
    package static let name = "CMS SignedData message"

    /// Recognises a ContentInfo of type SignedData.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, let (node, end) = LenientDER.readOne(bytes[...]),
            let shape = SignedDataShape(node, in: bytes)
        else { return nil }
        let beginning = "it begins with a ContentInfo of type SignedData (1.2.840.113549.1.7.2)"
        guard node.broken == nil, shape.signerInfos != nil else {
            return Recognition(.certain, because: beginning + ", and breaks off")
        }
        return Recognition(
            .certain,
            because: end == bytes.count
                ? "a ContentInfo of type SignedData (1.2.840.113549.1.7.2) fills all \(end) bytes" : beginning)
    }

    /// Annotates the message.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = CMSAnnotator.annotate(bytes, at: bytes.indices)
        contents.unknown = [
            "Whether the signatures are those of the signers: `assay verify` says that of evidence that holds messages."
        ]
        return contents
    }

    /// The first error of the decoder of receipts.
    package static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try SignedDataMessage(bytes[...])
            return nil
        } catch {
            return error
        }
    }
}
