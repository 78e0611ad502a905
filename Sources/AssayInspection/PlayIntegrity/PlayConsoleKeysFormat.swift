import AssayCore
import PlayIntegrity

/// Decrypted response keys of the Play Console, pasted by mistake. The dump reports them without their values.
enum PlayConsoleKeysFormat: BlobFormat {
    static let name = "response keys of the Play Console"

    /// The number of bytes to search for the key names.
    private static let searched = 64 * 1024

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        let text = String(decoding: bytes.prefix(searched), as: UTF8.self)
        let isLine = text.split(whereSeparator: \.isNewline).contains { line in
            line.drop { $0 == " " || $0 == "\t" || $0 == "\"" }.utf8.starts(with: "DECRYPTION_KEY".utf8)
        }
        return isLine ? Recognition(.certain, because: "a line of it begins with DECRYPTION_KEY") : nil
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents(
            [
                Annotation(
                    "keys", at: 0..<bytes.count, value: "not shown: it is a secret",
                    meaning: "the decryption key opens every classic token of the app")
            ],
            unknown: ["keys are no evidence: `assay keys import` takes the encrypted download into the key store"],
            secrets: [bytes.indices])
    }
}
