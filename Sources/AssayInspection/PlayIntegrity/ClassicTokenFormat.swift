import AssayCore
import PlayIntegrity

/// A classic token: a JWE with the algorithms of the Play Console's keys.
enum ClassicTokenFormat: BlobFormat {
    static let name = "Play Integrity classic token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let found = JWEFormat.recognise(bytes), let header = header(of: bytes),
            header["alg"]?.text.map({ $0.isByteEqual(to: "A256KW") }) ?? false,
            header["enc"]?.text.map({ $0.isByteEqual(to: "A256GCM") }) ?? false
        else { return nil }
        return Recognition(
            found.certainty, because: "it is a JWE with A256KW and A256GCM, as classic tokens of Play Integrity are")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func header(of bytes: [UInt8]) -> JSONNode? {
        let part = bytes.drop(while: isSpace).prefix { $0 != UInt8(ascii: ".") }
        guard !part.isEmpty, part.count <= InputLimits.joseHeader else { return nil }
        return LenientJSON.read(LenientBase64.decode(part).bytes[...])?.node
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JWEFormat.annotate(bytes)
        contents.unknown = [
            "what the token says: it is encrypted for the decryption key of the app's Play Console (AES-256), and signed "
                + "inside for its verification key; `assay verify --kind play-integrity.classic` opens it with both",
            "which app and which request it is for: that stands inside",
        ]
        return contents
    }

    /// Ignores surrounding white space, as `assay verify` does for a file.
    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        // A slice of the original bytes keeps the error offsets valid.
        let rest = bytes.drop(while: isSpace)
        let end = rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? rest.startIndex
        _ = try ClassicIntegrityToken.decode(rest[..<end])
    }
}

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
