import Assay
import AssayTokens

/// A token or a key that Assay made. It is named; secret ones are never shown.
package enum OwnSecretFormat: BlobFormat {
    package static let name = "token or key of Assay"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        kind(of: bytes).map { Recognition(.certain, because: "it is \($0.words)") }
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let kind = kind(of: bytes) else {
            return BlobContents([Annotation("text", at: bytes.indices, violation: "it is no token and no key of Assay")]
            )
        }
        let text = LenientText.trimmed(bytes[...])
        guard kind.isSecret else {
            let value = String(decoding: text, as: UTF8.self)
            return BlobContents([Annotation("key", at: text.indices, value: value, meaning: kind.words)])
        }
        let meaning = "\(kind.words); take it back from wherever it was copied to"
        return BlobContents(
            [Annotation("secret", at: text.indices, value: "(not shown)", meaning: meaning)], secrets: [text.indices])
    }

    private static func kind(of bytes: [UInt8]) -> (words: String, isSecret: Bool)? {
        guard bytes.count <= 256, let text = String(validating: LenientText.trimmed(bytes[...]), as: UTF8.self) else {
            return nil
        }
        if DebugToken.hash(of: text) != nil {
            return ("a debug token, which is exchanged for tokens without evidence", true)
        }
        if OperatorToken(text) != nil { return ("the token of an operator of the service", true) }
        if text.hasPrefix("assay-capture-private:") { return ("the private key that opens sealed captures", true) }
        if text.hasPrefix("assay-capture-public:") { return ("the public key that seals captures", false) }
        return nil
    }
}
