import Approov
import AssayCore

/// An HTTP request signed by an app, copied as text.
enum SignedRequestFormat: BlobFormat {
    static let name = "signed HTTP request"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let found = HTTPDumpFormat.recognise(bytes), let request = HTTPMessage.signedRequest(in: bytes) else {
            return nil
        }
        let isMarked = request.fields.contains { field in
            let name = bytes[field.name]
            return HTTPMessage.isField(name, "Approov-Token")
                || HTTPMessage.isField(name, "Signature-Input") && hasLabel(bytes[field.value])
        }
        guard isMarked else { return nil }
        return Recognition(
            found.certainty, because: "it is an HTTP request with Signature-Input, signed as apps with Approov sign")
    }

    private static func hasLabel(_ value: ArraySlice<UInt8>) -> Bool {
        MessageSigning.Signer.allCases.contains { value.starts(with: "\($0.label)=(".utf8) }
    }

    private static let knowledge = SignatureKnowledge(
        components: MessageSigning.standardComponents,
        meaning: { input in
            switch signer(input.label) {
            case .installation: "signed on the device, with the key whose public half is ipk in the token"
            case .account: "signed with the account's key that mskid in the token names"
            case nil: "a label that no app with Approov uses, such as that of a proxy"
            }
        },
        algorithm: { signer($0.label)?.algorithm },
        problem: { label, value in
            switch signer(label) {
            case .installation where value.count != 64:
                value.first == 0x30
                    ? "a signature in DER, where r and s of 32 bytes each should be"
                    : "a signature of ecdsa-p256-sha256 has 64 bytes"
            case .account where value.count != 32: "a signature of hmac-sha256 has 32 bytes"
            default: nil
            }
        })

    private static func signer(_ label: String) -> MessageSigning.Signer? {
        MessageSigning.Signer.allCases.first { $0.label.isByteEqual(to: label) }
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = HTTPDumpFormat.annotate(bytes)
        guard let request = HTTPMessage.signedRequest(in: bytes) else { return contents }
        SignedRequestAnnotator(bytes, request, knowledge).annotate(&contents.annotations)
        contents.unknown.append(
            "whether the app signed it: the key is in the token (ipk), or an account's (mskid); `assay verify --kind "
                + "approov.message` verifies the token first, and then the signature with its key")
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { _ = try CapturedRequest(bytes) }
}
