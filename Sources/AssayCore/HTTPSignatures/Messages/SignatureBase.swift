/// Builds the signature base (RFC 9421 section 2.5). Serialises the last line, `@signature-params`, from the parsed
/// components and parameters in their order (sections 2.3 and 3.2). Does not copy the field, because proxies may join
/// structured fields and change their white space. A signature over a sender's own non-canonical text does not verify.
/// This is safe: the base contains everything that the verifier parsed.
package enum SignatureBase {
    /// Builds the signature base of a message. Components with `req` use its request.
    /// - Throws: ``SignatureBaseError`` for the first component with a missing or unsignable value.
    package static func build(
        for input: SignatureInput, of message: HTTPMessageParts, rules: SignatureBaseRules = SignatureBaseRules()
    ) throws(SignatureBaseError) -> [UInt8] {
        var base: [UInt8] = []
        base.reserveCapacity(1024)
        var values = ComponentValues(message, rules)
        for component in input.components {
            try append(component.item, of: component, to: &base)
            base += [UInt8(ascii: ":"), 0x20]
            try values.append(component, to: &base)
            base.append(UInt8(ascii: "\n"))
        }
        let last = SignatureComponent("@signature-params")
        try append(last.item, of: last, to: &base)
        base += [UInt8(ascii: ":"), 0x20]
        do {
            try StructuredFieldWriter.append(.innerList(input.innerList), to: &base)
        } catch {
            throw SignatureBaseError(.invalidParameter, last, error.description)
        }
        return base
    }

    /// The value of one component, as in a signature base.
    /// - Throws: ``SignatureBaseError`` for a missing or unsignable value.
    package static func value(
        of component: SignatureComponent, in message: HTTPMessageParts,
        rules: SignatureBaseRules = SignatureBaseRules()
    ) throws(SignatureBaseError) -> [UInt8] {
        var value: [UInt8] = []
        var values = ComponentValues(message, rules)
        try values.append(component, to: &value)
        return value
    }

    private static func append(
        _ item: StructuredItem, of component: SignatureComponent, to base: inout [UInt8]
    ) throws(SignatureBaseError) {
        do {
            try StructuredFieldWriter.append(item, to: &base)
        } catch {
            throw SignatureBaseError(.invalidName, component, error.description)
        }
    }
}
