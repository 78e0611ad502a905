import AssayCore
import AssayTokens

/// A token of the type `assay+jwt`.
enum AssayTokenFormat: BlobFormat {
    static let name = "Assay token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let found = JWSFormat.recognise(bytes) else { return nil }
        var header = LenientText.body(bytes).prefix { $0 != UInt8(ascii: ".") }
        // The first part may follow a scheme.
        if let space = header.lastIndex(of: 0x20) { header = header[(space + 1)...] }
        guard header.count <= InputLimits.joseText,
            let type = LenientJSON.read(LenientBase64.decode(header).bytes[...])?.node["typ"]?.text,
            type.isByteEqual(to: TokenClaims.type)
        else { return nil }
        return Recognition(found.certainty, because: "it is a JWS of the type \(TokenClaims.type)")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JWSFormat.annotate(bytes)
        contents.unknown = [
            "whether the issuer signed it, and whether it is in force: `assay verify --kind assay.token` checks that, with the `app` "
                + "of the token as --app",
            "whose device it is of: `sub` is a pseudonym, and only the issuer opens `ref`",
        ]
        return contents
    }

    static func violation(in bytes: [UInt8]) -> DecodeError? { JWSFormat.violation(in: bytes) }
}
