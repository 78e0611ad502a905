package import AssayCore
import AssayPrimitives

/// The field `Signature-Input` (RFC 9421 section 4.1): what each signature of a message covers.
package struct SignatureInputField: Sendable {
    /// The members in their order. No label comes twice.
    package let inputs: [SignatureInput]

    /// Makes a field.
    package init(_ inputs: [SignatureInput]) { self.inputs = inputs }

    /// Reads a field value.
    ///
    /// - Parameter value: the value, its lines joined; indices serve as offsets.
    /// - Throws: ``DecodeError`` for what is no dictionary of inner lists of Strings, for labels, components or
    ///   parameters that come twice, and for parameters of section 2.3 with values of other types.
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

    /// The member with a label.
    package subscript(label: String) -> SignatureInput? { inputs.first { $0.label.isByteEqual(to: label) } }

    /// The field value.
    /// - Throws: ``SerialisationError`` for labels, names and parameters that a field cannot carry.
    package func write() throws(SerialisationError) -> [UInt8] {
        try StructuredFieldWriter.write(
            StructuredDictionary(inputs.map { StructuredDictionary.Entry($0.label, .innerList($0.innerList)) }))
    }
}

/// In which form a field may carry bytes.
package enum ByteForm: Sendable {
    /// As a Byte Sequence, as the RFCs demand.
    case byteSequence
    /// As that, or as a String of standard base64, as some clients write it.
    case byteSequenceOrString

    /// The bytes of a member.
    ///
    /// - Parameters:
    ///   - field: what the member is named in errors.
    ///   - member: the member.
    ///   - offset: the byte at which the member's key begins.
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
    /// One signature.
    package struct Entry: Sendable {
        /// The label, which ties it to a member of the field `Signature-Input`.
        package let label: String
        /// The signature.
        package let bytes: [UInt8]
        /// The byte of the field value at which the member begins; 0 for what was not read.
        package let offset: Int

        /// Makes an entry.
        package init(_ label: String, _ bytes: [UInt8], offset: Int = 0) {
            self.label = label
            self.bytes = bytes
            self.offset = offset
        }
    }

    /// The signatures in their order. No label comes twice.
    package let entries: [Entry]

    /// Makes a field.
    package init(_ entries: [Entry]) { self.entries = entries }

    /// Reads a field value.
    ///
    /// - Parameters:
    ///   - value: the value, its lines joined; indices serve as offsets.
    ///   - form: in which form signatures may stand.
    /// - Throws: ``DecodeError`` for what is no dictionary of such values, and for labels that come twice.
    package init(_ value: ArraySlice<UInt8>, form: ByteForm = .byteSequence) throws(DecodeError) {
        var entries: [Entry] = []
        for entry in try StructuredFieldReader.readDictionary(value).entries {
            let bytes = try form.bytes(of: entry.member, entry.key, offset: entry.offset)
            entries.append(Entry(entry.key, bytes, offset: entry.offset))
        }
        self.entries = entries
    }

    /// The signature with a label.
    package subscript(label: String) -> [UInt8]? { entries.first { $0.label.isByteEqual(to: label) }?.bytes }

    /// The field value.
    /// - Throws: ``SerialisationError`` for labels that a field cannot carry.
    package func write() throws(SerialisationError) -> [UInt8] {
        try StructuredFieldWriter.write(
            StructuredDictionary(
                entries.map { StructuredDictionary.Entry($0.label, .item(StructuredItem(.byteSequence($0.bytes)))) }))
    }
}
