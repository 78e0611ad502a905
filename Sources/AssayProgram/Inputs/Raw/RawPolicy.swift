import ArgumentParser
import Assay
import AssayCore
import AssayInspection

/// Builds the policy for one raw blob from options. Uses the reader of policy files.
struct RawPolicy {
    let kind: RawKindArgument
    let options: RawOptions

    /// The section of the engine, such as `appAttest`.
    private let section: String
    /// Field values by path, in the order of their first option.
    private var fields: [(path: String, content: PolicyNode.Content)] = []
    /// The option that set each field, for errors.
    private var sources: [String: String] = [:]
    private var keys: [NamedKey] = []

    /// Builds the policy. Throws ``CommandFailure`` that names the invalid option.
    static func read(_ kind: RawKindArgument, _ options: RawOptions, app: String) throws -> VerificationPolicy {
        var policy = RawPolicy(kind, options)
        try policy.collect()
        return try policy.policy(app: app)
    }

    private init(_ kind: RawKindArgument, _ options: RawOptions) {
        self.kind = kind
        self.options = options
        section = kind.engine.configuration.policyField
    }

    // MARK: Fields

    private mutating func collect() throws {
        for option in kind.raw.options {
            let texts = options.engines.texts[option.name] ?? []
            if let alias = option.alias {
                for text in texts {
                    add(alias.content(text), to: alias.field.path, isList: alias.field.isList, from: "--\(option.name)")
                }
            }
            if let key = option.key, key.count != .one { try collectKeys(texts, of: option.name, key) }
        }
        try collectWholeKeys()
        for setting in options.settings { try collect(setting) }
        for field in fields {
            guard let part = fields.first(where: { $0.path.hasPrefix("\(field.path).") }) else { continue }
            throw CommandFailure(.usage, "\(field.path) is given as a whole, and so is its part \(part.path)")
        }
        for standard in kind.raw.defaults where !isGiven(standard.path) {
            if let note = standard.note { Console.note(note) }
            add(standard.content, to: standard.path, isList: false, from: "")
        }
    }

    private mutating func collect(_ setting: RawSetting) throws {
        let source = "--set \(setting.path)"
        if setting.path.hasPrefix("checks.") {
            let name = try check(String(setting.path.dropFirst("checks.".count)))
            guard !isGiven("checks.\(name)") else {
                throw CommandFailure(.usage, "\(source): the check has a mode already")
            }
            add(.scalar(setting.text), to: "checks.\(name)", isList: false, from: source)
            return
        }
        let field = kind.engine.configuration.fields.first { $0.path == setting.path }
        let content: PolicyNode.Content
        do {
            content = try setting.content()
        } catch {
            throw CommandFailure(.usage, "\(source): \(error.message.replacing("the file", with: "the value"))")
        }
        guard field?.isList == true || !fields.contains(where: { $0.path == setting.path }) else {
            throw CommandFailure(.usage, "\(source): the field has a value already")
        }
        if field?.isList == true, case .sequence(let elements) = content {
            for element in elements { add(element.content, to: setting.path, isList: true, from: source) }
            if elements.isEmpty { add(content, to: setting.path, isList: false, from: source) }
        } else {
            add(content, to: setting.path, isList: field?.isList == true, from: source)
        }
    }

    /// The full name of a check; `name` may omit the kind or the engine.
    private func check(_ name: String) throws(CommandFailure) -> String {
        let names = kind.engine.catalogue.map(\.id.name)
        let engine = kind.raw.kind.name.prefix { $0 != "." }
        for candidate in [name, "\(kind.raw.kind).\(name)", "\(engine).\(name)"] where names.contains(candidate) {
            return candidate
        }
        let advice = Nearest.advice(for: name, among: names)
        throw CommandFailure(
            .usage,
            "--set checks.\(name.excerpt): \(kind.raw.kind) has no such check"
                + (advice.isEmpty ? "; `assay explain` lists them" : advice))
    }

    /// Whether a field or one of its subfields has a value.
    private func isGiven(_ path: String) -> Bool {
        fields.contains { $0.path == path || $0.path.hasPrefix("\(path).") }
    }

    private mutating func add(_ content: PolicyNode.Content, to path: String, isList: Bool, from source: String) {
        if !source.isEmpty { sources[path] = source }
        let element = PolicyNode(content, path: "", line: 0, file: nil)
        guard let index = fields.firstIndex(where: { $0.path == path }) else {
            fields.append((path, isList ? .sequence([element]) : content))
            return
        }
        if isList, case .sequence(let elements) = fields[index].content {
            fields[index].content = .sequence(elements + [element])
        } else {
            fields[index].content = content
        }
    }

    // MARK: Keys

    /// Reads keys that are named after their sources. Verdicts show these names.
    private mutating func collectKeys(_ texts: [String], of option: String, _ key: RawOption.Key) throws {
        for text in texts {
            let argument = try RawKey(text, of: option, key)
            var parts: [KeySources.Source] = [(key.part, "--\(option)", argument.source)]
            if case .identified(let part) = key.count { parts.append((part, "--\(option)", argument.identifier)) }
            try add(key.material, named: argument.source, KeySources(parts), to: key.field, from: option)
        }
    }

    /// Reads keys whose parts are separate options.
    private mutating func collectWholeKeys() throws {
        var done: [KeyPurpose] = []
        for option in kind.raw.options {
            guard let key = option.key, key.count == .one, !done.contains(key.material.purpose) else { continue }
            done.append(key.material.purpose)
            let parts: [KeySources.Source] = kind.raw.options.compactMap { other in
                guard let part = other.key, part.material.purpose == key.material.purpose,
                    let text = options.engines.texts[other.name]?.last
                else { return nil }
                return (part.part, "--\(other.name)", text)
            }
            guard !parts.isEmpty else { continue }
            try add(key.material, named: RawOptions.unnamedApp, KeySources(parts), to: key.field, from: option.name)
        }
    }

    private mutating func add(
        _ material: any KeyMaterial.Type, named name: String, _ parts: KeySources, to field: String?,
        from option: String
    ) throws {
        keys.append(NamedKey(name: name, material: try parts.read(material).material))
        guard let field else { return }
        add(.scalar(name), to: field, isList: true, from: "--\(option)")
    }

    // MARK: Reading

    private func policy(app: String) throws -> VerificationPolicy {
        let sectionPath = "apps[0].\(section)"
        let isCheck: (String) -> Bool = { $0.hasPrefix("checks.") }
        let content = node(
            fields.filter { !isCheck($0.path) }.map {
                ($0.path.split(separator: ".").map(String.init)[...], $0.content)
            },
            at: sectionPath)
        func mapping(_ entries: [(String, PolicyNode)], at path: String) -> PolicyNode {
            PolicyNode(.mapping(entries.map { (key: $0.0, line: 0, value: $0.1) }), path: path, line: 0, file: nil)
        }
        func scalar(_ text: String, at path: String) -> PolicyNode {
            PolicyNode(.scalar(text), path: path, line: 0, file: nil)
        }
        let modes = fields.filter { isCheck($0.path) }.map { field in
            (String(field.path.dropFirst("checks.".count)), placed(field.content, at: field.path))
        }
        let apps = PolicyNode(
            .sequence([mapping([("name", scalar(app, at: "apps[0].name")), (section, content)], at: "apps[0]")]),
            path: "apps", line: 0, file: nil)
        let root = mapping(
            [("version", scalar("1", at: "version")), ("apps", apps), ("checks", mapping(modes, at: "checks"))], at: "")
        do {
            return try PolicyFile.policy(
                root, files: LocalFiles(relativeTo: "policy"), engines: .current,
                keyMaterials: EngineRegistry.current.keyMaterials, besides: keys)
        } catch {
            throw failure(error, in: sectionPath)
        }
    }

    /// Nests fields into mappings by the components of their paths.
    private func node(_ fields: [(path: ArraySlice<String>, content: PolicyNode.Content)], at path: String)
        -> PolicyNode
    {
        if let whole = fields.first(where: { $0.path.isEmpty }) { return placed(whole.content, at: path) }
        var names: [String] = []
        for field in fields { if let name = field.path.first, !names.contains(name) { names.append(name) } }
        let entries = names.map { name in
            let below = fields.filter { $0.path.first == name }.map { ($0.path.dropFirst(), $0.content) }
            return (key: name, line: 0, value: node(below, at: path.isEmpty ? name : "\(path).\(name)"))
        }
        return PolicyNode(.mapping(entries), path: path, line: 0, file: nil)
    }

    /// Sets the policy path of a value, which errors show.
    private func placed(_ content: PolicyNode.Content, at path: String) -> PolicyNode {
        let placed: PolicyNode.Content =
            switch content {
            case .null, .scalar: content
            case .sequence(let elements):
                .sequence(elements.enumerated().map { self.placed($1.content, at: "\(path)[\($0)]") })
            case .mapping(let entries):
                .mapping(entries.map { ($0.key, 0, self.placed($0.value.content, at: "\(path).\($0.key)")) })
            }
        return PolicyNode(placed, path: path, line: 0, file: nil)
    }

    /// Whether the value of a field names a file, as one of several forms may.
    private func namesFile(_ path: String) -> Bool {
        guard case .scalar(let text)? = fields.first(where: { $0.path == path })?.content else { return false }
        return text.utf8.starts(with: "file:".utf8)
    }

    /// Converts a policy error to one that names the option that set the field.
    private func failure(_ error: PolicyError, in section: String) -> CommandFailure {
        var field = error.field
        if field.hasPrefix("\(section).") { field = String(field.dropFirst(section.count + 1)) }
        let path = field.prefix { $0 != "[" }
        let isFile = kind.engine.configuration.fields.contains { $0.path == path && $0.isFile }
        var name = String(path)
        while true {
            if let source = sources[name] {
                let isUnreadable = isFile || namesFile(name)
                return CommandFailure(isUnreadable ? .unreadable : .usage, "\(source): \(error.message)")
            }
            guard let period = name.lastIndex(of: ".") else { break }
            name = String(name[..<period])
        }
        return CommandFailure(.usage, "\(field): \(error.message)")
    }
}

/// A key source on the command line: `SOURCE`, or `ID=SOURCE`.
struct RawKey {
    /// The location of the key.
    let source: String
    /// The key ID in evidence.
    let identifier: String?

    /// Parses a source. An ID may contain `=`, so the split is where a valid source begins.
    ///
    /// - Throws: `ValidationError` without the text, which may be a secret.
    init(_ text: String, of option: String, _ key: RawOption.Key) throws {
        guard case .identified(let part) = key.count else {
            try SecretArgument.validate(text, of: "--\(option)")
            source = text
            identifier = nil
            return
        }
        for form in ["=file:", "=env:"] {
            guard let range = text.firstRange(of: form), range.lowerBound > text.startIndex else { continue }
            identifier = String(text[..<range.lowerBound])
            source = String(text[range.lowerBound...].dropFirst())
            try SecretArgument.validate(source, of: "--\(option)")
            return
        }
        throw ValidationError(
            "--\(option): expected the \(part), = and \(SecretSource.allowed). Every user of this machine sees the arguments "
                + "of a running program")
    }
}
