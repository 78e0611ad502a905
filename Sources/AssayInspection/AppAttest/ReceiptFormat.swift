import AppAttest
import AssayCore
import FoundationEssentials

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
        guard LenientText.contains(bytes, marker) else { return nil }
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

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        do throws(DecodeError) {
            _ = try SignedReceipt(bytes[...], authorities: AppAttestTrust.apple.receipts)
        } catch {
            // The offset of a payload error refers to the payload, which is another layer.
            if !error.field.utf8.starts(with: "payload".utf8) { throw error }
        }
    }
}

/// The payload of a receipt: SET OF SEQUENCE {INTEGER type, INTEGER version, OCTET STRING value}.
enum ReceiptPayloadFormat: BlobFormat {
    static let name = "payload of an App Attest receipt"

    /// The fields by type. Apple documents most; for the others, the contents show the meaning.
    private static let fields: [UInt64: (name: String, meaning: String)] = [
        2: ("App ID", "the app that the key belongs to"),
        3: ("attested certificate", "the leaf of the attestation"),
        4: ("client data hash", "as the app passed it; mangled by a conversion to UTF-8 in receipts of type RECEIPT"),
        5: ("token", "for Apple's server, which gives a new receipt for it"),
        6: ("type", "ATTEST: part of an attestation; RECEIPT: handed out in exchange for an older one"),
        7: ("environment", "production, or sandbox for development (undocumented)"),
        12: ("creation time", "when Apple made the receipt"),
        17: ("risk metric", "about how many keys the device attested in the last 30 days"),
        19: ("not before", "from then on Apple hands out a new receipt in exchange"),
        21: ("expiration time", "until then it can be exchanged"),
    ]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x31, let (node, _) = LenientDER.readOne(bytes[...]) else { return nil }
        let types = node.children.compactMap { type(of: $0, bytes) }
        guard !types.isEmpty, types.count * 2 > node.children.count else { return nil }
        let isReceipt = types.contains(6) && types.contains(2)
        return Recognition(
            isReceipt ? .certain : .structure,
            because: "it is a SET of \(types.count) numbered fields"
                + (isReceipt ? ", an App ID and a type among them" : ""))
    }

    private static func type(of node: DERNode, _ bytes: [UInt8]) -> UInt64? {
        guard node.isUniversal(16), node.children.count >= 2, let first = node.children.first, first.isUniversal(2),
            node.children[1].isUniversal(2), first.contents.count <= 4
        else { return nil }
        return bytes[first.contents].reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let nodes = LenientDER.read(bytes[...])
        var annotations = nodes.enumerated().map { index, node in
            guard index == 0, node.isUniversal(17) else {
                return DERAnnotator.annotate(node, named: "value", in: bytes)
            }
            var seen: Set<UInt64> = []
            return Annotation(
                "fields", at: node.range, meaning: "SET of \(Words.count(node.children.count, "field"))",
                violation: node.broken, children: node.children.map { field($0, bytes, &seen) })
        }
        if nodes.count > 1, annotations[1].violation == nil { annotations[1].violation = "nothing may follow" }
        return BlobContents(annotations)
    }

    private static func field(_ node: DERNode, _ bytes: [UInt8], _ seen: inout Set<UInt64>) -> Annotation {
        guard let type = type(of: node, bytes), let last = node.children.last, last.isUniversal(4) else {
            return DERAnnotator.annotate(node, named: "no field", in: bytes)
        }
        let known = fields[type]
        var annotation = Annotation(
            "field \(type)" + (known.map { ", \($0.name)" } ?? ""), at: node.range, meaning: known?.meaning)
        annotation.violation = node.broken ?? last.broken
        if !seen.insert(type).inserted { annotation.violation = annotation.violation ?? "the field comes twice" }
        let value = bytes[last.contents]
        let text = String(validating: value, as: UTF8.self)
        annotation.value =
            text.map { $0.unicodeScalars.contains(where: \.isActedOn) ? Hexadecimal.text(value) : $0 }
            ?? Hexadecimal.text(value)
        switch type {
        case 3:
            annotation.value = nil
            annotation.children = [AppleCertificate.annotation(bytes, last.contents, named: "certificate")]
        case 4: annotation.value = Hexadecimal.text(value)
        case 5: annotation.meaning = "\(Words.count(value.count, "byte")), \(known?.meaning ?? "")"
        case 12, 19, 21:
            if let time = RFC3339.parse(value) {
                annotation.meaning = "\(TimeWords.describe(time)); \(known?.meaning ?? "")"
            } else {
                annotation.violation = annotation.violation ?? "no RFC 3339 time"
            }
        case _ where known == nil: annotation.meaning = "unknown field, tolerated"
        default: break
        }
        return annotation
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try Receipt(payload: bytes)
    }
}
