import Assay
import AssayCore
import AssayPrimitives

/// An evidence field in one of its input forms, and how a change of it becomes a record.
struct MutationField: Sendable {
    /// The form to which a change applies.
    enum Form: String, Sendable {
        /// The bytes that base64 encodes.
        case bytes
        /// The text as given.
        case text
        /// The JSON of a value other than a string.
        case json
        /// The plaintext of an encrypted token, encrypted again under the app's own key.
        case inside
    }

    let path: RecordPath
    let form: Form
    /// The original bytes.
    let original: [UInt8]
    /// 1 to judge every change, n to judge every n-th.
    let stride: Int
    private let put: @Sendable ([UInt8]) -> RecordValue.Content?

    /// The name in tables, without the indices of elements.
    var name: String { "\(path.shape) (\(form.rawValue))" }

    /// The record after a change; nil if the result is no valid record.
    func record(_ record: EvidenceRecord, changedTo bytes: [UInt8]) -> EvidenceRecord? {
        put(bytes).map { record.replacing(path, with: $0) }
    }

    /// The fields whose text is standard base64.
    private static let binary: Set<String> = [
        "keyId", "attestation", "assertion", "receipt", "challenge", "clientDataHash", "clientData", "key.publicKey",
        "body", "nonce", "proof", "measurements.mpk", "measurements.imh", "measurements.dmh",
        "certificates[]", "publicKey",
    ]
    /// Base64 text of this length or more is sampled: the form `bytes` changes every encoded byte, so the text adds
    /// only variants of the base64 encoding.
    private static let largeText = 1024

    /// All fields of a record in all forms.
    static func all(of record: EvidenceRecord, keys: TokenKeys) -> [MutationField] {
        var fields: [MutationField] = []
        visit(.object(record.evidence), at: RecordPath()) { path, content in
            fields += forms(of: content, at: path, in: record, keys: keys)
        }
        return fields
    }

    /// Visits every value that is changed as one unit: scalars, and Google's answer as a whole.
    static func visit(
        _ content: RecordValue.Content, at path: RecordPath, _ body: (RecordPath, RecordValue.Content) -> Void
    ) {
        switch content {
        case .object(let object) where path.description != "decoded":
            for member in object.members { visit(member.value.content, at: path.appending(.member(member.name)), body) }
        case .array(let values):
            for (index, value) in values.enumerated() {
                visit(value.content, at: path.appending(.element(index)), body)
            }
        default: body(path, content)
        }
    }

    private static func forms(
        of content: RecordValue.Content, at path: RecordPath, in record: EvidenceRecord, keys: TokenKeys
    ) -> [MutationField] {
        guard case .text(let text) = content else {
            var json: [UInt8] = []
            RecordJSON.append(content, to: &json)
            return [
                MutationField(path: path, form: .json, original: json, stride: 1) { changed in
                    (try? JSONReader.read(changed, limit: InputLimits.record))?.content
                }
            ]
        }
        var fields: [MutationField] = []
        let engine = EngineRegistry.standard.mutated(record.kind)
        let isOpaque = engine?.isOpaque(path, of: record.kind) ?? false
        if binary.contains(path.shape), !isOpaque, let bytes = try? Base64.decode(text, .standard) {
            fields.append(
                MutationField(path: path, form: .bytes, original: bytes, stride: 1) {
                    .text(Base64.encode($0, .standard))
                })
        }
        let isLarge = !fields.isEmpty && text.utf8.count > largeText
        fields.append(
            MutationField(path: path, form: .text, original: Array(text.utf8), stride: isLarge ? 8 : 1) { changed in
                String(validating: changed, as: UTF8.self).map { .text($0) }
            })
        if let inside = engine?.inside(of: text, at: path, of: record.kind, keys: keys) {
            fields.append(
                MutationField(path: path, form: .inside, original: inside.plaintext, stride: 1) { changed in
                    inside.seal(changed).map { .text($0) }
                })
        }
        return fields
    }
}
