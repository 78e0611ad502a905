package import AssayCore
package import AssayTokens

extension TokenEngine: InspectableEngine {
    /// The display name.
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
