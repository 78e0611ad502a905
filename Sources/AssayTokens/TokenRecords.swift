package import AssayCore
import AssayHTTPSignatures
package import AssayInspection
import AssayPrimitives

extension TokenEngine {
    /// A token authorises its holder; the fields of a request have a session.
    package static let sensitiveFields =
        [
            SensitiveField(
                "token", of: .assayToken, substitute: .none,
                reveals: "the token, which lets the holder of its key call the API until it ends")
        ] + SignedRequest.sensitiveFields(of: .assayToken)

    /// The method of the request.
    package static func retainedFields(of kind: EvidenceKind) -> [String] { kind == .assayToken ? ["method"] : [] }

    /// The proof, or the token: the ledger remembers either.
    package static func orderingKey(of record: EvidenceRecord) -> String? {
        guard let presentation = try? TokenInput(record.evidence).presentation() else { return nil }
        let text = presentation.proofs.first ?? presentation.token
        return "\(Configuration.engine) \(Base64.encode(Digest.sha256(Array(text.utf8)), .standard))"
    }

    // MARK: Command line

    /// The display name of the engine.
    package static let title = "Assay tokens"
    /// The fields of the engine's policy section.
    package static let policyFields = TokenConfiguration.fields

    /// Tokens as `assay verify --kind` takes them.
    package static let rawKinds: [RawKind] = [
        RawKind(
            .assayToken, file: .text { (text, _) throws(RawError) in RawFields([("token", .text(text))]) },
            options: [
                .key(
                    "key-set", TokenKey.keySetPart, of: TokenKey.self, .each, listedIn: nil,
                    "The JSON Web Key Set of the issuer."),
                .alias(
                    "issuer", of: policyFields["issuer"], valueName: "url",
                    required: .withoutPolicy("whose tokens count is for you to say")),
                .alias(
                    "audience", of: policyFields["audiences"], valueName: "name",
                    required: .withoutPolicy("for whom the token must be is for you to say")),
                .alias("bound", of: policyFields["key"], valueName: "rule"),
            ],
            defaults: [RawKind.Default("key", .scalar(TokenConfiguration.KeyRule.optional.rawValue))],
            example: ["--app APP --key-set file:jwks.json --issuer URL --audience NAME token.txt"],
            objection: { arguments in
                arguments.hasPolicy || arguments.has("key-set") ? nil : "--key-set is required without --policy"
            })
    ]

    // MARK: Inspection

    /// The formats of tokens.
    package static let formats: [any BlobFormat.Type] = [AssayTokenFormat.self]

    /// The format of a field of a record.
    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? {
        guard kind == .assayToken else { return nil }
        switch field {
        case "token": return AssayTokenFormat.self
        case "headers": return RequestFieldsFormat.self
        default: return nil
        }
    }

    /// The meaning of a field of a record.
    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        guard kind == .assayToken else { return nil }
        return field == "token" ? "the token, without its scheme" : EvidenceRequest.meaning(of: field)
    }

    /// The kind of evidence whose main part has a format.
    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? {
        format == AssayTokenFormat.self ? .assayToken : nil
    }

    /// The record of a token that was found alone.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        guard format == AssayTokenFormat.self else { return nil }
        return EvidenceRecord(
            id: nil, kind: .assayToken, app: nil, receivedAt: nil,
            evidence: RecordObject([
                ("token", .text(String(decoding: LenientText.body(blob), as: UTF8.self)))
            ]), expect: nil)
    }
}

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
