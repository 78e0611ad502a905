import Assay
import AssayCore
import AssayHTTP

/// Repairs the errors of a policy one by one, so that reading it again reports the next error. Replaces a value by its
/// example, or removes it if there is none.
struct PolicyRepair {
    /// The repaired policy.
    private(set) var root: PolicyNode
    /// The fields that were replaced or removed.
    private(set) var changed: [String] = []
    private let engines: EngineRegistry

    /// Starts with the original policy.
    init(_ root: PolicyNode, engines: EngineRegistry) {
        self.root = root
        self.engines = engines
    }

    /// Whether a field, or a part or parent of it, was replaced or removed.
    func isChanged(_ field: String) -> Bool {
        changed.contains { Self.isPath($0, within: field) || Self.isPath(field, within: $0) }
    }

    /// Whether a repair may have caused an error: the field was changed, or it is a part of a key or of a section's
    /// field.
    func isConsequence(_ field: String) -> Bool {
        // A route may name an app whose section was repaired.
        if field.hasPrefix("routes["), changed.contains(where: { $0.hasPrefix("apps[") }) { return true }
        let hasParts = Self.isBelowSection(field) || field.hasPrefix("keys[")
        return changed.contains { $0 == field || hasParts && Self.isPath($0, within: field) }
    }

    private static func isBelowSection(_ path: String) -> Bool {
        path.hasPrefix("apps[") && path.utf8.count { $0 == UInt8(ascii: ".") } >= 2
    }

    /// Repairs a field with an error. Returns false if no app is left.
    mutating func repair(_ field: String) -> Bool {
        let isNew = !changed.contains(field)
        changed.append(field)
        if isNew, let repaired = withExample(at: field) {
            root = repaired
            return true
        }
        guard case .mapping(let entries)? = Self.removing(field, from: root)?.content else { return false }
        // An app without any field would cause an error that the file does not have.
        root = PolicyNode(
            .mapping(
                entries.compactMap { entry in
                    guard entry.key.isByteEqual(to: "apps"), case .sequence(let apps) = entry.value.content else {
                        return entry
                    }
                    let usable = apps.filter { !Self.isPath(field, within: $0.path) || hasSection($0) }
                    guard !usable.isEmpty else { return nil }
                    return (entry.key, entry.line, entry.value.replacing(.sequence(usable)))
                }), path: "", line: root.line, file: root.file)
        return root.value(at: "apps") != nil
    }

    private func hasSection(_ app: PolicyNode) -> Bool {
        guard case .mapping = app.content else { return true }
        return app.value(at: "name") == nil || engines.configurations.contains { app.value(at: $0.policyField) != nil }
    }

    // MARK: Examples

    private func withExample(at field: String) -> PolicyNode? {
        if field == "version" { return root.setting(["version"], to: .scalar("1"), at: "version") }
        guard case .sequence(let apps)? = root.value(at: "apps")?.content else { return nil }
        for (index, app) in apps.enumerated() where Self.isPath(field, within: app.path) {
            let repaired: PolicyNode?
            if field == "\(app.path).name" {
                repaired = app.setting(["name"], to: .scalar("app \(app.path)"), at: field)
            } else {
                repaired = withExample(at: field, in: app)
            }
            guard let repaired, let list = root.value(at: "apps") else { return nil }
            var changed = apps
            changed[index] = repaired
            return root.setting(["apps"], to: list.replacing(.sequence(changed)))
        }
        return nil
    }

    private func withExample(at field: String, in app: PolicyNode) -> PolicyNode? {
        for type in engines.configurations {
            let section = "\(app.path).\(type.policyField)"
            guard Self.isPath(field, within: section), field != section else { continue }
            let path = field.dropFirst(section.count + 1)
            guard let example = type.examples.first(where: { $0.path.isByteEqual(to: String(path)) }),
                let value = example.value
            else { return nil }
            let names = [type.policyField] + path.split(separator: ".").map(String.init)
            return app.setting(names[...], to: value, at: field)
        }
        return nil
    }

    // MARK: Removal

    /// The node without the value at a path, or without its innermost existing parent; nil if nothing is left.
    private static func removing(_ field: String, from node: PolicyNode) -> PolicyNode? {
        switch node.content {
        case .null, .scalar: return nil
        case .sequence(let elements):
            guard let index = elements.firstIndex(where: { isPath(field, within: $0.path) }) else { return nil }
            var rest = elements
            if let element = elements[index].path == field ? nil : removing(field, from: elements[index]) {
                rest[index] = element
            } else {
                rest.remove(at: index)
            }
            return rest.isEmpty ? nil : node.replacing(.sequence(rest))
        case .mapping(let entries):
            // Check names contain periods, so several paths can match: use the longest. Errors shorten unusual keys.
            func path(_ entry: (key: String, line: Int, value: PolicyNode)) -> String {
                node.path.isEmpty ? entry.key.excerpt : "\(node.path).\(entry.key.excerpt)"
            }
            let matches = entries.indices.filter { isPath(field, within: path(entries[$0])) }
            guard let index = matches.max(by: { path(entries[$0]).utf8.count < path(entries[$1]).utf8.count }) else {
                return nil
            }
            var rest = entries
            if path(entries[index]) != field, let value = removing(field, from: entries[index].value) {
                rest[index].value = value
            } else {
                rest.remove(at: index)
            }
            return rest.isEmpty && isBelowSection(node.path) ? nil : node.replacing(.mapping(rest))
        }
    }

    private static func isPath(_ path: String, within parent: String) -> Bool {
        guard path.utf8.starts(with: parent.utf8) else { return false }
        let next = path.utf8.dropFirst(parent.utf8.count).first
        return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[") || parent.isEmpty
    }
}

extension PolicyNode {
    /// This mapping with a value at a path; nil if a parent is no mapping.
    fileprivate func setting(_ names: ArraySlice<String>, to content: Content, at field: String) -> PolicyNode? {
        setting(names, to: placed(content, at: field))
    }

    fileprivate func setting(_ names: ArraySlice<String>, to value: PolicyNode) -> PolicyNode? {
        guard case .mapping(var entries) = content, let name = names.first else { return nil }
        let index = entries.firstIndex { $0.key.isByteEqual(to: name) }
        let rest = names.dropFirst()
        var changed = value
        if !rest.isEmpty {
            let path = path.isEmpty ? name : "\(path).\(name)"
            let parent = index.map { entries[$0].value } ?? PolicyNode(.mapping([]), path: path, line: line, file: file)
            guard let nested = parent.setting(rest, to: value) else { return nil }
            changed = nested
        }
        if let index { entries[index].value = changed } else { entries.append((name, line, changed)) }
        return replacing(.mapping(entries))
    }

    /// A value of an example, as if it were written at a path.
    private func placed(_ content: Content, at path: String) -> PolicyNode {
        var content = content
        if case .sequence(let elements) = content {
            content = .sequence(elements.enumerated().map { placed($1.content, at: "\(path)[\($0)]") })
        }
        return PolicyNode(content, path: path, line: line, file: file)
    }
}
