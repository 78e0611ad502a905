package import AssayCore

/// An identifier of a covered component (RFC 9421 section 2): a name, and parameters that say how its value is taken.
///
/// That a component can be understood is found out when the signature base is built, not here: a signature of somebody
/// else, such as a proxy, may cover what is unknown, and must not spoil the one that is looked at.
package struct SignatureComponent: Sendable, Hashable {
    /// The name: that of a field in lower case, or one that begins with `@`.
    package let name: String
    /// The parameters in their order, which the signature base keeps.
    package let parameters: [StructuredParameter]

    /// Makes an identifier.
    package init(_ name: String, _ parameters: [StructuredParameter] = []) {
        self.name = name
        self.parameters = parameters
    }

    /// Makes the identifier that an item of an inner list stands for.
    /// - Throws: ``DecodeError`` at the item when it is no String.
    package init(_ item: StructuredItem) throws(DecodeError) {
        guard case .string(let name) = item.value else {
            throw DecodeError(
                .unexpectedType, at: item.offset, "a component is named by a String, found \(item.value.kindName)")
        }
        self.init(name, item.parameters)
    }

    /// The item that stands for the identifier.
    package var item: StructuredItem { StructuredItem(.string(name), parameters) }

    /// The identifier as it stands in a signature base, for messages.
    package var text: String {
        guard let bytes = try? StructuredFieldWriter.write(item) else { return "\"\(name.excerpt)\"" }
        return String(decoding: bytes, as: UTF8.self).excerpt
    }

    /// Whether two identifiers name the same component. The order of parameters makes no difference (section 2).
    package static func == (left: Self, right: Self) -> Bool {
        left.name.isByteEqual(to: right.name) && left.parameters.count == right.parameters.count
            && left.parameters.allSatisfy(right.parameters.contains)
    }

    /// Hashes the name, and how many parameters there are.
    package func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(parameters.count)
    }
}
