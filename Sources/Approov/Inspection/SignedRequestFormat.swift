import AssayCore
import AssayHTTPSignatures
import AssayInspection
import AssayPrimitives

/// An HTTP request signed by an app, copied as text.
enum SignedRequestFormat: BlobFormat {
    static let name = "signed HTTP request"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let found = HTTPDumpFormat.recognise(bytes), let request = request(in: bytes) else { return nil }
        let isMarked = request.fields.contains { field in
            let name = bytes[field.name]
            return isField(name, "Approov-Token") || isField(name, "Signature-Input") && hasLabel(bytes[field.value])
        }
        guard isMarked else { return nil }
        return Recognition(
            found.certainty, because: "it is an HTTP request with Signature-Input, signed as apps with Approov sign")
    }

    /// The first request with the field `Signature-Input`.
    static func request(in bytes: [UInt8]) -> HTTPMessage? {
        HTTPDump(bytes).messages.first { message in
            !message.isResponse && message.fields.contains { isField(bytes[$0.name], "Signature-Input") }
        }
    }

    static func isField(_ name: ArraySlice<UInt8>, _ other: String) -> Bool {
        name.count == other.utf8.count && HTTPFieldText.isName(String(decoding: name, as: UTF8.self), equalTo: other)
    }

    private static func hasLabel(_ value: ArraySlice<UInt8>) -> Bool {
        MessageSigning.Signer.allCases.contains { value.starts(with: "\($0.label)=(".utf8) }
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = HTTPDumpFormat.annotate(bytes)
        guard let request = request(in: bytes) else { return contents }
        SignedRequestAnnotator(bytes, request).annotate(&contents.annotations)
        contents.unknown.append(
            "whether the app signed it: the key is in the token (ipk), or an account's (mskid); `assay verify --kind "
                + "approov.message` verifies the token first, and then the signature with its key")
        return contents
    }

    /// The first error of `assay verify` for such a file.
    static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try CapturedRequest(bytes)
            return nil
        } catch {
            return error
        }
    }
}
