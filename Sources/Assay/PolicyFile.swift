public import AssayCore
import AssayPrimitives
import AssayTokens
import Yams

/// Reads and validates policy files in YAML.
public enum PolicyFile {
    /// The maximum number of values in a policy: a value takes many times the memory of its text.
    private static let maximumNodes = 100_000

    /// Reads the policy in a file. Paths in it are relative to the file.
    ///
    /// - Throws: ``PolicyError``, with file, line, field, what was found and what is allowed.
    public static func load(path: String) throws(PolicyError) -> VerificationPolicy {
        try load(path: path, engines: .standard)
    }

    /// Reads the policy in a file for the engines of a registry.
    package static func load(path: String, engines: EngineRegistry) throws(PolicyError) -> VerificationPolicy {
        try parse(text(of: path), file: path, files: LocalFiles(relativeTo: path), engines: engines)
    }

    package static func text(of path: String) throws(PolicyError) -> String {
        let bytes = try LocalFiles.read(path, limit: InputLimits.policy)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PolicyError(file: path, field: "", "the file is not UTF-8 text")
        }
        return text
    }

    /// Reads a policy from YAML text.
    ///
    /// - Parameter path: the path of the file with this text: the name in errors, and the base of relative paths.
    /// - Throws: ``PolicyError``, as ``load(path:)``.
    public static func parse(_ text: String, path: String) throws(PolicyError) -> VerificationPolicy {
        try parse(text, file: path, files: LocalFiles(relativeTo: path))
    }

    /// Reads a policy from YAML text and the texts that it names, without a disk: for policies in code, and for tests.
    ///
    /// - Parameter files: the text of each `file:NAME` in the policy by name, such as `["root.pem": authority.rootPEM]`.
    /// - Throws: ``PolicyError``, as ``load(path:)``.
    public static func parse(_ text: String, files: [String: String]) throws(PolicyError) -> VerificationPolicy {
        try parse(text, file: nil, files: PolicyTexts(files))
    }

    /// Reads a policy from YAML text, with sections for the engines of a registry.
    ///
    /// - Parameters:
    ///   - file: the name in errors.
    ///   - keyMaterials: the types of its keys; nil for those of the engines.
    package static func parse(
        _ text: String, file: String?, files: any PolicyFiles, engines: EngineRegistry = .standard,
        keyMaterials: [any KeyMaterial.Type]? = nil
    ) throws(PolicyError) -> VerificationPolicy {
        let root = try document(text, file: file)
        var policy = try policy(
            root, files: files, engines: engines, keyMaterials: keyMaterials ?? engines.keyMaterials, besides: [])
        policy.digest = digest(of: text)
        return policy
    }

    /// SHA-256 of the text of a policy, in hexadecimal digits.
    package static func digest(of text: String) -> String { Digest.sha256(Array(text.utf8)).hexadecimal }

    /// Reads a value of a policy from text that is not in a file.
    package static func value(_ yaml: String) throws(PolicyError) -> PolicyNode { try document(yaml, file: nil) }

    /// Reads a policy from its root mapping: `version`, `keys`, `apps`, `routes`, `checks`, `addresses`, `log`, `metrics` and
    /// `propertyHeader`.
    /// `given` are additional keys.
    package static func policy(
        _ root: PolicyNode, files: any PolicyFiles, engines: EngineRegistry, keyMaterials: [any KeyMaterial.Type],
        besides given: [NamedKey]
    ) throws(PolicyError) -> VerificationPolicy {
        let fields = try root.members([
            "version", "keys", "apps", "routes", "checks", "addresses", "log", "metrics", "propertyHeader",
        ])
        guard let version = fields["version"] else { throw root.missing("version", "allowed is 1") }
        guard try version.text().isByteEqual(to: "1") else { throw version.error("expected 1, found \(version.found)") }
        let keys = given + (try PolicyKeys(materials: keyMaterials, files: files).read(fields["keys"]))
        guard let appList = fields["apps"] else { throw root.missing("apps", "a list of apps") }
        let purposes = PolicyKeys.purposes(of: keys)
        var apps: [PolicyApp] = []
        var names: Set<String> = []
        var issuer: String?
        var notes: [String] = []
        let rules = engines.sections.map { $0.configuration.annotatedRules }
        for node in try appList.elements() {
            let app = try readApp(node, rules, files: files, keys: purposes, engines: engines, notes: &notes)
            guard names.insert(app.name).inserted else { throw repeatedName(app.name, at: node) }
            if let tokens = app.configuration(TokenConfiguration.self) {
                if let issuer, !issuer.isByteEqual(to: tokens.issuer) {
                    throw (node.value(at: "\(TokenConfiguration.policyField).issuer") ?? node).error(
                        "all apps have one issuer, which publishes one set of keys; an earlier app has \(issuer)")
                }
                issuer = issuer ?? tokens.issuer
            }
            apps.append(app)
        }
        let routes = try PolicyRoutes.read(fields["routes"], apps: apps, engines: engines)
        let modes = try readModes(fields["checks"], engines.catalogue, apps)
        let addresses = try fields["addresses"].map { (node) throws(PolicyError) in
            try AddressRule(reading: node, files: files)
        }
        let metrics = try readMetrics(fields["metrics"], engines)
        return try VerificationPolicy(
            apps: apps, keys: keys, modes: modes, catalogue: engines.catalogue, addresses: addresses ?? .keep,
            logAccounts: readLog(fields["log"], files), countedFacts: metrics.facts,
            countedProperties: metrics.properties, propertyHeader: readPropertyHeader(fields["propertyHeader"]),
            routes: routes, notes: notes)
    }

    /// Reads `log`: what logs contain of accounts.
    private static func readLog(_ node: PolicyNode?, _ files: any PolicyFiles) throws(PolicyError) -> AddressRule {
        guard let account = try node?.members(["account"])["account"] else { return .hashOfProcess }
        return try AddressRule(reading: account, files: files)
    }

    /// The most values of `metrics.property`: each becomes a label for each app.
    private static let maximumProperties = 50

    /// Reads `metrics`: the names of the facts, and the properties of apps, by which verdicts are counted.
    private static func readMetrics(
        _ node: PolicyNode?, _ engines: EngineRegistry
    ) throws(PolicyError) -> (facts: [String], properties: [String]) {
        guard let fields = try node?.members(["by", "property"]) else { return ([], []) }
        let properties = try fields["property"].map { (list) throws(PolicyError) in
            let values = try list.uniqueTexts()
            guard values.count <= maximumProperties else {
                throw list.error("expected at most \(maximumProperties) values, found \(values.count)")
            }
            for (value, element) in zip(values, try list.elements()) {
                if let objection = ClientProperty.objection(to: value) { throw element.error(objection) }
            }
            return values
        }
        return (try readFacts(fields["by"], engines), properties ?? [])
    }

    /// Reads `propertyHeader`: the field in which an app describes itself.
    private static func readPropertyHeader(_ node: PolicyNode?) throws(PolicyError) -> String? {
        guard let node else { return nil }
        let name = try node.text()
        guard !name.isEmpty, name.utf8.allSatisfy(HTTPFieldText.isTokenCharacter) else {
            throw node.error("expected the name of a field such as X-Client-Property, found \(node.found)")
        }
        return name
    }

    private static func readFacts(_ list: PolicyNode?, _ engines: EngineRegistry) throws(PolicyError) -> [String] {
        guard let list else { return [] }
        let known = engines.dimensions.map(\.name)
        let names = try list.uniqueTexts()
        for (name, element) in zip(names, try list.elements()) where !known.containsBytes(of: name) {
            throw element.error(
                "unknown fact \(name.excerpt); allowed are \(known.joined(separator: ", "))"
                    + Nearest.advice(for: name, among: known))
        }
        return names
    }

    private static func repeatedName(_ name: String, at app: PolicyNode) -> PolicyError {
        app.error("two apps are named \(name.excerpt); names are unique")
    }

    /// An error for each app whose name an earlier app has, also if either has other errors.
    package static func repeatedNames(in root: PolicyNode) -> [PolicyError] {
        guard case .sequence(let apps)? = root.value(at: "apps")?.content else { return [] }
        var names: Set<String> = []
        return apps.compactMap { app in
            guard case .scalar(let name)? = app.value(at: "name")?.content, PolicyApp.objection(to: name) == nil else {
                return nil
            }
            return names.insert(name).inserted ? nil : repeatedName(name, at: app)
        }
    }

    /// - Parameter rules: the annotated rules of each section that the engines declare.
    private static func readApp(
        _ node: PolicyNode, _ rules: [[String: CheckID]], files: any PolicyFiles, keys: [[UInt8]: KeyPurpose],
        engines: EngineRegistry,
        notes: inout [String]
    ) throws(PolicyError) -> PolicyApp {
        let types = engines.configurations
        let fields = try node.members(["name"] + types.map { $0.policyField })
        guard let field = fields["name"] else { throw node.missing("name", "a name that is unique") }
        let name = try field.text()
        if let objection = PolicyApp.objection(to: name) { throw field.error(objection) }
        var configurations: [any EngineConfiguration] = []
        var stated: [CheckID] = []
        for (declared, rules) in zip(engines.sections, rules) {
            let type = declared.configuration
            guard let section = fields[type.policyField] else { continue }
            let configuration = try type.init(reading: section, files: files)
            configurations.append(configuration)
            stated += rules.filter { section.value(at: $0.key) != nil }.values
            for named in configuration.namedChecks
            where !engines.catalogue.contains(where: { $0.id.name.isByteEqual(to: named.check) }) {
                throw PolicyError(field: named.field, VerificationPolicy.unknown(named.check, in: engines.catalogue))
                    .placed(in: section)
            }
            for remark in configuration.remarks where remark.kind == .unknownName {
                notes.append(PolicyError(field: remark.field, remark.message).placed(in: section).description)
            }
            try PolicyKeys.requirePurpose(of: section, declared.keyMaterials.map { $0.purpose }, among: keys)
        }
        guard !configurations.isEmpty else {
            throw node.error(
                "app \(name.excerpt) has no section for any evidence; allowed are \(types.map { $0.policyField }.joined(separator: ", "))"
            )
        }
        return PolicyApp(name: name, configurations: configurations, statedRules: stated)
    }

    private static func readModes(
        _ node: PolicyNode?, _ catalogue: [CheckDefinition], _ apps: [PolicyApp]
    ) throws(PolicyError) -> [CheckID: CheckMode] {
        guard let node else { return [:] }
        guard case .mapping(let entries) = node.content else {
            throw node.error("expected a mapping of check names to enforce, annotate or off, found \(node.found)")
        }
        var modes: [CheckID: CheckMode] = [:]
        for entry in entries {
            let check = CheckID(entry.key)
            let mode: CheckMode = try entry.value.word(CheckMode.self)
            if let objection = VerificationPolicy.objection(to: mode, for: check, in: catalogue)
                ?? (mode == .enforce ? missingRule(of: check, apps) : nil)
            {
                throw PolicyError(file: node.file, line: entry.line, field: "checks.\(entry.key.excerpt)", objection)
            }
            modes[check] = mode
        }
        return modes
    }

    /// Why an enforced check can never run; nil if it runs for an app, or if no app uses its kind of evidence.
    private static func missingRule(of check: CheckID, _ apps: [PolicyApp]) -> String? {
        let configurations = apps.flatMap { app in app.configurations.map { (app: app.name, $0) } }
        var missing: (app: String, section: String, rule: String)?
        for (app, configuration) in configurations {
            guard let configuration = configuration as? any ReadableConfiguration,
                check.name.hasPrefix("\(type(of: configuration).engine).")
            else { continue }
            guard let rule = configuration.unsetFields[check] else { return nil }
            missing = missing ?? (app, type(of: configuration).policyField, rule)
        }
        return missing.map {
            "found enforce, but \(check.name) does not run without \($0.rule): set \($0.rule) in \($0.section) of app "
                + "\($0.app.excerpt), or remove this line"
        }
    }

    // MARK: YAML

    /// Reads another YAML configuration file by the same rules as policies.
    package static func document(path: String) throws(PolicyError) -> PolicyNode {
        try document(text(of: path), file: path)
    }

    package static func document(_ text: String, file: String?) throws(PolicyError) -> PolicyNode {
        // The parser would report a later line and no reason.
        guard !text.unicodeScalars.starts(with: ["\u{FEFF}"]) else {
            throw PolicyError(file: file, line: 1, field: "", "the file begins with a byte order mark; save it without")
        }
        if let (line, name) = YAMLLineBreaks.firstOdd(in: text) {
            throw PolicyError(
                file: file, line: line, field: "",
                "the line has \(name), which ends a line of YAML and not that of an editor; end lines with a line feed")
        }
        if let line = YAMLAliases.firstLine(of: text) {
            throw PolicyError(
                file: file, line: line, field: "",
                "& or * at the start of a word makes an anchor or an alias, which are not allowed; write the value out")
        }
        let node: Node?
        do {
            // Keep every scalar as text: the field determines the type, not YAML's rules for plain scalars.
            node = try Parser(yaml: text, resolver: .basic).singleRoot()
        } catch let error as YamlError {
            throw yamlError(error, file: file)
        } catch {
            throw PolicyError(file: file, field: "", "the file is not YAML: \(error)")
        }
        guard let node else { throw PolicyError(file: file, line: 1, field: "", "the file is empty") }
        var budget = maximumNodes
        return try convert(node, path: "", file: file, line: 1, depth: 0, budget: &budget)
    }

    private static func yamlError(_ error: YamlError, file: String?) -> PolicyError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            PolicyError(file: file, line: mark.line, field: "", "the file is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            PolicyError(
                file: file, line: context.mark.line, field: duplicates.joined(separator: ", ").excerpt,
                "the same key stands twice in a mapping")
        case .reader(let problem, let offset, let value, _):
            PolicyError(
                file: file, field: "",
                "the file is not YAML: \(problem) (character \(value)\(offset.map { " at \($0)" } ?? ""))")
        default: PolicyError(file: file, field: "", "the file is not YAML: \("\(error)".excerpt)")
        }
    }

    private static func convert(
        _ node: Node, path: String, file: String?, line: Int, depth: Int, budget: inout Int
    ) throws(PolicyError) -> PolicyNode {
        let line = node.mark?.line ?? line
        func make(_ content: PolicyNode.Content) -> PolicyNode {
            PolicyNode(content, path: path, line: line, file: file)
        }
        budget -= 1
        guard budget > 0, depth < InputLimits.nestingDepth else {
            throw make(.null).error(
                "more than \(maximumNodes) values, or nested deeper than \(InputLimits.nestingDepth)")
        }
        switch node {
        case .scalar(let scalar):
            let isNull = scalar.style == .plain && ["", "~", "null"].containsBytes(of: scalar.string)
            return make(isNull ? .null : .scalar(scalar.string))
        case .sequence(let sequence):
            var elements: [PolicyNode] = []
            for (index, element) in sequence.enumerated() {
                elements.append(
                    try convert(
                        element, path: "\(path)[\(index)]", file: file, line: line, depth: depth + 1,
                        budget: &budget))
            }
            return make(.sequence(elements))
        case .mapping(let mapping):
            var keys: Set<[UInt8]> = []
            var entries: [(key: String, line: Int, value: PolicyNode)] = []
            for (key, value) in mapping {
                guard case .scalar(let scalar) = key else { throw make(.null).error("expected text as a key") }
                let keyLine = key.mark?.line ?? line
                // Yams treats keys with the same text and different tags as different.
                guard keys.insert(Array(scalar.string.utf8)).inserted else {
                    throw PolicyError(
                        file: file, line: keyLine, field: scalar.string.excerpt,
                        "the same key stands twice in a mapping")
                }
                let child = try convert(
                    value, path: path.isEmpty ? scalar.string : "\(path).\(scalar.string)", file: file, line: keyLine,
                    depth: depth + 1, budget: &budget)
                entries.append((scalar.string, keyLine, child))
            }
            return make(.mapping(entries))
        case .alias: throw make(.null).error("aliases are not allowed")
        }
    }
}
