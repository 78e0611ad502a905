package import AssayCore
package import AssayTokens

extension TokenEngine: InspectableEngine {
    package static let title = "Assay tokens"

    /// Tokens as `assay verify --kind` takes them.
    package static let rawKinds: [RawKind] = [
        RawKind(
            .assayToken, file: .text { (text, _) throws(RawError) in RawFields([("token", .text(text))]) },
            options: [
                .key(
                    "key-set", TokenKey.keySetPart, of: TokenKey.self, .each, listedIn: nil,
                    "The JSON Web Key Set of the issuer."),
                .alias(
                    of: Configuration.fields["issuer"], valueName: "url",
                    required: .withoutPolicy("whose tokens count is for you to say")),
                .alias(
                    of: Configuration.fields["audiences"], valueName: "name",
                    required: .withoutPolicy("for whom the token must be is for you to say")),
                .alias("bound", of: Configuration.fields["key"], valueName: "rule"),
            ],
            defaults: [RawKind.Default("key", .scalar(TokenConfiguration.KeyRule.optional.rawValue))],
            example: ["--app APP --key-set file:jwks.json --issuer URL --audience NAME token.txt"],
            objection: { arguments in
                arguments.hasPolicy || arguments.has("key-set") ? nil : "--key-set is required without --policy"
            })
    ]

    package static let formats: [any BlobFormat.Type] = [AssayTokenFormat.self, AppConfigurationFormat.self]

    package static let fields =
        [InspectedField(.assayToken, "token", "the token, without its scheme", AssayTokenFormat.self)]
        + EvidenceRequest.fields(of: .assayToken)

    package static let mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] = [
        (AssayTokenFormat.self, .assayToken)
    ]

    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        guard format == AssayTokenFormat.self else { return nil }
        let token = String(decoding: LenientText.body(blob), as: UTF8.self)
        return EvidenceRecord(.assayToken, alone: [("token", .text(token))])
    }
}

/// A token of the type `assay+jwt`.
enum AssayTokenFormat: BlobFormat {
    static let name = "Assay token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        JWSFormat.recognise(bytes, ofType: TokenClaims.type)
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

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { try JWSFormat.decodeStrictly(bytes) }
}

extension JWSFormat {
    /// Recognises a JWS of one type.
    static func recognise(_ bytes: [UInt8], ofType expected: String) -> Recognition? {
        guard let found = recognise(bytes) else { return nil }
        var header = LenientText.body(bytes).prefix { $0 != UInt8(ascii: ".") }
        // The first part may follow a scheme.
        if let space = header.lastIndex(of: 0x20) { header = header[(space + 1)...] }
        guard header.count <= InputLimits.joseText,
            let type = LenientJSON.read(LenientBase64.decode(header).bytes[...])?.node["typ"]?.text,
            type.isByteEqual(to: expected)
        else { return nil }
        return Recognition(found.certainty, because: "it is a JWS of the type \(expected)")
    }
}
