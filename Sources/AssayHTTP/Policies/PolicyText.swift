package import Assay
package import AssayCore

extension PolicyFile {
    /// The policy in force as YAML, with all defaults and the mode of every check of the apps' engines. References to
    /// keys and files are unchanged. ``parse(_:path:)`` reads this text as the same policy.
    package static func effectiveText(path: String, engines: EngineRegistry) throws(PolicyError) -> String {
        try effectiveText(of: text(of: path), path: path, engines: engines)
    }

    /// The policy in force for the text of a policy file. `path` is the base of its relative paths.
    package static func effectiveText(
        of text: String, path: String, engines: EngineRegistry
    ) throws(PolicyError) -> String {
        try policyInForce(of: text, path: path, engines: engines).effective
    }

    /// The policy of a file's text, and its text with all defaults, which reads as the same policy.
    package static func policyInForce(
        of text: String, path: String, engines: EngineRegistry
    ) throws(PolicyError) -> (policy: VerificationPolicy, effective: String) {
        let root = try document(text, file: path)
        var policy = try policy(
            root, files: LocalFiles(relativeTo: path), engines: engines, keyMaterials: engines.keyMaterials, besides: []
        )
        policy.digest = digest(of: text)
        return (policy, effectiveText(of: policy, root, engines))
    }

    private static func effectiveText(
        of policy: VerificationPolicy, _ root: PolicyNode, _ engines: EngineRegistry
    ) -> String {
        var lines = ["version: 1"]
        if let keys = root.value(at: "keys") { lines += YAMLText.lines("keys", keys.content, indent: 0) }
        lines.append("apps:")
        if case .sequence(let nodes)? = root.value(at: "apps")?.content {
            let mixed = Self.mixedChecks(of: policy, engines)
            for (app, node) in zip(policy.apps, nodes) { lines += Self.text(of: app, node, mixed) }
        }
        if !policy.routes.isEmpty {
            lines.append("routes:")
            for route in policy.routes {
                lines += [
                    "  - name: \(YAMLText.scalar(route.name))", "    require: \(route.requirement.rawValue)",
                    "    evidence:",
                ]
                for evidence in route.evidence {
                    lines += ["      - app: \(YAMLText.scalar(evidence.app))", "        kind: \(evidence.kind)"]
                }
            }
        }
        lines.append("checks:")
        lines += modes(of: policy, engines)
        lines +=
            root.value(at: "addresses").map { YAMLText.lines("addresses", $0.content, indent: 0) } ?? [
                "addresses: keep"
            ]
        lines +=
            root.value(at: "log").map { YAMLText.lines("log", $0.content, indent: 0) } ?? ["log:", "  account: hash"]
        for name in ["metrics", "propertyHeader"] {
            if let node = root.value(at: name) { lines += YAMLText.lines(name, node.content, indent: 0) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The checks that are enforced for apps that state their rules, and annotated for others.
    private static func mixedChecks(of policy: VerificationPolicy, _ engines: EngineRegistry) -> [CheckID] {
        engines.configurations.flatMap { type in
            type.annotatedRules.values.filter { check in
                let modes = policy.apps
                    .filter { $0.configurations.contains { Swift.type(of: $0).policyField == type.policyField } }
                    .map { policy.modes(of: $0)[check] }
                return Set(modes).count > 1
            }
        }
    }

    /// - Parameter mixed: the checks of which no default is shown: a default that is written out would be enforced.
    private static func text(of app: PolicyApp, _ node: PolicyNode, _ mixed: [CheckID]) -> [String] {
        var lines = ["  - name: \(YAMLText.scalar(app.name))"]
        for configuration in app.configurations {
            guard let configuration = configuration as? any ReadableConfiguration else { continue }
            let field = type(of: configuration).policyField
            guard let section = node.value(at: field) else { continue }
            var shown = PolicyNode.written(.mapping([]))
            let rules = mixed.isEmpty ? [:] : type(of: configuration).annotatedRules
            let hidden = rules.filter { mixed.contains($1) && section.value(at: $0) == nil }.keys
            func isHidden(_ path: String) -> Bool {
                hidden.contains { path.isByteEqual(to: $0) || path.utf8.starts(with: "\($0).".utf8) }
            }
            for setting in configuration.settings where !isHidden(setting.path) {
                if let value = setting.value { shown.add(.written(value), at: setting.path) }
            }
            // Add fields that the engine does not show, such as references to files.
            if case .mapping(let entries) = section.content {
                for entry in entries where shown.value(at: entry.key) == nil { shown.add(entry.value, at: entry.key) }
            }
            lines += YAMLText.lines(field, shown.content, indent: 4)
            let unset = configuration.settings.filter {
                ($0.value == nil || isHidden($0.path)) && section.value(at: $0.path) == nil
            }.map(\.path)
            if !unset.isEmpty { lines.append("      # Not set: \(unset.joined(separator: ", "))") }
        }
        return lines
    }

    private static func modes(of policy: VerificationPolicy, _ engines: EngineRegistry) -> [String] {
        // Once for each app and section, not for each check.
        var sections: [String: [[CheckID: String]]] = [:]
        var apps: [String: [(app: PolicyApp, modes: [CheckID: CheckMode])]] = [:]
        for app in policy.apps {
            let modes = policy.modes(of: app)
            for case let configuration as any ReadableConfiguration in app.configurations {
                let engine = type(of: configuration).engine
                sections[engine, default: []].append(configuration.unsetFields)
                apps[engine, default: []].append((app, modes))
            }
        }
        return engines.catalogue.compactMap { definition in
            let engine = String(definition.id.name.prefix { $0 != "." })
            guard let users = sections[engine], let standard = policy.modes[definition.id] else { return nil }
            let apps = apps[engine, default: []]
            let modes = Set(apps.compactMap { $0.modes[definition.id] })
            guard modes.count <= 1 else {
                let stating = apps.lazy.map(\.app).filter { $0.statedRules.contains(definition.id) }.map(\.name.excerpt)
                return
                    "  # \(definition.id.name): \(standard.rawValue), and enforce for \(stating.joined(separator: ", ")), where its "
                    + "rule is stated"
            }
            let mode = modes.first ?? standard
            let line = "\(definition.id.name): \(mode.rawValue)"
            let rules = users.lazy.compactMap { $0[definition.id] }
            // Write a comment instead: a policy that sets this mode for a check that never runs is an error.
            guard let rule = rules.first, rules.count == users.count else { return "  \(line)" }
            return "  # \(line), but it does not run without \(rule)"
        }
    }
}

/// Writes values as YAML that ``PolicyFile`` reads.
private enum YAMLText {
    /// A field and its value.
    static func lines(_ name: String, _ content: PolicyNode.Content, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        switch content {
        case .null: return ["\(margin)\(scalar(name)):"]
        case .scalar(let text): return ["\(margin)\(scalar(name)): \(scalar(text))"]
        case .sequence(let elements):
            let texts = elements.map { if case .scalar(let text) = $0.content { scalar(text) } else { nil as String? } }
            if texts.contains(nil) {
                return ["\(margin)\(scalar(name)):"] + elements.flatMap { item($0.content, indent: indent + 2) }
            }
            return ["\(margin)\(scalar(name)): [\(texts.compactMap { $0 }.joined(separator: ", "))]"]
        case .mapping(let entries):
            guard !entries.isEmpty else { return ["\(margin)\(scalar(name)): {}"] }
            return ["\(margin)\(scalar(name)):"]
                + entries.flatMap { lines($0.key, $0.value.content, indent: indent + 2) }
        }
    }

    /// An element of a list, behind its dash.
    private static func item(_ content: PolicyNode.Content, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        guard case .mapping(let entries) = content else {
            guard case .scalar(let text) = content else { return ["\(margin)-"] }
            return ["\(margin)- \(scalar(text))"]
        }
        let lines = entries.flatMap { self.lines($0.key, $0.value.content, indent: indent + 2) }
        return lines.enumerated().map { $0 == 0 ? "\(margin)- \($1.dropFirst(indent + 2))" : $1 }
    }

    /// A text, quoted if YAML would read it differently.
    static func scalar(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text != "null"
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E, 0x5F, 0x2F, 0x2D: true
                default: false
                }
            }
        if isPlain, text.utf8.first != UInt8(ascii: "-") { return text }
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where (0x20..<0x7F).contains(scalar.value): quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return "\"\(quoted)\""
    }
}

extension PolicyNode {
    /// The node with other content.
    package func replacing(_ content: Content) -> PolicyNode {
        PolicyNode(content, path: path, line: line, file: file)
    }

    /// Adds a value at a path below this mapping, after the existing values.
    fileprivate mutating func add(_ value: PolicyNode, at path: String) {
        guard case .mapping(var entries) = content else { return }
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let name = parts.first else { return }
        let index = entries.firstIndex { $0.key.isByteEqual(to: name) }
        guard parts.count == 2, let rest = parts.last else {
            entries.append((name, 0, value))
            self = replacing(.mapping(entries))
            return
        }
        var nested = index.map { entries[$0].value } ?? .written(.mapping([]))
        nested.add(value, at: rest)
        if let index { entries[index].value = nested } else { entries.append((name, 0, nested)) }
        self = replacing(.mapping(entries))
    }
}
