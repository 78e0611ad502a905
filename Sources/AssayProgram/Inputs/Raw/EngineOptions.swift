import ArgumentParser
import Assay
import AssayInspection

/// The options that engines declare for raw blobs, with a help group for each engine.
///
/// The argument parser finds options by reflection. The registry supplies these as reflected children.
struct EngineOptions: ParsableArguments, CustomReflectable {
    /// The beginning of the titles of the help groups.
    static let sectionTitle = "Raw blobs of"

    /// The option values by name.
    private(set) var texts: [String: [String]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        for engine in Self.engines {
            try texts.merge(Self.read(engine, from: container)) { first, _ in first }
        }
    }

    private static func read<Engine: InspectableEngine>(
        _: Engine.Type, from container: KeyedDecodingContainer<OptionKey>
    ) throws -> [String: [String]] {
        try container.decode(OptionGroup<OptionsOfEngine<Engine>>.self, forKey: OptionKey(Engine.title)).wrappedValue
            .texts
    }

    var customMirror: Mirror {
        Mirror(self, children: Self.engines.map { Self.child($0) })
    }

    private static var engines: [any InspectableEngine.Type] {
        FirstParse.isRunning ? [] : EngineRegistry.current.inspectable.filter { !$0.rawKinds.isEmpty }
    }

    private static func child<Engine: InspectableEngine>(_: Engine.Type) -> Mirror.Child {
        (Engine.title, OptionGroup<OptionsOfEngine<Engine>>(title: "\(EngineOptions.sectionTitle) \(Engine.title)"))
    }
}

/// The options of one engine. An option that several engines declare belongs to the first of them.
struct OptionsOfEngine<Engine: InspectableEngine>: ParsableArguments, CustomReflectable {
    /// The option values by name; empty text for a flag.
    private(set) var texts: [String: [String]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        for option in Self.options.map(\.first) {
            let key = OptionKey(option.name)
            let found: [String]
            if option.isFlag {
                found = try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? [""] : []
            } else if option.isRepeatable {
                found = try container.decode(Option<[String]>.self, forKey: key).wrappedValue
            } else {
                found = try container.decode(Option<String?>.self, forKey: key).wrappedValue.map { [$0] } ?? []
            }
            if !found.isEmpty { texts[option.name] = found }
        }
    }

    var customMirror: Mirror {
        Mirror(self, children: Self.options.map { ($0.first.name, Self.definition($0.first, help: $0.help)) })
    }

    /// The options that no earlier engine declares, with the help texts of all declarations.
    private static var options: [(first: RawOption, help: String)] {
        let engines = EngineRegistry.current.inspectable
        let others = engines.prefix { $0 != Engine.self }.flatMap { $0.rawKinds }.flatMap(\.options).map(\.name)
        var names = Set(others)
        return Engine.rawKinds.flatMap(\.options).filter { names.insert($0.name).inserted }.map { option in
            let all = engines.flatMap { $0.rawKinds }.flatMap(\.options).filter { $0.name == option.name }
            var helps: [String] = []
            for help in all.map(\.help) where !helps.contains(help) { helps.append(help) }
            if option.key != nil { helps.append("As \(SecretSource.allowed).") }
            if option.isRepeatable { helps.append("Repeatable.") }
            return (option, helps.joined(separator: " "))
        }
    }

    private static func definition(_ option: RawOption, help: String) -> Any {
        let name = NameSpecification.customLong(option.name)
        let help = ArgumentHelp("\(help)", valueName: option.valueName)
        let completion: CompletionKind? =
            if option.isFile {
                .file()
            } else if !option.words.isEmpty {
                .list(option.words)
            } else if option.key != nil {
                .source
            } else if case .bytes = option.evidence?.encoding {
                .value
            } else {
                nil
            }
        if option.isFlag { return Flag(wrappedValue: false, name: name, help: help) }
        if option.isRepeatable {
            return Option<[String]>(
                wrappedValue: [], name: name, parsing: option.isVerbatim ? .unconditionalSingleValue : .singleValue,
                help: help, completion: completion)
        }
        return Option<String?>(
            name: name, parsing: option.isVerbatim ? .unconditional : .next, help: help, completion: completion)
    }
}
