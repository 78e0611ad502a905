import AssayPrimitives

/// One pass of ``StructuredFieldReader`` over a field value. Positions count from the start of the span; offsets are
/// indices of the slice. Methods take the span as a parameter: storing one needs experimental language features.
struct StructuredFieldScanner {
    /// The bytes of the span, for copying.
    let bytes: ArraySlice<UInt8>
    let duplicates: StructuredFieldReader.Duplicates
    var position = 0

    init(_ bytes: ArraySlice<UInt8>, _ duplicates: StructuredFieldReader.Duplicates) {
        self.bytes = bytes
        self.duplicates = duplicates
    }

    func offset(_ position: Int) -> Int { bytes.startIndex + position }

    /// The byte at the current position, or nil at the end.
    func current(_ span: Span<UInt8>) -> UInt8? { position < span.count ? span[position] : nil }

    /// The bytes at these positions.
    func slice(_ positions: Range<Int>) -> ArraySlice<UInt8> {
        bytes[offset(positions.lowerBound)..<offset(positions.upperBound)]
    }

    /// The error for an unexpected byte or the end at the current position.
    func unexpected(_ expected: String, _ span: Span<UInt8>) -> DecodeError {
        guard let byte = current(span) else {
            return DecodeError(.truncated, at: offset(position), "expected \(expected), found the end")
        }
        let found = (0x21...0x7E).contains(byte) ? "'\(Character(UnicodeScalar(byte)))'" : "byte \(byte)"
        return DecodeError(.malformed, at: offset(position), "expected \(expected), found \(found)")
    }

    // MARK: Whole values

    mutating func wholeItem(_ span: Span<UInt8>) throws(DecodeError) -> StructuredItem {
        skipSpaces(span)
        let item = try item(span)
        try finish(span)
        return item
    }

    mutating func wholeList(_ span: Span<UInt8>) throws(DecodeError) -> [StructuredMember] {
        skipSpaces(span)
        var members: [StructuredMember] = []
        while position < span.count {
            try requireRoom(members.count, StructuredFieldReader.Limits.members, "members")
            members.append(try member(span))
            guard try skipComma(span) else { break }
        }
        return members
    }

    mutating func wholeDictionary(_ span: Span<UInt8>) throws(DecodeError) -> StructuredDictionary {
        skipSpaces(span)
        var entries: [StructuredDictionary.Entry] = []
        var index = KeyIndex()
        while position < span.count {
            try requireRoom(entries.count, StructuredFieldReader.Limits.members, "members")
            let start = offset(position)
            let key = try key(span)
            var source = offset(position)
            let member: StructuredMember
            if current(span) == UInt8(ascii: "=") {
                position += 1
                source += 1
                member = try self.member(span)
            } else {
                member = .item(StructuredItem(.boolean(true), try parameters(span), offset: start))
            }
            let entry = StructuredDictionary.Entry(key, member, offset: start, source: source..<offset(position))
            if let earlier = index.place(of: key, next: entries.count, in: { entries[$0].key }) {
                try requireLastWins(key, at: start)
                entries[earlier] = entry
            } else {
                entries.append(entry)
            }
            guard try skipComma(span) else { break }
        }
        return StructuredDictionary(entries)
    }

    // MARK: Parts

    private mutating func member(_ span: Span<UInt8>) throws(DecodeError) -> StructuredMember {
        current(span) == UInt8(ascii: "(") ? .innerList(try innerList(span)) : .item(try item(span))
    }

    private mutating func item(_ span: Span<UInt8>) throws(DecodeError) -> StructuredItem {
        let start = offset(position)
        let value = try bareItem(span)
        return StructuredItem(value, try parameters(span), offset: start)
    }

    /// Section 4.2.1.2.
    private mutating func innerList(_ span: Span<UInt8>) throws(DecodeError) -> StructuredInnerList {
        position += 1
        var items: [StructuredItem] = []
        while true {
            skipSpaces(span)
            if current(span) == UInt8(ascii: ")") {
                position += 1
                return StructuredInnerList(items, try parameters(span))
            }
            try requireRoom(items.count, StructuredFieldReader.Limits.innerItems, "items of an inner list")
            items.append(try item(span))
            let next = current(span)
            guard next == 0x20 || next == UInt8(ascii: ")") else { throw unexpected("a space or ')'", span) }
        }
    }

    /// Section 4.2.3.2.
    private mutating func parameters(_ span: Span<UInt8>) throws(DecodeError) -> [StructuredParameter] {
        guard current(span) == UInt8(ascii: ";") else { return [] }
        var parameters: [StructuredParameter] = []
        var index = KeyIndex()
        while current(span) == UInt8(ascii: ";") {
            try requireRoom(parameters.count, StructuredFieldReader.Limits.parameters, "parameters")
            position += 1
            skipSpaces(span)
            let start = offset(position)
            let key = try key(span)
            var value = StructuredBareItem.boolean(true)
            if current(span) == UInt8(ascii: "=") {
                position += 1
                value = try bareItem(span)
            }
            let parameter = StructuredParameter(key, value, offset: start)
            if let earlier = index.place(of: key, next: parameters.count, in: { parameters[$0].key }) {
                try requireLastWins(key, at: start)
                parameters[earlier] = parameter
            } else {
                parameters.append(parameter)
            }
        }
        return parameters
    }

    /// Section 4.2.3.3.
    private mutating func key(_ span: Span<UInt8>) throws(DecodeError) -> String {
        let start = position
        guard let first = current(span), StructuredCharacters.beginsKey(first) else { throw unexpected("a key", span) }
        position += 1
        while position < span.count, StructuredCharacters.continuesKey(span[position]) { position += 1 }
        return String(decoding: slice(start..<position), as: UTF8.self)
    }

    // MARK: Separators

    private mutating func skipSpaces(_ span: Span<UInt8>) {
        while position < span.count, span[position] == 0x20 { position += 1 }
    }

    private mutating func skipOptionalWhiteSpace(_ span: Span<UInt8>) {
        while position < span.count, span[position] == 0x20 || span[position] == 0x09 { position += 1 }
    }

    /// Skips a comma and white space between members. Returns whether another member must follow.
    private mutating func skipComma(_ span: Span<UInt8>) throws(DecodeError) -> Bool {
        skipOptionalWhiteSpace(span)
        guard position < span.count else { return false }
        guard span[position] == UInt8(ascii: ",") else { throw unexpected("',' or the end", span) }
        position += 1
        skipOptionalWhiteSpace(span)
        guard position < span.count else { throw unexpected("a member after ','", span) }
        return true
    }

    private mutating func finish(_ span: Span<UInt8>) throws(DecodeError) {
        skipSpaces(span)
        guard position < span.count else { return }
        throw DecodeError(.trailingBytes, at: offset(position), unexpected("the end", span).message)
    }

    private func requireRoom(_ count: Int, _ limit: Int, _ what: String) throws(DecodeError) {
        guard count < limit else {
            throw DecodeError(.tooLarge, at: offset(position), "more than \(limit) \(what)")
        }
    }

    private func requireLastWins(_ key: String, at offset: Int) throws(DecodeError) {
        switch duplicates {
        case .lastWins: return
        case .refuse: throw DecodeError(.duplicateKey, at: offset, "the key \(key.excerpt) comes twice")
        }
    }
}

/// Positions of keys: a linear search for a few keys, a hash table for many, which keeps the total time linear.
private struct KeyIndex {
    private var places: [String: Int] = [:]
    private static let few = 8

    /// The position of an earlier equal key, or nil for a new key, whose position is `next`.
    mutating func place(of key: String, next: Int, in keys: (Int) -> String) -> Int? {
        guard next >= Self.few else { return (0..<next).first { keys($0) == key } }
        if next == Self.few, places.isEmpty {
            for place in 0..<next { places[keys(place)] = place }
        }
        if let place = places[key] { return place }
        places[key] = next
        return nil
    }
}
