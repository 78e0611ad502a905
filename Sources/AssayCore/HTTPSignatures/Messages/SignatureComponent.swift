package import AssayPrimitives

/// A component identifier (RFC 9421 section 2): a name, and parameters that select a form or part of the value. It may
/// be unsupported, which ``SignatureBase`` checks: another signature, such as a proxy's, must not make the field
/// invalid.
package struct SignatureComponent: Sendable, Hashable {
    /// A lower-case field name, or a name that begins with `@`.
    package let name: String
    /// The parameters in order; the signature base keeps this order.
    package let parameters: [StructuredParameter]

    package init(_ name: String, _ parameters: [StructuredParameter] = []) {
        self.name = name
        self.parameters = parameters
    }

    /// Creates an identifier from an item of an inner list.
    /// - Throws: ``DecodeError`` at the item if it is not a String.
    package init(_ item: StructuredItem) throws(DecodeError) {
        guard case .string(let name) = item.value else {
            throw DecodeError(
                .unexpectedType, at: item.offset, "a component is named by a String, found \(item.value.kindName)")
        }
        self.init(name, item.parameters)
    }

    /// The identifier as a structured item.
    package var item: StructuredItem { StructuredItem(.string(name), parameters) }

    /// The identifier as in a signature base, for messages.
    package var text: String {
        guard let bytes = try? StructuredFieldWriter.write(item) else { return "\"\(name.excerpt)\"" }
        return String(decoding: bytes, as: UTF8.self).excerpt
    }

    /// Compares identifiers. The order of parameters is ignored (section 2).
    package static func == (left: Self, right: Self) -> Bool {
        left.name.isByteEqual(to: right.name) && left.parameters.count == right.parameters.count
            && left.parameters.allSatisfy(right.parameters.contains)
    }

    /// Hashes the name and the number of parameters: both are independent of the order.
    package func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(parameters.count)
    }
}
