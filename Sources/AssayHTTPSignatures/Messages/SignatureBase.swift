internal import AssayCore

/// Builds what a signature is made over, RFC 9421 section 2.5.
///
/// The last line, `@signature-params`, is written anew from the components and parameters that were read, in their order,
/// as sections 2.3 and 3.2 have it, not copied from the field. Proxies may join and respace structured fields, and a
/// reader that copies would then refuse what is genuine; a sender that writes its field otherwise but signs the text of the
/// standard is verified, and one that signs its own other text is not. Neither choice can let two meanings pass under one
/// signature, since what is written again is all that was understood.
package enum SignatureBase {
    /// The signature base, byte for byte.
    ///
    /// - Parameters:
    ///   - input: what the signature covers.
    ///   - message: the message. For components with `req`, its related request.
    ///   - rules: what the standard leaves open.
    /// - Throws: ``SignatureBaseError`` for the first component that has no value, or none that can be signed.
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

    /// The value of one component, as it would stand in a signature base.
    ///
    /// - Throws: ``SignatureBaseError`` when it has no value, or none that can be signed.
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
