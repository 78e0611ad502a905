import Approov
import AssayCore

/// A word that an app sent instead of a token.
enum StatusWordFormat: BlobFormat {
    static let name = "Approov status word"

    /// The status word in a text, ignoring surrounding white space.
    static func word(in bytes: [UInt8]) -> ApproovStatusWord? {
        let body = LenientText.body(bytes)
        return body.count <= 32 ? ApproovStatusWord(bytes: body) : nil
    }

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        word(in: bytes).map { word in
            // Words without `_`, such as REJECTED, are too common for more than a guess.
            Recognition(
                word.rawValue.contains("_") ? .structure : .guess,
                because: "it is \(word.rawValue), which apps send when they got no token")
        }
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let word = word(in: bytes)
        return BlobContents(
            [Annotation("status", at: LenientText.body(bytes).indices, value: word?.rawValue, meaning: word?.meaning)],
            unknown: ["which device sent it: a status word has no device ID and no signature; any client can send it"])
    }

    static func violation(in bytes: [UInt8]) -> DecodeError? {
        word(in: bytes).map {
            DecodeError(.unexpectedValue, at: 0, "the status word \($0.rawValue) in place of a token")
        }
    }
}
