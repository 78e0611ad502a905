/// A section of a policy whose fields are declared in a table.
package protocol SectionConfiguration: ReadableConfiguration {
    /// The values of the fields, with their defaults.
    associatedtype Values: Sendable
    /// The fields, in the order in which they are read and shown.
    static var table: [SectionField<Values>] { get }
    /// The values in force.
    var values: Values { get }
}

extension SectionConfiguration {
    package static var fields: [PolicyField] { table.fields() }
    /// Valid values of fields that are required, or that checks need.
    package static var examples: [PolicySetting] { table.flatMap(\.examples) }
    /// The fields whose checks annotate by default.
    package static var annotatedRules: [String: CheckID] {
        Dictionary(table.flatMap(\.annotated)) { first, _ in first }
    }
    /// The policy checks that do not run without a field.
    package var unsetFields: [CheckID: String] {
        let needs = Self.table.flatMap(\.needs).filter { $0.isUnset(values) }
        return Dictionary(needs.map { ($0.check, $0.field) }) { first, _ in first }
    }
    /// The weak settings and unknown names.
    package var remarks: [PolicyRemark] { Self.table.flatMap { $0.remarks(values) } }
    package var settings: [PolicySetting] { Self.table.settings(of: values) }
}

extension Array {
    /// The declarations of the fields and of those in them.
    package func fields<Values>() -> [PolicyField] where Element == SectionField<Values> { flatMap(\.declared) }

    package func settings<Values>(of values: Values) -> [PolicySetting] where Element == SectionField<Values> {
        flatMap { $0.show(values) }
    }

    /// Reads a section. Throws for a field that no one declares or that is missing.
    ///
    /// - Returns: the values as written.
    @discardableResult
    package func read<Values>(
        _ node: PolicyNode, _ files: any PolicyFiles, into values: inout Values
    ) throws(PolicyError) -> [String: PolicyNode] where Element == SectionField<Values> {
        let members = try node.members(of: fields())
        let section = SectionNodes(node: node, members: members, files: files)
        for field in self { try field.read(&values, section) }
        return members
    }
}
