import ArgumentParser
import Assay
import AssayCore

/// An option for each part of the keys that engines judge with, such as `--decryption-key`.
///
/// The argument parser finds options by reflection. These have no property each: the reflected children come from the
/// registry.
struct KeyPartOptions: ParsableArguments, CustomReflectable {
    /// The parts with their options, and what was given for them.
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
                    // An ID may begin with a hyphen, which is no option then.
                    parsing: isWord ? .unconditional : .next,
                    help: ArgumentHelp("\(Self.help(part.name))", valueName: isWord ? "value" : "source"))
                return (Self.option(part.name), option)
            })
    }

    /// The parts, each name once.
    private static var parts: [KeyPart] {
        var names: Set<String> = []
        return EngineRegistry.current.keyMaterials.flatMap { $0.parts }.filter { names.insert($0.name).inserted }
    }

    private static func help(_ part: String) -> String {
        EngineRegistry.current.keyMaterials.compactMap { material in
            material.parts.first { $0.name == part }.map { "\(material.purpose): \($0.form)." }
        }.joined(separator: " ")
    }

    /// The name of a part in the words of the command line: `keyID` is `key-id`.
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
