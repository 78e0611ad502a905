/// A field of an engine's section of a policy, declared once: its name, its form, what it is for, and the property of `Values` that
/// holds it, with the default. Reading, `policy show`, `policy check` and the options of `assay verify` follow from it.
package struct SectionField<Values: Sendable>: Sendable {
    /// The property that holds the value.
    package typealias Property<Value> = any (WritableKeyPath<Values, Value> & Sendable)
    package typealias Reader = @Sendable (inout Values, PolicyNode, any PolicyFiles) throws(PolicyError) -> Void

    /// A check that does not run while a field is not set.
    struct Need: Sendable {
        let check: CheckID
        let field: String
        let isUnset: @Sendable (Values) -> Bool
    }

    /// The declarations of the field and of the fields in it.
    let declared: [PolicyField]
    private(set) var read: @Sendable (inout Values, SectionNodes) throws(PolicyError) -> Void
    private(set) var show: @Sendable (Values) -> [PolicySetting]
    private(set) var remarks: @Sendable (Values) -> [PolicyRemark] = { _ in [] }
    private(set) var needs: [Need] = []
    private(set) var examples: [PolicySetting] = []
    private(set) var annotated: [String: CheckID] = [:]

    private init(
        _ declared: [PolicyField], show: @escaping @Sendable (Values) -> [PolicySetting],
        read: @escaping @Sendable (inout Values, SectionNodes) throws(PolicyError) -> Void
    ) {
        (self.declared, self.read, self.show) = (declared, read, show)
    }

    /// Declares a field that needs code of its own to be read and shown.
    ///
    /// - Parameters:
    ///   - required: what is allowed, for a field that every section must have; nil for another.
    ///   - parts: the fields in it.
    ///   - show: the settings in force; none for a field that is shown as written.
    package init(
        _ name: String, _ value: PolicyField.Value, _ help: String, required: String? = nil, parts: [PolicyField] = [],
        show: @escaping @Sendable (Values) -> [PolicySetting], read: @escaping Reader
    ) {
        self.init([PolicyField(name, value, help)] + parts, show: show) {
            (values, section) throws(PolicyError) in
            if let node = section.members[name] {
                try read(&values, node, section.files)
            } else if let required {
                throw section.node.missing(name, required)
            }
        }
    }

    /// Declares a field that has a value in every section.
    package static func field<Value>(
        _ name: String, _ property: Property<Value>, _ form: FieldForm<Value>, _ help: String, required: String? = nil
    ) -> Self {
        Self(name, form.value, help, required: required) {
            [PolicySetting(name, form.show($0[keyPath: property]))]
        } read: { (values, node, files) throws(PolicyError) in
            values[keyPath: property] = try form.read(node, files)
        }
    }

    /// Declares a field that need not be set.
    package static func field<Value>(
        _ name: String, _ property: Property<Value?>, _ form: FieldForm<Value>, _ help: String
    ) -> Self {
        Self(name, form.value, help) {
            [PolicySetting(name, $0[keyPath: property].flatMap(form.show))]
        } read: { (values, node, files) throws(PolicyError) in
            values[keyPath: property] = try form.read(node, files)
        }
    }

    /// Declares a mapping whose fields have a table of their own.
    package static func group<Part>(
        _ name: String, _ property: Property<Part>, _ help: String, _ table: [SectionField<Part>]
    ) -> Self {
        Self(name, .mapping, help, parts: table.fields().map { $0.below(name) }) {
            table.settings(of: $0[keyPath: property]).map { $0.below(name) }
        } read: { (values, node, files) throws(PolicyError) in
            try table.read(node, files, into: &values[keyPath: property])
        }.with(table, below: name) { $0[keyPath: property] }
    }

    /// Declares a mapping that need not be set. Fields that a mapping lacks have the values of `standard`.
    ///
    /// - Parameter unset: what is shown of a section without the mapping; by default, that it is not set.
    package static func group<Part>(
        _ name: String, _ property: Property<Part?>, _ help: String,
        else standard: @escaping @Sendable (Values) -> Part, unset: [String]? = nil,
        _ table: [SectionField<Part>]
    ) -> Self {
        let unset = (unset ?? [name]).map { PolicySetting($0, nil as String?) }
        return Self(name, .mapping, help, parts: table.fields().map { $0.below(name) }) {
            $0[keyPath: property].map { table.settings(of: $0).map { $0.below(name) } } ?? unset
        } read: { (values, node, files) throws(PolicyError) in
            var part = standard(values)
            try table.read(node, files, into: &part)
            values[keyPath: property] = part
        }.with(table, below: name) { $0[keyPath: property] }
    }

    /// Joins fields to one declaration, in the order in which they are read and shown.
    package static func all(_ table: [Self]) -> Self {
        Self(table.fields()) {
            table.settings(of: $0)
        } read: { (values, section) throws(PolicyError) in
            for field in table { try field.read(&values, section) }
        }.with(table, below: nil) { $0 }
    }

    /// Joins the fields of a part that a section has or lacks as a whole, beside the section's own fields.
    ///
    /// - Parameter refusal: the error for a field of a part that is lacking.
    package static func fields<Part>(
        of property: Property<Part?>, _ table: [SectionField<Part>],
        refusal: @escaping @Sendable (_ field: String) -> String
    ) -> Self {
        Self(table.fields()) {
            $0[keyPath: property].map { table.settings(of: $0) } ?? []
        } read: { (values, section) throws(PolicyError) in
            guard var part = values[keyPath: property] else {
                for field in table.fields() {
                    if let node = section.members[field.path] { throw node.error(refusal(field.path)) }
                }
                return
            }
            for field in table { try field.read(&part, section) }
            values[keyPath: property] = part
        }.with(table, below: nil, isNeeded: false) { $0[keyPath: property] }
    }

    /// Adds the remarks, examples and checks of a part's table to the field, with the paths that they have in the section.
    ///
    /// - Parameter isNeeded: whether the checks of the part's fields count as unable to run if the section lacks the part.
    private func with<Part>(
        _ table: [SectionField<Part>], below name: String?, isNeeded: Bool = true,
        _ part: @escaping @Sendable (Values) -> Part?
    ) -> Self {
        func path(_ field: String) -> String { name.map { "\($0).\(field)" } ?? field }
        var field = self
        field.remarks = { values in
            part(values).map { part in
                table.flatMap { $0.remarks(part) }.map { remark in name.map(remark.below) ?? remark }
            } ?? []
        }
        field.needs = table.flatMap(\.needs).map { need in
            Need(check: need.check, field: path(need.field)) { part($0).map(need.isUnset) ?? isNeeded }
        }
        field.examples = table.flatMap(\.examples).map { PolicySetting(path($0.path), $0.value) }
        for (name, check) in table.flatMap(\.annotated) { field.annotated[path(name)] = check }
        return field
    }
}

// MARK: What follows the declaration

extension SectionField {
    /// The path below the section, such as `receipt`: that of the first declaration if there are several.
    package var path: String { declared.first?.path ?? "" }

    /// Adds remarks on weak settings and unknown names. Their paths begin at the section.
    package func remarks(_ remarks: @escaping @Sendable (Values) -> [PolicyRemark]) -> Self {
        var field = self
        let others = field.remarks
        field.remarks = { others($0) + remarks($0) }
        return field
    }

    /// Remarks that the field is weak, with the sentence; nil if it is not.
    package func weak(_ sentence: @escaping @Sendable (Values) -> String?) -> Self {
        let path = path
        return remarks { values in sentence(values).map { [PolicyRemark(path, $0)] } ?? [] }
    }

    /// Remarks that the field is weak if a condition holds.
    package func weak(if condition: @escaping @Sendable (Values) -> Bool, _ sentence: String) -> Self {
        weak { condition($0) ? sentence : nil }
    }

    /// Why the field cannot have its value beside those that were read before; nil if it can.
    package func objection(_ objection: @escaping @Sendable (Values) -> String?) -> Self {
        var field = self
        let (read, path) = (read, path)
        field.read = { (values, section) throws(PolicyError) in
            try read(&values, section)
            if let node = section.members[path], let objection = objection(values) { throw node.error(objection) }
        }
        return field
    }

    /// Refuses the field unless a condition holds for the fields before it.
    package func allowed(if condition: @escaping @Sendable (Values) -> Bool, _ sentence: String) -> Self {
        var field = self
        let (read, path) = (read, path)
        field.read = { (values, section) throws(PolicyError) in
            if let node = section.members[path], !condition(values) { throw node.error(sentence) }
            try read(&values, section)
        }
        return field
    }

    /// Shows the field only if a condition holds.
    package func shown(if condition: @escaping @Sendable (Values) -> Bool) -> Self {
        var field = self
        let show = show
        field.show = { condition($0) ? show($0) : [] }
        return field
    }

    /// A valid value, which the policy reader inserts after an error to look for further errors.
    package func example(_ value: String) -> Self {
        var field = self
        let isList = declared.first?.isList ?? false
        field.examples.append(isList ? PolicySetting(path, [value]) : PolicySetting(path, value))
        return field
    }

    /// The checks that do not run while the field is not set.
    ///
    /// - Parameter isUnset: whether it is; by default, whether it is shown without a value.
    package func needed(by checks: [CheckID], ifUnset isUnset: (@Sendable (Values) -> Bool)? = nil) -> Self {
        var field = self
        let show = show
        let isUnset = isUnset ?? { show($0).allSatisfy { $0.value == nil } }
        field.needs += checks.map { Need(check: $0, field: path, isUnset: isUnset) }
        return field
    }

    /// The check that does not run while the field is not set.
    package func needed(by check: CheckID, ifUnset isUnset: (@Sendable (Values) -> Bool)? = nil) -> Self {
        needed(by: [check], ifUnset: isUnset)
    }

    /// Names a check that annotates by default. A section with the field enforces it, as if `checks` said so.
    package func states(_ check: CheckID) -> Self {
        var field = self
        field.annotated[path] = check
        return field
    }
}

struct SectionNodes {
    let node: PolicyNode
    let members: [String: PolicyNode]
    let files: any PolicyFiles
}
