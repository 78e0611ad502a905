import Assay
import AssayCore
import AssayPrimitives

/// The sources of a key's parts, as given by options.
struct KeySources {
    /// A part, its option, and the option's value.
    typealias Source = (part: String, option: String, text: String?)

    let sources: [Source]

    init(_ sources: [Source]) { self.sources = sources }

    /// Reads the parts and builds the key. Errors name the option.
    func read<Material: KeyMaterial>(
        _ type: Material.Type
    ) throws(CommandFailure) -> (parts: [String: SecretBytes], material: Material) {
        var parts: [String: SecretBytes] = [:]
        for part in type.parts {
            guard let source = sources.first(where: { $0.part == part.name }), let text = source.text else { continue }
            parts[part.name] =
                part.content == .word
                ? SecretBytes(Array(text.utf8))
                : try SecretArgument.read(text, of: source.option, isSecret: part.isSecret)
        }
        do {
            return (parts, try type.reading(parts))
        } catch {
            let source = sources.first { $0.part == error.part }
            throw SecretArgument.failure(error, of: source?.option, source?.text)
        }
    }
}
