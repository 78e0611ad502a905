import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives

/// An option for each part of the engines' keys, such as `--decryption-key`.
///
/// The argument parser finds options by reflection. The registry supplies these as reflected children.
struct KeyPartOptions: ParsableArguments, CustomReflectable {
    /// The parts with their options and values.
    private(set) var sources: [KeySources.Source] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        sources = try Self.parts.map { part in
            let option = Self.option(part.name)
            let text = try container.decode(Option<String?>.self, forKey: OptionKey(option)).wrappedValue
            return (part.name, "--\(option)", text)
        }
    }

    var customMirror: Mirror {
        Mirror(
            self,
            children: Self.parts.map { part in
                let isWord = part.content == .word
                let option = Option<String?>(
                    name: .customLong(Self.option(part.name)),
                    // Unconditional: an ID may begin with a hyphen.
                    parsing: isWord ? .unconditional : .next,
                    help: ArgumentHelp("\(Self.help(part.name))", valueName: isWord ? "value" : "source"))
                return (Self.option(part.name), option)
            })
    }

    /// The parts, without duplicate names.
    private static var parts: [KeyPart] {
        var names: Set<String> = []
        return EngineRegistry.current.keyMaterials.flatMap { $0.parts }.filter { names.insert($0.name).inserted }
    }

    private static func help(_ part: String) -> String {
        EngineRegistry.current.keyMaterials.compactMap { material in
            material.parts.first { $0.name == part }.map { "\(material.purpose): \($0.form)." }
        }.joined(separator: " ")
    }

    /// Converts the name of a part to an option name: `keyID` to `key-id`.
    private static func option(_ part: String) -> String {
        var words = ""
        var isCapital = true
        for character in part {
            if character.isUppercase, !isCapital { words += "-" }
            isCapital = character.isUppercase
            words += character.lowercased()
        }
        return words
    }
}

/// The sources of a key's parts, as given by options.
struct KeySources {
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
