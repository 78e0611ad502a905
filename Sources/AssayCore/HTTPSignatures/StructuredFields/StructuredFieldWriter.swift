/// Writes structured field values in canonical form (RFC 9651 section 4.1). Can write everything that
/// ``StructuredFieldReader`` read. An empty list or dictionary gives no bytes; the caller must omit such a field.
package enum StructuredFieldWriter {
    /// Writes an item (section 4.1.3).
    /// - Throws: ``SerialisationError`` for values that the RFC does not allow.
    package static func write(_ item: StructuredItem) throws(SerialisationError) -> [UInt8] {
        var output: [UInt8] = []
        try append(item, to: &output)
        return output
    }

    /// Writes a list (section 4.1.1).
    /// - Throws: ``SerialisationError`` for values that the RFC does not allow.
    package static func write(_ list: [StructuredMember]) throws(SerialisationError) -> [UInt8] {
        var output: [UInt8] = []
        for (index, member) in list.enumerated() {
            if index > 0 { output += [UInt8(ascii: ","), 0x20] }
            try append(member, to: &output)
        }
        return output
    }

    /// Writes a dictionary (section 4.1.2).
    /// - Throws: ``SerialisationError`` for values that the RFC does not allow, and for duplicate keys.
    package static func write(_ dictionary: StructuredDictionary) throws(SerialisationError) -> [UInt8] {
        var output: [UInt8] = []
        var keys: Set<String> = []
        for (index, entry) in dictionary.entries.enumerated() {
            if index > 0 { output += [UInt8(ascii: ","), 0x20] }
            try append(key: entry.key, to: &output)
            guard keys.insert(entry.key).inserted else {
                throw SerialisationError("the key \(entry.key.excerpt) comes twice")
            }
            if case .item(let item) = entry.member, item.value == .boolean(true) {
                try append(item.parameters, to: &output)
            } else {
                output.append(UInt8(ascii: "="))
                try append(entry.member, to: &output)
            }
        }
        return output
    }

    /// Writes an inner list (section 4.1.1.1).
    /// - Throws: ``SerialisationError`` for values that the RFC does not allow.
    package static func write(_ list: StructuredInnerList) throws(SerialisationError) -> [UInt8] {
        var output: [UInt8] = []
        try append(.innerList(list), to: &output)
        return output
    }

    static func append(_ member: StructuredMember, to output: inout [UInt8]) throws(SerialisationError) {
        switch member {
        case .item(let item): try append(item, to: &output)
        case .innerList(let list):
            output.append(UInt8(ascii: "("))
            for (index, item) in list.items.enumerated() {
                if index > 0 { output.append(0x20) }
                try append(item, to: &output)
            }
            output.append(UInt8(ascii: ")"))
            try append(list.parameters, to: &output)
        }
    }

    static func append(_ item: StructuredItem, to output: inout [UInt8]) throws(SerialisationError) {
        try append(item.value, to: &output)
        try append(item.parameters, to: &output)
    }

    static func append(_ parameters: [StructuredParameter], to output: inout [UInt8]) throws(SerialisationError) {
        for parameter in parameters {
            output.append(UInt8(ascii: ";"))
            try append(key: parameter.key, to: &output)
            guard parameter.value != .boolean(true) else { continue }
            output.append(UInt8(ascii: "="))
            try append(parameter.value, to: &output)
        }
    }

    private static func append(key: String, to output: inout [UInt8]) throws(SerialisationError) {
        guard let first = key.utf8.first, StructuredCharacters.beginsKey(first),
            key.utf8.allSatisfy(StructuredCharacters.continuesKey)
        else {
            throw SerialisationError(
                "\"\(key.excerpt)\" is no key: a lower-case letter or '*', then those, digits, '_', '-' and '.'")
        }
        output.append(contentsOf: key.utf8)
    }
}
