import AppAttest
import AssayCore
import AssayPrimitives

/// A receipt: a CMS message from Apple with numbered fields.
enum ReceiptFormat: BlobFormat {
    static let name = "App Attest receipt"

    /// 1.2.840.113635.100.12.15 in DER: the marker of certificates that sign receipts.
    private static let marker: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x0C, 0x0F]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, CMSFormat.recognise(bytes) != nil else { return nil }
        if let content = CMSAnnotator.content(of: bytes), let payload = ReceiptPayloadFormat.recognise(content) {
            return Recognition(payload.certainty, because: "it is a signed message, and in it \(payload.reason)")
        }
        guard ByteSearch.contains(bytes, marker) else { return nil }
        return Recognition(
            .certain, because: "it is a signed message with a certificate that is marked for signing receipts")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = CMSFormat.annotate(bytes)
        if let content = CMSAnnotator.content(of: bytes) {
            contents.nested = [
                NestedBlob(
                    "payload of the receipt", encoding: "content of the signed message", bytes: content,
                    format: ReceiptPayloadFormat.self)
            ]
        }
        contents.unknown = [
            "whether the signature holds and the signer is Apple's: `assay verify --kind app-attest.receipt` checks it",
            "whether the key is enrolled: the ledger knows",
        ]
        return contents
    }

    static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try SignedReceipt(bytes[...], authorities: AppAttestTrust.apple.receipts)
            return nil
        } catch {
            // The offset of a payload error refers to the payload, which is another layer.
            return error.field.utf8.starts(with: "payload".utf8) ? nil : error
        }
    }
}

/// Searches bytes.
enum ByteSearch {
    /// Whether `bytes` contains `pattern`.
    static func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
        guard let first = pattern.first, bytes.count >= pattern.count else { return false }
        return bytes.indices.dropLast(pattern.count - 1).contains {
            bytes[$0] == first && bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
        }
    }
}
