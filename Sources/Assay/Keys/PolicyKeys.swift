package import AssayCore

/// Reads the list `keys` of a policy file.
package struct PolicyKeys {
    let materials: [any KeyMaterial.Type]
    /// Reads the parts of keys.
    let files: any PolicyFiles

    /// Reads keys of these types.
    package init(materials: [any KeyMaterial.Type], files: any PolicyFiles) {
        self.materials = materials
        self.files = files
    }

    /// The keys of the list; none without a list.
    func read(_ list: PolicyNode?) throws(PolicyError) -> [NamedKey] {
        guard let list else { return [] }
        var keys: [NamedKey] = []
        var names: Set<[UInt8]> = []
        for node in try list.elements() {
            let (key, name) = try key(node)
            guard names.insert(Array(key.name.utf8)).inserted else {
                throw name.error("two keys are named \(key.name.excerpt); names are unique")
            }
            keys.append(key)
        }
        return keys
    }

    private func key(_ node: PolicyNode) throws(PolicyError) -> (key: NamedKey, name: PolicyNode) {
        let type = try material(of: node)
        let fields = try node.members(
            ["name", "use", "for", "notBefore", "notAfter"] + type.parts.map(\.name))
        guard let name = fields["name"] else { throw node.missing("name", "a name that is unique") }
        let window = KeyWindow(notBefore: try fields["notBefore"]?.time(), notAfter: try fields["notAfter"]?.time())
        if window.isEmpty, let end = fields["notAfter"] {
            throw end.error("the window ends before it begins; expected a time that is not before notBefore")
        }
        let scope = try fields["for"].map(PolicyKeys.name)
        let named = try PolicyKeys.name(name)
        var parts: [String: SecretBytes] = [:]
        for part in type.parts {
            if let source = fields[part.name] {
                parts[part.name] =
                    part.content == .word
                    ? SecretBytes(Array(try source.text().utf8)) : try files.contents(of: part, at: source)
            } else if part.isRequired {
                throw node.missing(
                    part.name, part.content == .word ? part.form : "\(part.form), as \(SecretSource.allowed)")
            }
        }
        let material: any KeyMaterial
        do {
            material = try type.reading(parts)
        } catch {
            throw fields[error.part]?.error(error.message) ?? node.error(error.description)
        }
        let key = NamedKey(
            name: named, scope: scope, window: window, material: material)
        return (key, name)
    }

    /// The errors of every part of a key that names a file or a variable.
    package func errors(ofPartsIn node: PolicyNode) -> [PolicyError] {
        guard let type = try? material(of: node) else { return [] }
        return type.parts.compactMap { part -> PolicyError? in
            guard part.content != .word, let source = node.value(at: part.name) else { return nil }
            do throws(PolicyError) {
                _ = try files.contents(of: part, at: source)
                return nil
            } catch {
                return error
            }
        }
    }

    /// The type of the key. Read it first: the allowed fields depend on it.
    private func material(of node: PolicyNode) throws(PolicyError) -> any KeyMaterial.Type {
        let names = materials.map { $0.purpose.name }
        let allowed = "allowed are \(names.joined(separator: ", "))"
        guard case .mapping(let entries) = node.content else {
            throw node.error(
                "expected a mapping of name, use, for, notBefore, notAfter and the parts of the key, "
                    + "found something else")
        }
        guard let use = entries.first(where: { $0.key.isByteEqual(to: "use") })?.value else {
            throw node.missing("use", allowed)
        }
        let purpose = try use.text()
        guard let type = materials.first(where: { $0.purpose.name.isByteEqual(to: purpose) }) else {
            throw use.error(
                "no engine uses keys for this; \(allowed), found \(use.found)\(Nearest.advice(for: purpose, among: names))"
            )
        }
        return type
    }

    private static func name(_ node: PolicyNode) throws(PolicyError) -> String {
        let text = try node.text()
        if let objection = KeyName.objection(to: text) { throw node.error(objection) }
        return text
    }

    /// The purpose of the first key of each name, in UTF-8. Searching the keys of a large policy for each app would take a time that
    /// grows with the square of its size.
    static func purposes(of keys: [NamedKey]) -> [[UInt8]: KeyPurpose] {
        Dictionary(keys.map { (Array($0.name.utf8), $0.purpose) }, uniquingKeysWith: { first, _ in first })
    }

    /// Refuses a section that names a policy key of another purpose. Other names may belong to keys in a key store.
    static func requirePurpose(
        of section: PolicyNode, _ purposes: [KeyPurpose], among keys: [[UInt8]: KeyPurpose]
    ) throws(PolicyError) {
        guard case .mapping(let entries) = section.content,
            case .sequence(let names)? = entries.first(where: { $0.key.isByteEqual(to: "keys") })?.value.content
        else { return }
        for node in names {
            guard case .scalar(let name) = node.content,
                let purpose = keys[Array(name.utf8)], !purposes.contains(purpose)
            else { continue }
            throw node.error(
                "the key \(name.excerpt) is for \(purpose); "
                    + "expected one for \(purposes.map(\.name).joined(separator: " or "))")
        }
    }
}
