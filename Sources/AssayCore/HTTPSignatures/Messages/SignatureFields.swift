package import AssayPrimitives

/// The field `Signature-Input` (RFC 9421 section 4.1): the components that each signature covers.
package struct SignatureInputField: Sendable {
    /// The members in order, with unique labels.
    package let inputs: [SignatureInput]

    package init(_ inputs: [SignatureInput]) { self.inputs = inputs }

    /// Reads a field value with its lines joined.
    /// - Throws: ``DecodeError`` at an index of `value` if it is not a dictionary of inner lists of Strings, repeats a
    ///   label, component or parameter, or has a parameter of section 2.3 with another type.
    package init(_ value: ArraySlice<UInt8>) throws(DecodeError) {
        var inputs: [SignatureInput] = []
        for entry in try StructuredFieldReader.readDictionary(value).entries {
            guard case .innerList(let list) = entry.member else {
                throw DecodeError(
                    .unexpectedType, at: entry.offset, field: entry.key.excerpt,
                    "expected an Inner List of components, found \(entry.member.kindName)")
            }
            inputs.append(
                try SignatureInput(
                    label: entry.key, list, offset: entry.offset, source: Array(value[entry.source])))
        }
        self.inputs = inputs
    }

    /// The member with this label.
    package subscript(label: String) -> SignatureInput? { inputs.first { $0.label.isByteEqual(to: label) } }

    /// The field value.
    /// - Throws: ``SerialisationError`` for labels, names and parameters that are not allowed in a field.
    package func write() throws(SerialisationError) -> [UInt8] {
        try StructuredFieldWriter.write(
            StructuredDictionary(inputs.map { StructuredDictionary.Entry($0.label, .innerList($0.innerList)) }))
    }
}

/// The accepted forms of bytes in a field.
package enum ByteForm: Sendable {
    /// A Byte Sequence, as the RFCs require.
    case byteSequence
    /// Also a String of standard base64, which some clients send.
    case byteSequenceOrString

    /// The bytes of a member, whose key is at `offset`. Errors name `field`.
    func bytes(
        of member: StructuredMember, _ field: String, offset: Int
    ) throws(DecodeError) -> [UInt8] {
        guard case .item(let item) = member else {
            throw DecodeError(
                .unexpectedType, at: offset, field: field.excerpt, "expected a Byte Sequence, found an Inner List")
        }
        switch (self, item.value) {
        case (_, .byteSequence(let bytes)): return bytes
        case (.byteSequenceOrString, .string(let text)):
            do {
                return try Base64.decode(text, .standard)
            } catch {
                // The text begins after the quote.
                throw DecodeError(
                    error.reason, at: item.offset + 1 + error.offset, field: field.excerpt, error.message)
            }
        default:
            throw DecodeError(
                .unexpectedType, at: item.offset, field: field.excerpt,
                "expected a Byte Sequence, found \(item.value.kindName)")
        }
    }
}

/// The field `Signature` (RFC 9421 section 4.2): the signatures of a message.
package struct SignatureField: Sendable {
    package struct Entry: Sendable {
        /// The label, which identifies the member of `Signature-Input`.
        package let label: String
        package let bytes: [UInt8]
        /// The index of the member in the field value; 0 if it was not read.
        package let offset: Int

        package init(_ label: String, _ bytes: [UInt8], offset: Int = 0) {
            (self.label, self.bytes, self.offset) = (label, bytes, offset)
        }
    }

    /// The signatures in order, with unique labels.
    package let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    /// Reads a field value with its lines joined.
    /// - Throws: ``DecodeError`` at an index of `value` if it is not a dictionary of signatures, or repeats a label.
    package init(_ value: ArraySlice<UInt8>, form: ByteForm = .byteSequence) throws(DecodeError) {
        var entries: [Entry] = []
        for entry in try StructuredFieldReader.readDictionary(value).entries {
            let bytes = try form.bytes(of: entry.member, entry.key, offset: entry.offset)
            entries.append(Entry(entry.key, bytes, offset: entry.offset))
        }
        self.entries = entries
    }

    package subscript(label: String) -> [UInt8]? { entries.first { $0.label.isByteEqual(to: label) }?.bytes }

    /// The field value.
    /// - Throws: ``SerialisationError`` for labels that are not allowed in a field.
    package func write() throws(SerialisationError) -> [UInt8] {
        try StructuredFieldWriter.write(
            StructuredDictionary(
                entries.map { StructuredDictionary.Entry($0.label, .item(StructuredItem(.byteSequence($0.bytes)))) }))
    }
}
