package import AssayPrimitives

/// Reads the members of one object of a record. A member that is `null` counts as absent, as serialisers of many languages write
/// it. Errors name the member.
package struct RecordFields: Sendable {
    package let object: RecordObject
    /// The path of the object in its record, empty for the record itself.
    package let path: String

    package init(_ object: RecordObject, path: String) {
        self.object = object
        self.path = path
    }

    /// Reads an object; throws for a value of another type.
    package init(_ value: RecordValue, path: String) throws(RecordError) {
        guard case .object(let object) = value.content else {
            throw RecordError(field: path, offset: value.offset, "expected an object, found \(value.kindName)")
        }
        self.init(object, path: path)
    }

    /// The value of a member; nil if it is absent or `null`.
    package subscript(name: String) -> RecordValue? { object[name].flatMap { $0.isNull ? nil : $0 } }

    /// The path of a member.
    package func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// The error for a required member that is absent.
    package func missing(_ name: String) -> RecordError { error(name, "the field is missing") }

    /// An error at a member, or at the object if the member is absent.
    package func error(_ name: String, _ message: String) -> RecordError {
        RecordError(field: path(of: name), offset: object[name]?.offset ?? object.offset, message)
    }

    /// Throws for a member that is not one of `names`, unless it is `null`.
    package func requireOnly(_ names: [String]) throws(RecordError) {
        // By their places: a copy of a member counts the references of its value.
        let members = object.members
        for index in members.indices
        where !members[index].value.isNull && !names.containsBytes(of: members[index].name) {
            let member = members[index]
            throw RecordError(
                field: path(of: member.name.excerpt), offset: member.offset,
                "unknown field; allowed are \(names.joined(separator: ", "))")
        }
    }

    /// The text of an optional member, of at most `limit` bytes of UTF-8.
    package func text(_ name: String, atMost limit: Int = .max) throws(RecordError) -> String? {
        guard let value = self[name] else { return nil }
        guard case .text(let text) = value.content else {
            throw error(name, "expected a string, found \(value.kindName)")
        }
        guard text.utf8.count <= limit else {
            throw error(name, "expected at most \(limit) bytes, found \(text.utf8.count)")
        }
        return text
    }

    /// The texts of an optional list; empty if the member is absent.
    package func texts(_ name: String) throws(RecordError) -> [String] {
        guard let value = self[name] else { return [] }
        guard case .array(let elements) = value.content else {
            throw error(name, "expected a list of strings, found \(value.kindName)")
        }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .text(let text) = element.content else {
                throw RecordError(
                    field: "\(path(of: name))[\(index)]", offset: element.offset,
                    "expected a string, found \(element.kindName)")
            }
            texts.append(text)
        }
        return texts
    }
}
