package import AssayCore

/// What one signature covers and says of itself: a member of the field `Signature-Input` (RFC 9421 sections 2.3 and 4.1).
package struct SignatureInput: Sendable {
    /// The label, which ties it to a member of the field `Signature`.
    package let label: String
    /// The covered components in their order. None comes twice (section 2.5).
    package let components: [SignatureComponent]
    /// The components and parameters as an inner list.
    package let innerList: StructuredInnerList
    /// When the signature was made, in seconds since 1970.
    package let created: Int64?
    /// When the signature ends to be valid, in seconds since 1970.
    package let expires: Int64?
    /// The nonce.
    package let nonce: String?
    /// The algorithm, by its name in the registry of section 6.2.
    package let algorithm: String?
    /// The identifier of the key.
    package let keyID: String?
    /// What the application uses the signature for.
    package let tag: String?
    /// The byte of the field value at which the member begins; 0 for what was not read.
    package let offset: Int
    /// The member as the sender wrote it, without label and `=`; empty for what was not read.
    package let source: [UInt8]

    /// How many components a signature may cover. Genuine ones cover less than ten; pairs of them are compared.
    package static let components = 64
    /// How many parameters one of them may have. There are six (section 6.5), and those of pairs are compared.
    static let componentParameters = 8

    /// Makes what a signature is to cover and to say.
    ///
    /// - Parameters:
    ///   - label: the label, a key of a structured dictionary.
    ///   - components: the covered components; none may come twice.
    ///   - parameters: the parameters in the order in which they are written; those of section 2.3 have the types that
    ///     it gives.
    /// - Throws: ``DecodeError`` for parameters of wrong types, duplicates, more than 64 components, and more than 8 parameters of one.
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
        self.label = label
        self.components = components
        self.offset = offset
        self.source = source
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

    /// All parameters in their order, unknown ones too.
    package var parameters: [StructuredParameter] { innerList.parameters }

    /// Whether the sender wrote the member as section 4.1 of RFC 9651 has it. When not, the sender signed either that
    /// form, and its signature verifies, or its own text, and it does not: see ``SignatureBase``.
    package var isCanonical: Bool {
        guard let canonical = try? StructuredFieldWriter.write(innerList) else { return false }
        return source.isEmpty || source == canonical
    }
}
