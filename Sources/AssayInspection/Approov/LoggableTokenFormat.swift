import Approov
import AssayCore

/// A loggable token, or the text that an app logs if it got no token.
enum LoggableTokenFormat: BlobFormat {
    static let name = "Approov loggable token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard ApproovText.isObject(bytes), let node = LenientJSON.read(bytes[...])?.node,
            case .object(let members) = node.content
        else { return nil }
        if let prefix = node["sip"]?.text, ApproovClaimsFormat.hasExpiry(node) {
            // Other JSON objects may have a `sip` too.
            let isFitting = prefix.utf8.count == LoggableToken.signaturePrefixLength
            return Recognition(
                isFitting ? .certain : .structure,
                because: "it is a JSON object with exp, and with sip in place of a signature")
        }
        guard members.count == 1, let status = node["error"]?.text, isStatus(status) else { return nil }
        return Recognition(.certain, because: "it is a JSON object with error \(status.excerpt) and nothing else")
    }

    private static func isStatus(_ text: String) -> Bool {
        text.isByteEqual(to: "JWE") || ApproovStatusWord(bytes: Array(text.utf8)[...]) != nil
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JSONFormat.annotate(bytes) { pointer, node in
            guard pointer.isByteEqual(to: "/error"), let text = node.text else {
                return ClaimMeanings.meaning(of: pointer, node)
            }
            if text.isByteEqual(to: "JWE") { return "the token is encrypted, of which there is no loggable form" }
            return ApproovStatusWord(bytes: Array(text.utf8)[...])?.meaning ?? "why there was no token"
        }
        if LenientJSON.read(bytes[...])?.node["sip"] != nil {
            contents.unknown = [
                "whether the token was signed with the account's secret: six characters of the signature can be checked "
                    + "with it (`assay verify --kind approov.token`), and let no request in"
            ]
        }
        return contents
    }

    static func violation(in bytes: [UInt8]) -> DecodeError? {
        guard LenientJSON.read(bytes[...])?.node["sip"] != nil else { return nil }
        do throws(DecodeError) {
            let token = try LoggableToken(String(decoding: bytes, as: UTF8.self))
            _ = try ClaimsReader.read(token.claims)
            return nil
        } catch {
            return error
        }
    }
}
