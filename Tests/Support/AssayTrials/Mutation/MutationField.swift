import Assay
import AssayCore
import AssayInspection
import AssayPrimitives

/// A field of evidence in one of the forms in which somebody hands it in, and how a change of it becomes a record.
struct MutationField: Sendable {
    /// What of a field is changed.
    enum Form: String, Sendable {
        /// The bytes that base64 stands for.
        case bytes
        /// The text as it is handed in.
        case text
        /// The JSON of a value that is no string.
        case json
        /// What is inside of an encrypted token, encrypted anew under the app's own key.
        case inside
    }

    let path: RecordPath
    let form: Form
    /// What is changed.
    let original: [UInt8]
    /// How many of the changes are judged: every one, or one in so many.
    let stride: Int
    private let put: @Sendable ([UInt8]) -> RecordValue.Content?

    /// The name for tables, without the numbers of elements.
    var name: String { "\(path.shape) (\(form.rawValue))" }

    /// The record after a change, and nil when what comes out of it can stand in no record.
    func record(_ record: EvidenceRecord, changedTo bytes: [UInt8]) -> EvidenceRecord? {
        put(bytes).map { record.replacing(path, with: $0) }
    }

    /// Fields whose text is the standard base64 of something.
    private static let binary: Set<String> = [
        "keyId", "attestation", "assertion", "receipt", "challenge", "clientDataHash", "clientData", "key.publicKey",
        "body", "nonce", "proof", "measurements.mpk", "measurements.imh", "measurements.dmh",
        "certificates[]", "publicKey",
    ]
    /// From this size on, the text of base64 is sampled: its bytes are changed one and all in the other form, and the
    /// text adds only what base64 itself may let pass.
    private static let largeText = 1024

    /// Every field of a record, in every form.
    static func all(of record: EvidenceRecord, keys: TokenKeys) -> [MutationField] {
        var fields: [MutationField] = []
        visit(.object(record.evidence), at: RecordPath()) { path, content in
            fields += forms(of: content, at: path, in: record, keys: keys)
        }
        return fields
    }

    /// Calls for every value that is changed as one: scalars, and Google's answer as a whole.
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
