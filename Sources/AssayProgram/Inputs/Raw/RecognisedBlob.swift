import Assay
import AssayCore
import AssayInspection

/// The result of inspecting bytes, for messages about evidence of the wrong kind. It influences no verdict.
struct RecognisedBlob {
    /// The name of the format, such as `App Attest attestation object`.
    let format: String
    /// The kind of evidence whose main part the bytes are; nil for other blobs, such as records and keys.
    let kind: EvidenceKind?
    private let isCertain: Bool
    private let reason: String
    /// Whether the bytes themselves determine the kind, as Google's answers do.
    private let hasOwnKind: Bool

    /// Recognises bytes, or the bytes that they encode as text. Nil if every format is only a guess.
    init?(_ bytes: [UInt8]) {
        let inspector = EngineRegistry.current.inspector
        var layer = inspector.inspect(bytes, name: "")
        while layer.format == Base64Format.name, let inner = layer.nested.first { layer = inner }
        guard let format = layer.format, format != Base64Format.name, let certainty = layer.recognition?.certainty,
            certainty > .guess
        else { return nil }
        let own = inspector.record(of: layer)?.kind
        self.format = format
        kind = own ?? inspector.kind(of: layer)
        isCertain = certainty == .certain
        reason = layer.recognition?.reason ?? ""
        hasOwnKind = own != nil
    }

    /// Recognises a file; nil if it cannot be read or is larger than any raw blob.
    init?(file: String) {
        guard let bytes = try? InputFile.read(file, limit: BlobFile.limit) else { return nil }
        self.init(bytes)
    }

    /// The kind and its `assay verify` option, for a file without a given kind; nil if it is no such kind.
    var choice: String? {
        guard let kind, RawKindArgument(argument: kind.name) != nil else { return nil }
        return "it \(isCertain ? "is" : "seems to be") \(kind) (\(format)); give --kind \(kind)"
    }

    /// Whether `assay verify` takes these bytes as they are, by another option than `expected`.
    func hasOption(besides expected: RawKindArgument) -> Bool {
        !fits(expected) && (choice != nil || format == RecordFormat.name)
    }

    /// The sentence for a raw file given as `expected`; nil if it fits or is not recognised as something else.
    ///
    /// - Parameter isUndecodable: whether decoding the file failed. If not, only other kinds of evidence are reported.
    func mismatch(with expected: RawKindArgument, isUndecodable: Bool) -> String? {
        guard !fits(expected) else { return nil }
        if let choice { return "this is another kind of evidence: \(choice)" }
        if format == RecordFormat.name { return "this is an evidence record: give --policy instead of --kind" }
        guard isUndecodable, isCertain else { return nil }
        return "inspection recognises this as something else: \(format)"
            + (format == WebAuthnObjectFormat.name ? "; \(reason)" : "")
    }

    /// The sentence for a field of a record of the kind `expected`; nil if it fits or is no other evidence.
    func mismatch(of field: String, with expected: RawKindArgument) -> String? {
        guard let kind, !fits(expected) else { return nil }
        return "evidence.\(field) holds another kind of evidence: \(kind) (\(format))"
    }

    /// Whether evidence of the expected kind may have this format. Measurement proofs also contain Approov tokens.
    func fits(_ expected: RawKindArgument) -> Bool {
        func isFormat(of field: String) -> Bool {
            expected.engine.format(of: field, in: expected.raw.kind)?.name == format
        }
        return kind == expected.raw.kind || isFormat(of: "token") || (!hasOwnKind && isFormat(of: "decoded"))
    }
}

extension RecognisedBlob {
    /// The sentence for a record with evidence of another kind; nil if it fits or is not recognised.
    static func mismatch(in record: EvidenceRecord) -> String? {
        guard let expected = RawKindArgument(argument: record.kind.name) else { return nil }
        for member in record.evidence.members {
            guard expected.engine.format(of: member.name, in: record.kind) != nil,
                case .text(let text) = member.value.content,
                let sentence = RecognisedBlob(Array(text.utf8))?.mismatch(of: member.name, with: expected)
            else { continue }
            return sentence
        }
        return nil
    }
}
