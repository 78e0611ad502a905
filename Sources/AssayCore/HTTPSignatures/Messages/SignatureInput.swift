package import AssayPrimitives

/// The components and parameters of one signature: a member of `Signature-Input` (RFC 9421 sections 2.3 and 4.1).
package struct SignatureInput: Sendable {
    /// The label, which identifies the member of `Signature`.
    package let label: String
    /// The covered components in order, without duplicates (section 2.5).
    package let components: [SignatureComponent]
    /// The components and parameters as an inner list.
    package let innerList: StructuredInnerList
    /// The creation time, in seconds since 1970.
    package let created: Int64?
    /// The expiry time, in seconds since 1970.
    package let expires: Int64?
    package let nonce: String?
    /// The algorithm's name in the registry of section 6.2.
    package let algorithm: String?
    /// The identifier of the key.
    package let keyID: String?
    /// The application-specific purpose.
    package let tag: String?
    /// The index of the member in the field value; 0 if it was not read.
    package let offset: Int
    /// The received text of the member, without label and `=`; empty if it was not read.
    package let source: [UInt8]

    /// The maximum number of components. Genuine inputs have fewer than ten; the duplicate check is quadratic.
    package static let components = 64
    /// The maximum number of parameters of a component. Section 6.5 defines six; comparisons are quadratic.
    static let componentParameters = 8

    /// Creates the input of a new signature. `label` is a key of a structured dictionary.
    /// - Throws: ``DecodeError`` for duplicates, more than 64 components, more than 8 parameters of a component, or
    ///   another type of a parameter than section 2.3 defines.
    package init(
        label: String, components: [SignatureComponent], parameters: [StructuredParameter]
    ) throws(DecodeError) {
        let list = StructuredInnerList(components.map(\.item), parameters)
        try self.init(label: label, list, offset: 0, source: [])
    }

    init(label: String, _ list: StructuredInnerList, offset: Int, source: [UInt8]) throws(DecodeError) {
        guard list.items.count <= Self.components else {
            throw DecodeError(
                .tooLarge, at: offset, field: label.excerpt,
                "\(list.items.count) components, at most \(Self.components)")
        }
        var components: [SignatureComponent] = []
        components.reserveCapacity(list.items.count)
        for item in list.items {
            guard item.parameters.count <= Self.componentParameters else {
                throw DecodeError(
                    .tooLarge, at: item.offset, field: label.excerpt,
                    "\(item.parameters.count) parameters of a component, at most \(Self.componentParameters)")
            }
            let component = try SignatureComponent(item)
            guard !components.contains(component) else {
                throw DecodeError(
                    .duplicateKey, at: item.offset, field: label.excerpt, "\(component.text) is covered twice")
            }
            components.append(component)
        }
        (self.label, self.components, self.offset, self.source) = (label, components, offset, source)
        innerList = list
        let parameters = list.parameters
        var (created, expires): (Int64?, Int64?)
        var (nonce, algorithm, keyID, tag): (String?, String?, String?, String?)
        for (index, parameter) in parameters.enumerated() {
            guard !parameters[..<index].contains(where: { $0.key == parameter.key }) else {
                throw DecodeError(
                    .duplicateKey, at: parameter.offset, field: label.excerpt,
                    "the parameter \(parameter.key.excerpt) comes twice")
            }
            switch parameter.key {
            case "created": created = try Self.integer(parameter, label)
            case "expires": expires = try Self.integer(parameter, label)
            case "nonce": nonce = try Self.string(parameter, label)
            case "alg": algorithm = try Self.string(parameter, label)
            case "keyid": keyID = try Self.string(parameter, label)
            case "tag": tag = try Self.string(parameter, label)
            default: break
            }
        }
        (self.created, self.expires) = (created, expires)
        (self.nonce, self.algorithm, self.keyID, self.tag) = (nonce, algorithm, keyID, tag)
    }

    private static func integer(_ parameter: StructuredParameter, _ label: String) throws(DecodeError) -> Int64 {
        if case .integer(let value) = parameter.value { return value }
        throw wrongType(parameter, label, "an Integer")
    }

    private static func string(_ parameter: StructuredParameter, _ label: String) throws(DecodeError) -> String {
        if case .string(let value) = parameter.value { return value }
        throw wrongType(parameter, label, "a String")
    }

    private static func wrongType(
        _ parameter: StructuredParameter, _ label: String, _ expected: String
    ) -> DecodeError {
        DecodeError(
            .unexpectedType, at: parameter.offset, field: label.excerpt,
            "\(parameter.key) is \(expected), found \(parameter.value.kindName)")
    }

    /// All parameters in order, including unknown ones.
    package var parameters: [StructuredParameter] { innerList.parameters }

    /// Whether the received text is canonical (RFC 9651 section 4.1). If not, the signature verifies only if the sender
    /// signed the canonical form; see ``SignatureBase``.
    package var isCanonical: Bool {
        guard let canonical = try? StructuredFieldWriter.write(innerList) else { return false }
        return source.isEmpty || source == canonical
    }
}
